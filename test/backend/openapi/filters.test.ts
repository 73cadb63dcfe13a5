import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApiDocument } from '../../../backend/http/openapi.ts';
import { api } from '../../../contract/api.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: { readonly type?: string };
}

const document = openApiDocument('0.0.0') as {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters: readonly Parameter[] }>>>
  >;
};
const lists = Object.entries<Endpoint>(api).filter(
  ([name, { list, params }]) => list && !params && name.endsWith('.list'),
);

let backend: TestApp;
let root: Session;
beforeAll(async () => {
  backend = await startTestApp();
  root = await backend.loginAs('superuser');
});
afterAll(() => backend.close());

const samples: Readonly<Record<string, string>> = {
  integer: '7',
  number: '7',
  boolean: 'true',
  string: 'text',
};

function sampleOf({ description, schema }: Parameter): string {
  if (description?.startsWith('ISO 8601')) return '2030-01-31T23:59:59';
  return samples[schema.type ?? 'string'] ?? '';
}

it.each(lists)('%s takes every parameter that its description names', async (_name, { path }) => {
  const described = document.paths[path]?.get?.parameters ?? [];
  expect(described.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['page', 'limit', 'sort', 'order', 'search', 'id']),
  );
  const own = new Set(['page', 'limit', 'sort', 'order', 'search']);
  for (const parameter of described.filter(({ name }) => !own.has(name))) {
    const { name } = parameter;
    const asked = `${path}?${name}=${sampleOf(parameter)}`;
    const answer = await root.send('GET', asked);
    expect([asked, answer.status, answer.body.errors]).toEqual([asked, 200, {}]);
    const sorted = await root.send('GET', `${path}?sort=${name}&order=desc`);
    expect([name, sorted.status]).toEqual([name, 200]);
  }
});
