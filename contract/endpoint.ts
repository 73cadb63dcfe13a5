import { z } from 'zod';
import type { Permission } from './permissions.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * One endpoint of the REST API, declared once. Route, OpenAPI, desktop client, form types and docs follow from it.
 *
 * - `path` is relative to `{base_url}/api/v1`, parameters as `:id`.
 * - `wrap` is the form the desktop sends (`data` or `flat`); the backend accepts both for every body.
 * - `permission`: `null` = anyone who is logged in, `'public'` = no token needed.
 * - `unknownFields`: `ignore` only where the specification says so; otherwise an unknown body field is a 400.
 * - `result` describes `data` of the answer's envelope; on 204 there is no body.
 * - `list`: the answer is an array with the uniform list parameters (page, limit, sort, order, search, equality filters).
 * - `alsoSuccess`: further success codes (207 of pools).
 */
export interface Endpoint {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly permission: Permission | 'public' | null;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly wrap?: 'data' | 'flat';
  readonly unknownFields?: 'refuse' | 'ignore';
  readonly result: z.ZodType;
  readonly success: 200 | 201 | 204;
  readonly alsoSuccess?: readonly number[];
  readonly refuses: readonly (400 | 401 | 404 | 422)[];
  readonly list?: boolean;
  /** Endpoints beyond the specification carry the tag `Extensions` in the interactive page. */
  readonly extension?: string;
  /** `stream`: text/event-stream, handled by the backend's event feature and the desktop's event reader. */
  readonly stream?: boolean;
}

export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

type Parsed<E, K extends string> = E extends { readonly [P in K]: infer S extends z.ZodType }
  ? { readonly [P in K]: z.output<S> }
  : unknown;
type Raw<E, K extends string> = E extends { readonly [P in K]: infer S extends z.ZodType }
  ? { readonly [P in K]: z.input<S> }
  : unknown;

/** What a handler receives: parsed path, query and body. List endpoints get `ListQuery` as `query`. */
export type CallOf<E extends Endpoint> = Parsed<E, 'params'> & Parsed<E, 'query'> & Parsed<E, 'body'>;
/** What a caller passes. */
export type InputOf<E extends Endpoint> = Raw<E, 'params'> & Raw<E, 'query'> & Raw<E, 'body'>;
/** `data` of the answer. */
export type ResultOf<E extends Endpoint> = z.output<E['result']>;

/** The answer's envelope (every JSON answer of the API). */
export const Envelope = z.object({
  data: z.unknown(),
  errors: z.record(z.string(), z.unknown()),
  is_error: z.boolean(),
  message: z.string(),
});
export type Envelope = z.infer<typeof Envelope>;
