import type { z } from 'zod';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ListQuery } from '../../contract/paging.ts';
import { permissionsOf, roles } from '../../contract/permissions.ts';
import { answersOf } from './openapi-answers.ts';
import { exampleOf, type Json, typeOf } from './openapi-examples.ts';
import { jsonSchema, type Schemas } from './openapi-schemas.ts';

export function createOperations(schemas: Schemas): (name: string, endpoint: Endpoint) => Json {
  return (name, endpoint) => ({
    operationId: name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.permission === 'public' ? { security: [] } : {}),
    ...descriptionOf(endpoint),
    parameters: parametersOf(name, endpoint, schemas),
    ...(endpoint.body ? { requestBody: requestBody(endpoint, endpoint.body, schemas) } : {}),
    responses: answersOf(endpoint, schemas),
  });
}

/** Roles that hold the right that the endpoint asks for; all of them where it asks for none. */
export function rolesOf({ permission }: Endpoint): readonly string[] {
  if (permission === null || permission === 'public') return roles;
  return roles.filter((role) => permissionsOf([role]).includes(permission));
}

function descriptionOf(endpoint: Endpoint): Json {
  const right = endpoint.permission;
  const sentences = [
    ...(right === null || right === 'public'
      ? []
      : [`Needs the right \`${right}\` (${rolesOf(endpoint).join(', ')}).`]),
    ...(endpoint.query === ListQuery
      ? ['A field of the record as parameter: only rows with this value are answered.']
      : []),
    ...(endpoint.unknownFields === 'ignore'
      ? ['Fields that are unknown or do not fit the type are ignored.']
      : []),
  ];
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
}

function parametersOf(name: string, endpoint: Endpoint, schemas: Schemas): readonly Json[] {
  const own = [
    ...parameters(endpoint.params, 'path'),
    ...parameters(endpoint.query, 'query'),
    ...filters(endpoint, schemas),
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

/** The plain fields of a list's record: each is an equality filter. */
export function filterFields(endpoint: Endpoint, schemas: Schemas): readonly (readonly [string, Json])[] {
  if (endpoint.query !== ListQuery) return [];
  const { items = {} } = schemas.output(endpoint.result) as { readonly items?: Json };
  const name = String(items.$ref ?? '').replace('#/components/schemas/', '');
  const record = schemas.components[name] ?? items;
  const own = new Set(Object.keys(ListQuery.shape));
  return Object.entries((record.properties ?? {}) as Readonly<Record<string, Json>>)
    .filter(([field]) => !own.has(field))
    .map(([field, schema]) => [field, plainForm(schema)] as const)
    .filter((entry): entry is readonly [string, Json] => entry[1] !== undefined);
}

function filters(endpoint: Endpoint, schemas: Schemas): readonly Json[] {
  return filterFields(endpoint, schemas).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function plainForm(schema: Json): Json | undefined {
  const choices = (schema.anyOf ?? [schema]) as readonly Json[];
  const plain = choices.find((choice) => choice.type !== 'null') ?? schema;
  const type = typeOf(plain);
  if (!['string', 'integer', 'number', 'boolean'].includes(String(type))) return undefined;
  const description = schema.description ?? plain.description;
  return { type, ...(description === undefined ? {} : { description }) };
}

/** Both forms, the one of the specification first. */
function requestBody(endpoint: Endpoint, body: z.ZodType, schemas: Schemas): Json {
  const flat = schemas.input(body);
  const example = exampleOf(flat, schemas.components);
  const forms = [
    { name: 'flat', schema: flat, value: example },
    {
      name: 'wrapped',
      schema: { type: 'object', required: ['data'], properties: { data: flat }, additionalProperties: false },
      value: { data: example },
    },
  ];
  const ordered = endpoint.wrap === 'data' ? forms.toReversed() : forms;
  return {
    required: true,
    content: {
      'application/json': {
        schema: { anyOf: ordered.map(({ schema }) => schema) },
        examples: Object.fromEntries(
          ordered.map(({ name, value }) => [name, { summary: `the ${name} form`, value }]),
        ),
      },
    },
  };
}
