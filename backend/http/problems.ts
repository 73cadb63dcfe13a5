import type { FieldErrors } from '../../contract/problem.ts';
import { refusalStatus } from '../../contract/problem.ts';
import { type Conflict, conflictOf, diskFull, isDiskFull } from '../db/index.ts';
import { Refusal } from '../platform/errors.ts';
import { newIncidentId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';

/** An error as it leaves the server: status and envelope. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly errors: FieldErrors;
}

export interface EnvelopeBody {
  readonly data: unknown;
  readonly errors: FieldErrors;
  readonly is_error: boolean;
  readonly message: string;
}

export function envelope(data: unknown, message = '', isError = false): EnvelopeBody {
  return { data, errors: {}, is_error: isError, message };
}

export function problemEnvelope(problem: Problem): EnvelopeBody {
  return { data: null, errors: problem.errors, is_error: true, message: problem.message };
}

/**
 * Everything thrown becomes an answer here. A refusal tells its reason; what the HTTP layer refuses is a 400;
 * anything else is a bug: the caller gets an incident id, the log the whole story.
 */
export function problemOf(error: unknown, log: Log): Problem {
  if (error instanceof Refusal) {
    return { status: refusalStatus[error.code], message: error.message, errors: error.errors };
  }
  const known = layerProblem(error);
  if (known) return known;
  const conflict = conflictOf(error);
  if (conflict) return conflictProblem(conflict);
  if (isDiskFull(error)) {
    log.error('the disk is full', { error });
    return { status: 500, message: diskFull, errors: { server: 'disk full' } };
  }
  const incident = newIncidentId();
  log.error('a request failed unexpectedly', { incident, error });
  return {
    status: 500,
    message: `The server has failed; its log tells more under incident ${incident}.`,
    errors: { incident },
  };
}

/** Field of a create or change that must differ from all others, by table. */
const uniqueFields: Readonly<Record<string, string>> = {
  pools: 'pool_name',
  users: 'user_name',
  storages: 'path',
  block_devices: 'device',
  auditors: 'auditor',
};

/** Two callers at once: both were right when they were looked at, and the database let only one through. */
function conflictProblem(conflict: Conflict): Problem {
  if (conflict.kind === 'reference') {
    const message =
      'Somebody has changed what this refers to at the same moment: load it again, then repeat.';
    return { status: 400, message, errors: { request: 'refers to something that has just changed' } };
  }
  const field = uniqueFields[conflict.table] ?? 'name';
  return {
    status: 400,
    message: `Somebody else has just taken the same ${field}: choose another.`,
    errors: { [field]: 'is taken since a moment ago; choose another' },
  };
}

/** Errors of the HTTP layer, by Fastify's code. */
const layerMessages: Readonly<Record<string, FieldErrors>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { body: 'is larger than 1 MiB; send less at once' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { body: 'does not have the length that its header tells' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { 'content-type': 'must be application/json' },
  FST_ERR_BAD_URL: { path: 'is not a valid address' },
  FST_ERR_MAX_PARAM_LENGTH: { path: 'has a part that is too long' },
};

function layerProblem(error: unknown): Problem | null {
  if (!(error instanceof Error)) return null;
  const { code, statusCode } = error as Error & { code?: string; statusCode?: number };
  const errors = code === undefined ? undefined : layerMessages[code];
  if (errors) return badRequest(errors);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return badRequest({ request: 'could not be read' });
  }
  return null;
}

function badRequest(errors: FieldErrors): Problem {
  const [field = 'request', reason = ''] = Object.entries(errors)[0] ?? [];
  return { status: 400, message: `The ${field} ${reason}.`, errors };
}
