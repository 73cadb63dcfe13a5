import { api } from '../../contract/api.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { apiPrefix } from './mount.ts';
import { sharedResponses } from './openapi-answers.ts';
import type { Json } from './openapi-examples.ts';
import { createOperations } from './openapi-operation.ts';
import { createSchemas } from './openapi-schemas.ts';

/** The description of the API (OpenAPI 3.1), made from the contract. */
export function openApiDocument(version: string): Json {
  const endpoints = Object.entries<Endpoint>(api);
  const schemas = createSchemas();
  const operation = createOperations(schemas);
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, endpoint] of endpoints) {
    const path = endpoint.path.replace(/:([a-z_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(name, endpoint) };
  }
  const tags = [...new Set(endpoints.map(([, endpoint]) => endpoint.tag))];
  return {
    openapi: '3.1.0',
    info: { title: 'Strongroom backup server', version, description: introduction },
    servers: [{ url: apiPrefix }],
    tags: tags.map((name) => ({ name, ...(tagTexts[name] ? { description: tagTexts[name] } : {}) })),
    security: [{ bearer: [] }, { accessCookie: [], csrf: [] }],
    paths,
    components: {
      securitySchemes,
      schemas: { ...schemas.components, Problem: problem },
      responses: sharedResponses,
    },
  };
}

const introduction = [
  'Log in with `POST /auth/login`, press **Authorize** and enter its `access_token` under `bearer`: it counts 15 minutes, then `POST /auth/refresh` gives new ones.',
  'Every JSON answer has the form `{data, errors, is_error, message}`; an answer 204 has no body.',
  'A body may be sent flat or wrapped in `data`. In a PATCH only the fields that are sent change, and `null` clears an optional one.',
  'Dates have no zone: they are local time of the server.',
  'Refused calls are checked in this order: 401, 403, then 404 and 400.',
].join('\n\n');

const tagTexts: Readonly<Record<string, string>> = {
  Auth: 'Log in, renew, log out, and the connection to a domain controller',
  Extensions: 'What this server has beyond the common API; `GET /extensions` lists it by name',
};

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: '`access_token` of the login. Needs nothing else.',
  },
  accessCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'access_token_cookie',
    description: 'Set by the login. A page cannot read or set it; the browser sends it by itself.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-TOKEN',
    description: '`csrf_token` of the login: needed with the cookie, for everything that changes something.',
  },
};

const problem = {
  type: 'object',
  required: ['data', 'errors', 'is_error', 'message'],
  properties: {
    data: { type: 'null' },
    errors: { type: 'object', additionalProperties: { type: 'string' }, description: 'reason by field' },
    is_error: { const: true },
    message: { type: 'string', description: 'one sentence for a person' },
  },
};
