import { z } from 'zod';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ProblemError } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';
import { reasonText } from '../texts/reason-text.ts';

/** What goes over the wire, but for the credentials. `path` begins with `/api/v1`. */
export interface ApiRequest {
  readonly method: Endpoint['method'];
  readonly path: string;
  readonly body: string | null;
}

export const apiRoot = '/api/v1';

const Input = z
  .strictObject({ params: z.unknown(), query: z.unknown(), body: z.unknown() })
  .partial()
  .nullish();

/**
 * Path, query and body from the endpoint's own declaration. Input that the contract does not know is refused here,
 * by field, before anything is sent.
 */
export function buildRequest(endpoint: Endpoint, input: unknown): ApiRequest {
  const given = Input.safeParse(input);
  if (!given.success) throw wrongInput({ input: t('calls.onlyParts') });
  const { params, query, body } = given.data ?? {};
  check(endpoint.params, params);
  check(endpoint.query, query);
  check(endpoint.body, body);
  const path = fillPath(endpoint.path, asRecord(params));
  const search = searchText(asRecord(query));
  return {
    method: endpoint.method,
    path: `${apiRoot}${path}${search === '' ? '' : `?${search}`}`,
    body: endpoint.body && body !== undefined ? JSON.stringify(wrapped(endpoint, body)) : null,
  };
}

/** The form that the declaration names; a body that already is wrapped stays as it is. */
function wrapped(endpoint: Endpoint, body: unknown): unknown {
  if (endpoint.wrap !== 'data') return body;
  const keys = Object.keys(asRecord(body));
  return keys.length === 1 && keys[0] === 'data' ? body : { data: body };
}

function check(schema: z.ZodType | undefined, value: unknown): void {
  if (!schema) {
    if (value === undefined || value === null) return;
    throw wrongInput({ input: t('calls.noPart') });
  }
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return;
  throw wrongInput(
    Object.fromEntries(
      parsed.error.issues.map((issue) => [issue.path.join('.') || 'input', reasonText(issue.message)]),
    ),
  );
}

function fillPath(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replace(/:([a-z_]+)/gi, (_all, name: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
    // `.` and `..` would be folded into another path by whoever parses the address.
    if (text === '' || /^\.{1,2}$/.test(text)) throw wrongInput({ [name]: t('calls.missing') });
    return encodeURIComponent(text);
  });
}

function searchText(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    search.append(name, String(value));
  }
  return search.toString();
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function wrongInput(errors: Readonly<Record<string, string>>): ProblemError {
  const [field = '', ...more] = Object.keys(errors);
  return new ProblemError({
    kind: 'refused',
    message: more.length > 0 ? t('calls.correctFields') : t('calls.correctField', { field }),
    code: 'input',
    errors,
  });
}
