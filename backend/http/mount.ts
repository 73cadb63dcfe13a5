import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { api } from '../../contract/api.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ListQuery } from '../../contract/paging.ts';
import { everything, type ListRequest } from '../db/index.ts';
import type { Clock } from '../platform/clock.ts';
import { Refusal } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { createdIdOf, namedIds } from './audit-facts.ts';
import {
  CustomAnswer,
  type Handlers,
  type ListResult,
  type RequestFacts,
  type SessionUser,
} from './handler.ts';
import { parseInput, unwrapBody } from './input.ts';
import { linkHeader } from './list-headers.ts';
import { readingRight, withinRight } from './own-groups.ts';
import { envelope } from './problems.ts';
import { requestFacts } from './request-facts.ts';
import { serveStream } from './stream.ts';

export const apiPrefix = '/api/v1';

/** What the mount needs from the auth feature. */
export interface Authenticator {
  /** The caller, or a refusal (401). `writes` asks for the CSRF token when the access token is a cookie. */
  authenticate(facts: RequestFacts, writes: boolean): Promise<SessionUser>;
  /** The user of a session as it is now; `null` once the session has ended. */
  currentUser(sessionId: string): Promise<SessionUser | null>;
  /** Calls `listener` when the session ends; answers how to stop that. */
  onSessionEnd(sessionId: string, listener: () => void): () => void;
}

/** One line of who did what; written after every request that changes something. */
export interface AuditEntry {
  readonly user: SessionUser | null;
  readonly userName: string | null;
  readonly address: string;
  readonly action: string;
  readonly objectId: number | null;
  readonly status: number;
  /** One line for people: the reason of a failed login, the ids of many objects. */
  readonly details?: string | null;
}

export interface MountDeps {
  readonly auth: Authenticator;
  readonly log: Log;
  readonly clock: Clock;
  readonly secure: boolean;
  /** Aborted when the server stops: ends the event streams. */
  readonly stopping: AbortSignal;
  recordAudit(entry: AuditEntry): Promise<void>;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: SessionUser | null;
    createdId: number | null;
    facts: RequestFacts | null;
  }
}

/**
 * One route per endpoint of the contract. In this order: who calls (401), may they (403), does the path make
 * sense (404), do query and body (400). Only then the handler runs.
 */
export function mountApi(app: FastifyInstance, handlers: Partial<Handlers>, deps: MountDeps): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('createdId', null);
  app.decorateRequest('facts', null);
  for (const [name, endpoint] of Object.entries<Endpoint>(api)) {
    const handler = handlers[name as keyof Handlers];
    // The one place where the table's types end: each handler was checked against its endpoint where it was made.
    if (handler) mountEndpoint(app, { name, endpoint, run: handler as unknown as AnyHandler }, deps);
  }
}

type AnyHandler = (call: Record<string, unknown>) => Promise<unknown>;

interface Mounted {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly run: AnyHandler;
}

function mountEndpoint(app: FastifyInstance, mounted: Mounted, deps: MountDeps): void {
  const { endpoint, name } = mounted;
  app.route({
    method: endpoint.method,
    url: `${apiPrefix}${endpoint.path}`,
    exposeHeadRoute: endpoint.method === 'GET' && !endpoint.stream,
    onRequest: async (request) => {
      if (endpoint.permission === 'public') return;
      request.facts = requestFacts(request, deps.secure);
      const caller = await deps.auth.authenticate(request.facts, endpoint.method !== 'GET');
      request.caller = caller;
      checkRight(endpoint, caller);
      request.caller = withinRight(caller, endpoint.permission ?? readingRight);
    },
    handler: async (request, reply) => {
      const call = {
        ...inputOf(endpoint, request),
        user: request.caller,
        request: request.facts ?? requestFacts(request, deps.secure),
      };
      if (endpoint.stream) return serveStream(request, reply, call, mounted.run, deps);
      const answer = await mounted.run(call);
      request.createdId = createdIdOf(answer);
      const url = () => `${call.request.origin}${request.url}`;
      return send(reply, endpoint, answer, { list: call.list, url });
    },
    ...(changesSomething(endpoint)
      ? {
          onResponse: async (request: FastifyRequest, reply: FastifyReply) => {
            await audit(name, request, reply, deps);
          },
        }
      : {}),
  });
}

