import { z } from 'zod';
import { api } from '../../contract/api.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ListQuery } from '../../contract/paging.ts';
import { apiPrefix } from './mount.ts';

type Json = { readonly [key: string]: unknown };

/** The description of the API (OpenAPI 3.1), made from the contract. */
export function openApiDocument(version: string): Json {
  const endpoints = Object.entries<Endpoint>(api);
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, endpoint] of endpoints) {
    const path = endpoint.path.replace(/:([a-z_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(name, endpoint) };
  }
  const tags = [...new Set(endpoints.map(([, endpoint]) => endpoint.tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Strongroom backup server',
      version,
      description:
        'Log in with `POST /auth/login`, press **Authorize** and enter its `access_token`. Every JSON answer has the form `{data, errors, is_error, message}`. A body may be sent flat or wrapped in `data`. Dates have no zone: they are local time of the server.',
    },
    servers: [{ url: apiPrefix }],
    tags: tags.map((name) => ({ name, ...(tagTexts[name] ? { description: tagTexts[name] } : {}) })),
    security: [{ bearer: [] }, { accessCookie: [], csrf: [] }],
    paths,
    components: { securitySchemes, schemas: { Problem: problem } },
  };
}

const tagTexts: Readonly<Record<string, string>> = {
  Auth: 'Log in, renew, log out',
  Extensions: 'What this server has beyond the common API; `GET /extensions` lists it by name',
};

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  accessCookie: { type: 'apiKey', in: 'cookie', name: 'access_token_cookie' },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-TOKEN',
    description: 'with cookies, for everything that changes something',
  },
};

const problem = {
  type: 'object',
  required: ['data', 'errors', 'is_error', 'message'],
  properties: {
    data: { type: 'null' },
    errors: { type: 'object', additionalProperties: { type: 'string' }, description: 'reason by field' },
    is_error: { const: true },
    message: { type: 'string' },
  },
};

function operation(name: string, endpoint: Endpoint): Json {
  return {
    operationId: name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.permission === 'public' ? { security: [] } : {}),
    ...descriptionOf(endpoint),
    parameters: parametersOf(name, endpoint),
    ...(endpoint.body ? { requestBody: requestBody(endpoint) } : {}),
    responses: responses(endpoint),
  };
}

function descriptionOf(endpoint: Endpoint): Json {
  const right = endpoint.permission;
  const sentences = [
    ...(right === null || right === 'public' ? [] : [`Needs the right \`${right}\`.`]),
    ...(endpoint.query === ListQuery
      ? ['Any field of the record may be a further parameter: only rows with this value are answered.']
      : []),
  ];
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
}

function parametersOf(name: string, endpoint: Endpoint): readonly Json[] {
  const own = [
    ...parameters(endpoint.params, 'path'),
    ...parameters(endpoint.query, 'query'),
    ...(endpoint.stream ? [header('Last-Event-ID', 'id of the last event that was seen')] : []),
  ];
  if (name !== 'auth.refresh') return own;
  const cookies = 'needed unless both cookies are sent';
  return [
    ...own,
    header('Authorization-Access-Token', `\`Bearer <access_token>\`, may be expired; ${cookies}`),
    header('Authorization', `\`Bearer <refresh_token>\`; ${cookies}`),
  ];
}

function header(name: string, description: string): Json {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } };
}

function parameters(schema: z.ZodType | undefined, place: 'path' | 'query'): readonly Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: parameterSchema(rest),
    };
  });
}

/** A number in an address arrives as text; what the caller means is the number. */
function parameterSchema(schema: Json): Json {
  const choices = schema.anyOf;
  if (!Array.isArray(choices)) return schema;
  return (choices as Json[]).find((choice) => choice.type === 'integer') ?? schema;
}

function requestBody(endpoint: Endpoint): Json {
  const schema = endpoint.body ? jsonSchema(endpoint.body, 'input') : {};
  const wrapped = { type: 'object', required: ['data'], properties: { data: schema } };
  return {
    required: true,
    content: { 'application/json': { schema: endpoint.wrap === 'data' ? wrapped : schema } },
  };
}

const refusalTexts: Readonly<Record<number, string>> = {
  400: 'the body or a parameter is not right, or the state of the object does not allow it',
  401: 'not logged in, or the token no longer counts',
  403: 'the role lacks the right',
  404: 'an object, or an id in the list, does not exist',
  422: 'the library holds a cartridge that is not registered',
};

function responses(endpoint: Endpoint): Json {
  const guarded = endpoint.permission === 'public' ? [] : [401, 403];
  const refused = [...new Set<number>([...guarded, ...endpoint.refuses])].sort();
  return {
    [String(endpoint.success)]: success(endpoint),
    ...Object.fromEntries((endpoint.alsoSuccess ?? []).map((code) => [String(code), partly])),
    ...Object.fromEntries(
      refused.map((code) => [
        String(code),
        { description: refusalTexts[code] ?? 'refused', content: problemContent },
      ]),
    ),
  };
}

const problemContent = { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } };
const partly = {
  description: 'done in part; `message` tells how much',
  content: { 'application/json': { schema: envelopeOf({}) } },
};

function success(endpoint: Endpoint): Json {
  if (endpoint.stream) {
    return {
      description: 'events as they happen',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    };
  }
  if (endpoint.success === 204) return { description: 'done' };
  return {
    description: 'done',
    ...(endpoint.list ? { headers: listHeaders } : {}),
    content: { 'application/json': { schema: envelopeOf(jsonSchema(endpoint.result, 'output')) } },
  };
}

const listHeaders = {
  'X-Total-Count': { description: 'number of all matching rows', schema: { type: 'integer' } },
  Link: { description: 'next and previous page (RFC 8288)', schema: { type: 'string' } },
};

function envelopeOf(data: Json): Json {
  return {
    type: 'object',
    required: ['data', 'errors', 'is_error', 'message'],
    properties: {
      data,
      errors: { type: 'object' },
      is_error: { type: 'boolean' },
      message: { type: 'string' },
    },
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return rest;
}
