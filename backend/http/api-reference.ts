import type { z } from 'zod';
import { api } from '../../contract/api.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ListQuery } from '../../contract/paging.ts';
import { roles } from '../../contract/permissions.ts';
import { apiPrefix } from './mount.ts';
import { refusedCodes } from './openapi-answers.ts';
import { exampleOf, type Json } from './openapi-examples.ts';
import { filterFields, rolesOf } from './openapi-operation.ts';
import { createSchemas, jsonSchema, type Schemas } from './openapi-schemas.ts';
import { fieldTable } from './reference-fields.ts';

/** docs/api.md: every endpoint for a person who reads, made from the contract. */
export function apiReference(): string {
  const schemas = createSchemas();
  const endpoints = Object.values<Endpoint>(api);
  const tags = [...new Set(endpoints.map(({ tag }) => tag))];
  return [
    introduction(endpoints.length),
    tags.map((tag) => `- [${tag}](#${anchor(tag)})`).join('\n'),
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      ...endpoints.filter((endpoint) => endpoint.tag === tag).map((endpoint) => chapter(endpoint, schemas)),
    ]),
  ]
    .join('\n\n')
    .concat('\n');
}

const introduction = (count: number) => `# The API

Made from the contract by \`npm run generate\`; do not edit it. ${count} endpoints below \`{base_url}${apiPrefix}\`. The interactive page is
at this very address, the OpenAPI description at \`${apiPrefix}/openapi.json\` and in [openapi.json](openapi.json).

- **Login**: \`POST /auth/login\`. Then send \`Authorization: Bearer <access_token>\`, or let the cookies do it and send
  \`X-CSRF-TOKEN\` with everything that changes something.
- **Answers**: \`{data, errors, is_error, message}\`. The answers below show \`data\`. 204 has no body.
- **Bodies** may be flat or wrapped in \`data\`; the examples show the usual form. In a PATCH only the fields that are sent change, \`null\` clears an
  optional one.
- **Lists** take \`page\`, \`limit\` (20 unless told, 500 at most), \`sort\`, \`order\`, \`search\` and any plain field of the record as a filter.
  \`X-Total-Count\` tells how many rows match, \`Link\` names the next and the previous page.
- **Refusals** come in this order: 401, 403, then 404 and 400. \`errors\` names the field and the reason.`;

const anchor = (heading: string) => heading.toLowerCase().replaceAll(' ', '-');

function chapter(endpoint: Endpoint, schemas: Schemas): string {
  const { method, path, summary } = endpoint;
  const parts = [
    `### ${method} ${path.replace(/:([a-z_]+)/g, '{$1}')}`,
    `${summary}.`,
    facts(endpoint),
    table('Path', endpoint.params),
    endpoint.query === ListQuery ? listParameters(endpoint, schemas) : table('Query', endpoint.query),
    table('Body', endpoint.body),
    example(endpoint, schemas),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function facts(endpoint: Endpoint): string {
  const codes = [endpoint.success, ...(endpoint.alsoSuccess ?? [])].join(', ');
  const refused = refusedCodes(endpoint).join(', ');
  return [
    `- Right: ${rightOf(endpoint)}`,
    `- Success: ${codes}`,
    ...(refused === '' ? [] : [`- Errors: ${refused}`]),
  ].join('\n');
}

function rightOf(endpoint: Endpoint): string {
  if (endpoint.permission === 'public') return 'none, no login is needed';
  if (endpoint.permission === null) return 'none, any login';
  const held = rolesOf(endpoint);
  const who = held.length === roles.length ? 'every role' : held.join(', ');
  return `\`${endpoint.permission}\` (${who})`;
}

function table(title: string, schema: z.ZodType | undefined): string {
  return schema ? fieldTable(title, jsonSchema(schema, 'input')) : '';
}

function listParameters(endpoint: Endpoint, schemas: Schemas): string {
  const fields = filterFields(endpoint, schemas).map(([field]) => `\`${field}\``);
  return `Query: \`page\`, \`limit\`, \`sort\`, \`order\`, \`search\`; filters ${fields.join(', ')}.`;
}

function example(endpoint: Endpoint, schemas: Schemas): string {
  const body = endpoint.body ? exampleOf(schemas.input(endpoint.body), schemas.components) : undefined;
  const sent = endpoint.wrap === 'data' ? { data: body } : body;
  const answered = endpoint.success !== 204 && !endpoint.stream;
  const data = answered ? exampleOf(schemas.output(endpoint.result), schemas.components) : undefined;
  return [
    ...(body === undefined ? [] : [block('Request', sent as Json)]),
    ...(data === undefined ? [] : [block('Answer', data)]),
  ].join('\n\n');
}

function block(title: string, value: unknown): string {
  return `${title}:\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
