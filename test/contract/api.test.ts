import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { api } from '../../contract/api.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ListQuery } from '../../contract/paging.ts';
import { allPermissions } from '../../contract/permissions.ts';

const endpoints = Object.entries<Endpoint>(api);

describe('the list of endpoints', () => {
  it('has each method and path once', () => {
    const routes = endpoints.map(([, { method, path }]) => `${method} ${path.replace(/:\w+/g, ':')}`);
    expect(routes).toEqual([...new Set(routes)]);
  });

  it.each(endpoints)('%s names exactly the parameters of its path', (_name, { path, params }) => {
    const inPath = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]);
    const declared = params instanceof z.ZodObject ? Object.keys(params.shape) : [];
    expect(declared).toEqual(inPath);
  });

  it.each(endpoints)(
    '%s has a body only where one is allowed, with the form that is sent',
    (_name, endpoint) => {
      if (endpoint.method === 'GET') expect(endpoint.body).toBeUndefined();
      expect(endpoint.wrap === undefined).toBe(endpoint.body === undefined);
    },
  );

  it.each(endpoints)('%s asks for a right that exists', (_name, { permission }) => {
    if (permission !== null && permission !== 'public') expect(allPermissions).toContain(permission);
  });

  it.each(endpoints)('%s refuses 404 exactly where an object is addressed', (_name, endpoint) => {
    if (endpoint.params) expect(endpoint.refuses).toContain(404);
    if (endpoint.body || endpoint.query) expect(endpoint.refuses).toContain(400);
  });

  it.each(endpoints.filter(([, { list }]) => list))(
    '%s answers rows and takes page and limit',
    (_name, endpoint) => {
      expect(endpoint.method).toBe('GET');
      expect(endpoint.result).toBeInstanceOf(z.ZodArray);
      expect(endpoint.query?.safeParse({ page: '2', limit: '500' }).success).toBe(true);
      expect(endpoint.query?.safeParse({ page: '0' }).success).toBe(false);
      expect(endpoint.query?.safeParse({ limit: '501' }).success).toBe(false);
    },
  );

  it.each(endpoints.filter(([name]) => name.endsWith('.list') && name !== 'extensions.list'))(
    '%s has the uniform list parameters',
    (_name, endpoint) => {
      expect(endpoint.list).toBe(true);
      expect(endpoint.query).toBe(ListQuery);
    },
  );

  it.each(endpoints)('%s can be described as JSON schema without a default', (_name, endpoint) => {
    const inputs = [endpoint.params, endpoint.query, endpoint.body].filter((schema) => schema !== undefined);
    const described = inputs.map((schema) => z.toJSONSchema(schema, { io: 'input' }));
    expect(z.toJSONSchema(endpoint.result, { io: 'output' })).toBeTypeOf('object');
    // A default would fire on a PATCH that leaves the field out, and so reset it.
    expect(JSON.stringify(described)).not.toContain('"default":');
  });

  it.each(endpoints.filter(([, { method }]) => method === 'PATCH'))(
    '%s may be sent without any field that is optional',
    (name, endpoint) => {
      const isOneSwitch = ['configuration.serviceMode', 'repository.endExpiryHold'].includes(name);
      if (isOneSwitch) expect(endpoint.body?.safeParse({}).success).toBe(false);
      else expect(endpoint.body?.safeParse({}).success).toBe(true);
    },
  );

  it.each(endpoints.filter(([, { body }]) => body))(
    '%s refuses unknown body fields unless it ignores them',
    (_name, endpoint) => {
      const issues = endpoint.body?.safeParse({ surely_unknown: 1 }).error?.issues ?? [];
      const named = issues.some((issue) => issue.code === 'unrecognized_keys');
      expect(named).toBe(endpoint.unknownFields !== 'ignore');
    },
  );

  it('ignores unknown fields for pools only', () => {
    const ignoring = endpoints.filter(([, { unknownFields }]) => unknownFields === 'ignore');
    expect(ignoring.map(([name]) => name)).toEqual(['pools.create', 'pools.update']);
  });

  it('keeps the two task families apart: changes answer 200 here and 204 there (case 129)', () => {
    const codes = (prefix: string) =>
      endpoints
        .filter(([name, { method }]) => name.startsWith(prefix) && method !== 'GET')
        .map(([, { success }]) => success);
    expect(new Set(codes('taskQueue.'))).toEqual(new Set([200, 201]));
    expect(new Set(codes('tasks.'))).toEqual(new Set([204]));
  });
});

describe('lists of ids', () => {
  const body = api['clients.deleteMany'].body;
  it.each([
    [undefined],
    [[]],
    ['1'],
    [[0]],
    [[1.5]],
    [['1']],
    [Array.from({ length: 1001 }, (_, i) => i + 1)],
  ])('refuse %j', (ids) => expect(body.safeParse({ ids }).success).toBe(false));
  it('hold up to 1,000 ids', () => {
    expect(body.safeParse({ ids: Array.from({ length: 1000 }, (_, i) => i + 1) }).success).toBe(true);
  });
});

describe('ids in paths', () => {
  const params = api['clients.get'].params;
  it.each(['0', '0x10', '1e3', ' 7', '-1', '1.0', '', '9999999999999999', '٣'])('refuse %j', (id) => {
    expect(params.safeParse({ id }).success).toBe(false);
  });
  it('are digits, as text or number', () => {
    expect(params.parse({ id: '12' })).toEqual({ id: 12 });
    expect(params.parse({ id: 12 })).toEqual({ id: 12 });
  });
  it('of a queued task may also be a status', () => {
    expect(api['taskQueue.deleteOne'].params.parse({ id: 'error' })).toEqual({ id: 'error' });
    expect(api['taskQueue.deleteOne'].params.parse({ id: 7 })).toEqual({ id: '7' });
  });
});

describe('the older spelling of the resource type', () => {
  const query = api['tasks.extensions'].query;
  it('is accepted beside the right one', () => {
    expect(query.safeParse({ resourse_type: 'File system' }).success).toBe(true);
    expect(query.safeParse({ resource_type: 'File system' }).success).toBe(true);
  });
  it('is named when both are missing', () => {
    expect(query.safeParse({}).error?.issues[0]?.path).toEqual(['resourse_type']);
  });
});