function checkRight(endpoint: Endpoint, user: SessionUser): void {
  const right = endpoint.permission;
  if (right === null || right === 'public' || user.permissions.has(right)) return;
  throw new Refusal('permission.denied', {
    message: `Your role does not include the right ${right}.`,
    errors: { permission: right },
  });
}

interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly list: ListRequest;
}

function inputOf(endpoint: Endpoint, request: FastifyRequest): Input {
  const params = endpoint.params ? parsePath(endpoint, request) : undefined;
  const query = endpoint.query ? parseInput(endpoint.query, request.query, 'query') : undefined;
  const body = endpoint.body ? parseInput(endpoint.body, unwrapBody(request.body), 'body') : undefined;
  return { params, query, body, list: endpoint.list ? listRequest(endpoint, query) : everything };
}

/** A path that cannot name anything (`/pools/abc`) is an unknown object, not a bad request. */
function parsePath(endpoint: Endpoint, request: FastifyRequest): unknown {
  const result = endpoint.params?.safeParse(request.params);
  if (result?.success) return result.data;
  throw new Refusal('object.notFound', {
    message: 'There is no object with this id: an id is a whole number.',
    errors: { id: 'not found' },
  });
}

function listRequest(endpoint: Endpoint, query: unknown): ListRequest {
  const { page, limit, sort, order, search, ...rest } = (query ?? {}) as Record<string, unknown>;
  const fields = endpoint.query === ListQuery ? rest : {};
  const filters = Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, String(value)]));
  return { ...({ page, limit, sort, order, search } as Omit<ListRequest, 'filters'>), filters };
}

function send(
  reply: FastifyReply,
  endpoint: Endpoint,
  answer: unknown,
  asked: { readonly list: ListRequest; readonly url: () => string },
): FastifyReply {
  if (endpoint.list) {
    const { rows, total } = answer as ListResult<unknown>;
    reply.header('X-Total-Count', total);
    const link = linkHeader(asked.url(), asked.list, total);
    if (link) reply.header('Link', link);
    return reply.code(endpoint.success).send(envelope(endpoint.result.parse(rows)));
  }
  const custom = answer instanceof CustomAnswer ? answer : new CustomAnswer(answer);
  for (const cookie of custom.cookies) {
    if (cookie.value === null) reply.clearCookie(cookie.name, { path: '/' });
    else reply.setCookie(cookie.name, cookie.value);
  }
  const status = custom.status ?? endpoint.success;
  if (status === 204) return reply.code(204).send();
  // Fields that the contract does not know are stripped, so a column that a handler leaked stays inside.
  const data = status === endpoint.success ? endpoint.result.parse(custom.data ?? null) : custom.data;
  return reply.code(status).send(envelope(data, custom.message, custom.isError));
}

/** Reading POSTs need no more than a right to read; logging in is recorded by the auth feature itself. */
function changesSomething(endpoint: Endpoint): boolean {
  return (
    endpoint.method !== 'GET' &&
    endpoint.permission !== 'public' &&
    !(endpoint.permission ?? '').endsWith('.read')
  );
}

async function audit(
  action: string,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: MountDeps,
): Promise<void> {
  // Strangers change nothing; what they try must not fill the record.
  if (request.caller === null) return;
  const { id } = (request.params ?? {}) as { id?: string };
  try {
    await deps.recordAudit({
      user: request.caller,
      userName: request.caller.userName,
      address: request.ip,
      action,
      objectId: id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : request.createdId,
      status: reply.statusCode,
      details: namedIds(unwrapBody(request.body)),
    });
  } catch (error) {
    // The answer is already out; that its record is missing must at least be known.
    deps.log.error('an audit record was lost', { action, error });
  }
}
