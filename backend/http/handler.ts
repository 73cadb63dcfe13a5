import type { z } from 'zod';
import type { Api, ApiName } from '../../contract/api.ts';
import type { Endpoint, ResultOf } from '../../contract/endpoint.ts';
import type { Permission, Role } from '../../contract/permissions.ts';
import type { ListRequest } from '../db/index.ts';

/** Who calls. Loaded from the database for every request, so a change of roles counts at once. */
export interface SessionUser {
  readonly id: number;
  readonly userName: string;
  readonly roles: readonly Role[];
  readonly permissions: ReadonlySet<Permission>;
  /** The client groups that the user is limited to in what they ask for; `null` = all. */
  readonly clientGroupIds: readonly number[] | null;
  readonly sessionId: string;
}

/** Facts about the request that services may need (audit, cookies, tokens). */
export interface RequestFacts {
  readonly id: string;
  /** Address of the caller. */
  readonly address: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** The connection is encrypted. */
  readonly secure: boolean;
  /** `http://host:port` as the caller addressed the server. */
  readonly origin: string;
}

type Parsed<E, K extends string> = E extends { readonly [P in K]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** What a handler receives: input parsed by the endpoint's schemas, and who calls. */
export interface Call<E extends Endpoint> {
  readonly params: Parsed<E, 'params'>;
  readonly query: Parsed<E, 'query'>;
  readonly body: Parsed<E, 'body'>;
  /** Page, order, search and filters; empty for endpoints that are no lists. */
  readonly list: ListRequest;
  readonly user: E['permission'] extends 'public' ? SessionUser | null : SessionUser;
  readonly request: RequestFacts;
}

/** Rows of one page and the number of all matching rows (`X-Total-Count`). */
export interface ListResult<R> {
  readonly rows: R extends readonly (infer Row)[] ? readonly Row[] : R;
  readonly total: number;
}

/** An answer that differs from the endpoint's usual one: another status, cookies, a message. */
export class CustomAnswer<T> {
  readonly data: T;
  readonly status: number | undefined;
  readonly message: string;
  readonly isError: boolean;
  readonly cookies: readonly AnswerCookie[];

  constructor(
    data: T,
    details: {
      readonly status?: number;
      readonly message?: string;
      readonly isError?: boolean;
      readonly cookies?: readonly AnswerCookie[];
    } = {},
  ) {
    this.data = data;
    this.status = details.status;
    this.message = details.message ?? '';
    this.isError = details.isError ?? false;
    this.cookies = details.cookies ?? [];
  }
}

/** A session cookie (HttpOnly, path `/`); `null` clears it. */
export interface AnswerCookie {
  readonly name: string;
  readonly value: string | null;
}

/** A server-sent event stream: the handler writes until `signal` is aborted. */
export interface StreamCall<E extends Endpoint> extends Call<E> {
  /** Aborted when the caller goes away, the session ends or the server stops. */
  readonly signal: AbortSignal;
  readonly lastEventId: string | null;
  /** Writes one raw chunk (`id: 1\nevent: task\ndata: {}\n\n`); resolves when the caller can take more. */
  send(chunk: string): Promise<void>;
  /** The user as it is now; `null` when the session has ended. */
  currentUser(): Promise<SessionUser | null>;
}

export type Handler<E extends Endpoint> = E extends { readonly stream: true }
  ? (call: StreamCall<E>) => Promise<void>
  : (call: Call<E>) => Promise<AnswerOf<E>>;

export type AnswerOf<E extends Endpoint> = E extends { readonly list: true }
  ? ListResult<ResultOf<E>>
  : ResultOf<E> | CustomAnswer<unknown> | (E extends { readonly success: 204 } ? undefined : never);

/** One handler per endpoint: a missing or surplus one does not compile. */
export type Handlers = { readonly [N in ApiName]: Handler<Api[N]> };

/** The handlers of one feature: `Pick<Handlers, 'pools.list' | …>`. */
export type HandlersOf<N extends ApiName> = Pick<Handlers, N>;
