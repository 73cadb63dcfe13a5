import type { Endpoint } from '../../contract/endpoint.ts';
import type { FieldErrors, Problem } from '../../contract/problem.ts';
import { ProblemError } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';
import { readTolerantly, WrongShape } from './tolerant.ts';

/** An answer as it came: status, the few headers that matter, and the whole body as text. */
export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly totalCount: string | null;
  readonly date: string | null;
  readonly text: string;
}

const longestMessage = 500;
const mostFieldErrors = 50;

/**
 * Value of a successful answer: the record, or `{ items, total }` for list endpoints. Throws a ProblemError for
 * everything else: refusals with the server's own words, and answers that no backup server would give.
 */
export function readAnswer(endpoint: Endpoint, answer: RawAnswer): unknown {
  const { status } = answer;
  if (status < 200 || status >= 300) throw new ProblemError(problemOfStatus(answer));
  if (status === 204 || answer.text.trim() === '') return endpoint.list ? { items: [], total: 0 } : null;
  const body = parseJson(answer);
  const envelope = openEnvelope(body);
  // 207 carries `is_error` beside its result: the caller shows both.
  if (envelope.isError && status !== 207) throw new ProblemError(refusal(status, envelope));
  try {
    if (endpoint.list) return readList(endpoint, body, envelope.data, answer.totalCount);
    return readTolerantly(endpoint.result, envelope.data);
  } catch (error) {
    if (error instanceof WrongShape)
      throw badAnswer(t('answers.otherForm', { detail: error.message }), status);
    throw error;
  }
}

/** What a status outside 2xx means for the person. */
export function problemOfStatus(answer: RawAnswer): Problem {
  const { status } = answer;
  const body = tryJson(answer.text);
  if (!isRecord(body)) {
    if (status >= 500) return badAnswer(t('answers.failedHttp', { status }), status).problem;
    if (status >= 300 && status < 400) return badAnswer(t('answers.redirects'), status).problem;
    return badAnswer(t('answers.ownForm', { status }), status).problem;
  }
  return refusal(status, openEnvelope(body));
}

export function badAnswer(reason: string, status?: number): ProblemError {
  return new ProblemError({
    kind: 'badAnswer',
    message: t('answers.bad', { reason }),
    code: 'badAnswer',
    ...(status === undefined ? {} : { status }),
  });
}

interface OpenedEnvelope {
  readonly data: unknown;
  readonly isError: boolean;
  readonly message: string;
  readonly errors: FieldErrors;
}

/** With or without the envelope; servers in the field also say `msg` when their login library refuses. */
function openEnvelope(body: unknown): OpenedEnvelope {
  if (!isRecord(body)) return { data: body, isError: false, message: '', errors: {} };
  const isEnvelope =
    Object.hasOwn(body, 'data') &&
    ['is_error', 'message', 'errors'].some((name) => Object.hasOwn(body, name));
  const wrapsOnly = Object.keys(body).length === 1 && Object.hasOwn(body, 'data');
  return {
    data: isEnvelope || wrapsOnly ? body.data : body,
    isError: body.is_error === true,
    message: [body.message, body.msg, body.error].find((text) => typeof text === 'string') ?? '',
    errors: fieldErrors(body.errors),
  };
}

function refusal(status: number, { message, errors }: OpenedEnvelope): Problem {
  const [firstReason] = Object.entries(errors).map(([field, reason]) => `${field}: ${reason}`);
  return {
    kind: status === 401 ? 'signIn' : 'refused',
    message: cut(message || firstReason || plainRefusal(status)),
    status,
    code: `http${status}`,
    ...(Object.keys(errors).length > 0 ? { errors } : {}),
  };
}

function plainRefusal(status: number): string {
  if (status === 401) return t('answers.signIn');
  if (status === 403) return t('answers.forbidden');
  if (status === 404) return t('answers.gone');
  if (status >= 500) return t('answers.failed', { status });
  return t('answers.refused', { status });
}

function fieldErrors(value: unknown): FieldErrors {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value)
    .filter(([name]) => name !== '__proto__')
    .slice(0, mostFieldErrors);
  return Object.fromEntries(entries.map(([name, reason]) => [cut(name), cut(reasonText(reason))]));
}

function reasonText(reason: unknown): string {
  if (typeof reason === 'string') return reason;
  if (Array.isArray(reason)) return reason.map(reasonText).join('; ');
  return JSON.stringify(reason) ?? '';
}

/** Both shapes of lists: `data` is the array (total in the header), or holds `items` beside `total`. */
function readList(endpoint: Endpoint, body: unknown, data: unknown, totalCount: string | null): unknown {
  const holder = [data, body].find((one) => isRecord(one) && Array.isArray(one.items));
  const items = Array.isArray(data) ? data : undefined;
  const rows = items ?? (isRecord(holder) ? holder.items : data);
  const read = readTolerantly(endpoint.result, rows);
  if (!Array.isArray(read)) throw new WrongShape(t('answers.shape.noList', { place: 'data' }));
  const total = totalOf(totalCount) ?? totalOf(isRecord(holder) ? holder.total : undefined) ?? read.length;
  return { items: read, total };
}

function totalOf(value: unknown): number | undefined {
  const isCount = typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value));
  const total = isCount ? Number(value) : Number.NaN;
  return Number.isSafeInteger(total) && total >= 0 ? total : undefined;
}

function parseJson(answer: RawAnswer): unknown {
  const body = tryJson(answer.text);
  if (body !== undefined) return body;
  const looksLikePage = /html/i.test(answer.contentType) || /^\s*<(!doctype|html)/i.test(answer.text);
  throw badAnswer(looksLikePage ? t('answers.webPage') : t('answers.noJson'), answer.status);
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON: the caller knows what that means for its status.
    return undefined;
  }
}

function cut(text: string): string {
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
