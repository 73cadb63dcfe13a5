import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { apiReference } from '../../../backend/http/api-reference.ts';
import { openApiDocument } from '../../../backend/http/openapi.ts';
import { api } from '../../../contract/api.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: object;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

const document = JSON.parse(JSON.stringify(openApiDocument('0.0.0')));
const operations = Object.values<Record<string, Operation>>(document.paths).flatMap((path) =>
  Object.values(path),
);
const byName = new Map(operations.map((operation) => [operation.operationId, operation]));
const endpoints = Object.entries<Endpoint>(api).map(([name, endpoint]) => {
  const operation = byName.get(name);
  if (!operation) throw new Error(`${name} is not described`);
  return [name, endpoint, operation] as const;
});

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: 'doc' });

/** Checks `value` against a schema that may refer to the components of the document. */
function findings(schema: object, value: unknown): unknown {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components'));
  const check = ajv.compile(absolute);
  return check(value) ? [] : check.errors;
}

const jsonOf = (answer: Answer | undefined) => answer?.content?.['application/json'];
const bodyOf = (operation: Operation) => operation.requestBody?.content['application/json'];

describe('the description of the API', () => {
  it('is valid OpenAPI 3.1 to a public validator', async () => {
    const result = await new Validator().validate(document);
    expect(result.errors ?? []).toEqual([]);
    expect([result.valid, document.openapi]).toEqual([true, '3.1.0']);
  });

  it('describes each endpoint once, with the tags Auth and Extensions', () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(api).sort());
    const tags = document.tags.map(({ name }: { name: string }) => name);
    expect(tags).toEqual(expect.arrayContaining(['Auth', 'Extensions']));
    for (const { operationId, tags: own } of operations) {
      expect([operationId, own.length, tags.includes(own[0])]).toEqual([operationId, 1, true]);
    }
    for (const name of ['auth.login', 'auth.logout', 'auth.refresh', 'auth.permissions']) {
      expect(byName.get(name)?.tags).toEqual(['Auth']);
    }
  });

  it('offers the header and the cookie with its second token, and needs neither for the login', () => {
    expect(Object.keys(document.components.securitySchemes)).toEqual(['bearer', 'accessCookie', 'csrf']);
    expect(document.security).toEqual([{ bearer: [] }, { accessCookie: [], csrf: [] }]);
    for (const [name, { permission }, { security }] of endpoints) {
      expect([name, security]).toEqual([name, permission === 'public' ? [] : undefined]);
    }
  });

  it.each(endpoints)(
    '%s shows bodies that fit their schema, flat and wrapped',
    (_name, endpoint, operation) => {
      const media = bodyOf(operation);
      expect(media === undefined).toBe(endpoint.body === undefined);
      if (!media || !endpoint.body) return;
      const { flat, wrapped } = media.examples ?? {};
      expect(wrapped?.value).toEqual({ data: flat?.value });
      expect(Object.keys(media.examples ?? {})[0]).toBe(endpoint.wrap === 'data' ? 'wrapped' : 'flat');
      expect(findings(media.schema, flat?.value)).toEqual([]);
      expect(findings(media.schema, wrapped?.value)).toEqual([]);
      expect(endpoint.body.safeParse(flat?.value).error?.issues ?? []).toEqual([]);
      // An example that leaves fields out teaches nothing about them.
      expect(Object.keys(flat?.value as object).length).toBeGreaterThan(0);
    },
  );

  it.each(endpoints)('%s shows an answer that fits its schema', (_name, endpoint, operation) => {
    const answer = operation.responses[String(endpoint.success)];
    const media = jsonOf(answer);
    if (endpoint.success === 204) expect(answer?.content).toBeUndefined();
    if (endpoint.success === 204 || endpoint.stream) return;
    expect(findings(media?.schema ?? {}, media?.example)).toEqual([]);
    const { data } = (media?.example ?? {}) as { data?: unknown };
    expect(endpoint.result.safeParse(data).error?.issues ?? []).toEqual([]);
    if (endpoint.list) {
      expect(Object.keys(answer?.headers ?? {})).toEqual(['X-Total-Count', 'Link']);
      expect(data).toHaveLength(1);
    }
  });

  it.each(endpoints)('%s names every refusal that it can give', (_name, endpoint, operation) => {
    const guarded = endpoint.permission === 'public' ? [] : [401];
    const limited = guarded.length === 0 || endpoint.permission === null ? [] : [403];
    const codes = [
      endpoint.success,
      ...(endpoint.alsoSuccess ?? []),
      ...guarded,
      ...limited,
      ...endpoint.refuses,
    ];
    expect(Object.keys(operation.responses).map(Number)).toEqual([...new Set(codes)].sort((a, b) => a - b));
    for (const [code, { $ref, content }] of Object.entries(operation.responses)) {
      if (Number(code) < 400) continue;
      expect([code, content, typeof $ref]).toEqual([code, undefined, 'string']);
      const shared = document.components.responses[($ref ?? '').split('/').at(-1) ?? ''];
      expect(findings(jsonOf(shared)?.schema ?? {}, jsonOf(shared)?.example)).toEqual([]);
    }
  });

  it('tells what of the pools could not be removed', () => {
    const partly = jsonOf(byName.get('pools.deleteMany')?.responses['207']);
    expect(findings(partly?.schema ?? {}, partly?.example)).toEqual([]);
    expect(partly?.example).toMatchObject({ is_error: true, data: { failed: [{ id: 1 }] } });
  });
});

describe('the reference for readers', () => {
  it('has a chapter for each endpoint, with its right', () => {
    const text = apiReference();
    for (const [name, { method, path, permission }] of endpoints) {
      const heading = `\n### ${method} ${path.replace(/:([a-z_]+)/g, '{$1}')}\n`;
      expect([name, text.split(heading).length]).toEqual([name, 2]);
      const chapter = text.split(heading)[1]?.split('\n### ')[0] ?? '';
      if (permission !== null && permission !== 'public') expect(chapter).toContain(`\`${permission}\` (`);
      expect(chapter).not.toContain('undefined');
    }
  });
});
