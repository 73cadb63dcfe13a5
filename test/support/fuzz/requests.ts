import fc from 'fast-check';
import { type ApiName, api } from '../../../contract/api.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { anyJunk, broken, rawBodies, wrongIds } from './mutations.ts';
import { arbitraryOf, type Known } from './schema-arbitrary.ts';

export interface FuzzRequest {
  readonly name: ApiName;
  readonly method: Endpoint['method'];
  /** Below `/api/v1`, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** Endpoints that end the session or never end, and how often one that hashes a password is called. */
const left: readonly string[] = ['auth.logout', 'events.stream'];
const rare: readonly string[] = ['auth.login', 'users.create', 'users.update'];

/** Requests to every endpoint of the contract: right ones, and ones that are wrong in one or several ways. */
export function requestsOf(
  tokens: readonly string[],
  known: Known,
  tame: (name: ApiName, body: unknown) => unknown,
): fc.Arbitrary<FuzzRequest> {
  const endpoints = Object.entries<Endpoint>(api).filter(([name]) => !left.includes(name));
  return fc.oneof(
    ...endpoints.map(([name, endpoint]) => ({
      weight: rare.includes(name) ? 1 : 20,
      arbitrary: requestOf(name as ApiName, endpoint, { tokens, known, tame }),
    })),
  );
}

interface Material {
  readonly tokens: readonly string[];
  readonly known: Known;
  readonly tame: (name: ApiName, body: unknown) => unknown;
}

function requestOf(name: ApiName, endpoint: Endpoint, material: Material): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      path: pathOf(endpoint.path),
      query: queryOf(endpoint, material.known),
      body: bodyOf(name, endpoint, material),
      headers: headersOf(material.tokens),
    })
    .map(({ path, query, body, headers }) => ({
      name,
      method: endpoint.method,
      path: query === '' ? path : `${path}?${query}`,
      headers: body === null ? headers : { 'content-type': 'application/json', ...headers },
      body,
    }));
}

function pathOf(template: string): fc.Arbitrary<string> {
  const segment = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 6 }).map(String) },
    { weight: 1, arbitrary: fc.constantFrom(...wrongIds) },
  );
  const parts = template.split('/').map((part) => (part.startsWith(':') ? segment : fc.constant(part)));
  return fc.tuple(...parts).map((found) => found.join('/'));
}

function queryOf(endpoint: Endpoint, known: Known): fc.Arbitrary<string> {
  const names = [
    'page',
    'limit',
    'sort',
    'order',
    'search',
    'id',
    'status',
    'description',
    '__proto__',
    'a[b]',
  ];
  const wild = fc.array(fc.tuple(fc.constantFrom(...names), anyJunk), { maxLength: 3 }).map(encoded);
  if (!endpoint.query)
    return fc.oneof({ weight: 6, arbitrary: fc.constant('') }, { weight: 1, arbitrary: wild });
  const right = arbitraryOf(endpoint.query, known).map((value) =>
    encoded(Object.entries((value ?? {}) as Record<string, unknown>)),
  );
  return fc.oneof({ weight: 3, arbitrary: right }, { weight: 2, arbitrary: wild });
}

/** `%`-escapes that hold for any text, lone surrogates included. */
function encoded(pairs: readonly (readonly [string, unknown])[]): string {
  const part = (value: unknown): string => encodeURIComponent(wellFormed(String(value ?? '')));
  return pairs.map(([name, value]) => `${part(name)}=${part(shortText(value))}`).join('&');
}

/** A lone surrogate cannot be `%`-escaped. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{FFFD}');
}

function shortText(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return (text ?? '').slice(0, 2000);
}

function bodyOf(name: ApiName, endpoint: Endpoint, material: Material): fc.Arbitrary<Buffer | null> {
  const raw = fc.constantFrom(...rawBodies);
  if (!endpoint.body)
    return fc.oneof({ weight: 15, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: raw });
  const right = arbitraryOf(endpoint.body, material.known);
  const value = fc.oneof({ weight: 4, arbitrary: right }, { weight: 5, arbitrary: broken(right) });
  const wrapped = fc.tuple(value, fc.boolean()).map(([body, isWrapped]) => {
    const tamed = material.tame(name, body);
    return Buffer.from(JSON.stringify(isWrapped ? { data: tamed } : tamed) ?? '');
  });
  return fc.oneof(
    { weight: 60, arbitrary: wrapped },
    { weight: 2, arbitrary: raw },
    { weight: 2, arbitrary: fc.constant(null) },
  );
}

function headersOf(tokens: readonly string[]): fc.Arbitrary<Readonly<Record<string, string>>> {
  const [root = '', ...others] = tokens;
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const strange: readonly Readonly<Record<string, string>>[] = [
    {},
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: `Bearer ${root.slice(0, -2)}xx` },
    { authorization: `bearer ${root}` },
    { authorization: `Bearer ${'a.'.repeat(2000)}` },
    { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.' },
    { cookie: `access_token_cookie=${root}` },
    { cookie: `access_token_cookie=${root}`, 'x-csrf-token': 'x' },
    { cookie: 'access_token_cookie=%ff; =; ;;; refresh_token_cookie' },
    { ...bearer(root), cookie: 'access_token_cookie=x' },
    { ...bearer(root), 'content-type': 'text/plain' },
    { ...bearer(root), 'content-type': 'application/json; charset=utf-7' },
    { ...bearer(root), 'content-type': 'multipart/form-data; boundary=x' },
    { ...bearer(root), origin: 'https://elsewhere.example' },
    { ...bearer(root), accept: 'text/html', 'accept-encoding': 'x', 'last-event-id': '-1' },
    { ...bearer(root), 'x-http-method-override': 'DELETE' },
  ];
  return fc.oneof(
    { weight: 40, arbitrary: fc.constant(bearer(root)) },
    { weight: 6, arbitrary: fc.constantFrom(...others.map(bearer)) },
    { weight: 4, arbitrary: fc.constantFrom(...strange) },
  );
}
