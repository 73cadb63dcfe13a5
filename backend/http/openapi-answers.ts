import type { Endpoint } from '../../contract/endpoint.ts';
import { exampleOf, type Json } from './openapi-examples.ts';
import type { Schemas } from './openapi-schemas.ts';

const refusals: Readonly<
  Record<number, { readonly name: string; readonly text: string; readonly sample: Json }>
> = {
  400: {
    name: 'BadRequest',
    text: 'the body or a parameter is not right, or the state of the object does not allow it',
    sample: {
      errors: { page: 'must be a whole number, 1 or more' },
      message: 'page must be a whole number, 1 or more.',
    },
  },
  401: {
    name: 'Unauthorized',
    text: 'not logged in, or the token no longer counts',
    sample: { errors: {}, message: 'Log in first.' },
  },
  403: {
    name: 'Forbidden',
    text: 'the role lacks the right',
    sample: {
      errors: { permission: 'pools.write' },
      message: 'Your role does not include the right pools.write.',
    },
  },
  404: {
    name: 'NotFound',
    text: 'an object, or an id in the list, does not exist',
    sample: { errors: { id: 'not found' }, message: 'There is no object with this id.' },
  },
  422: {
    name: 'UnregisteredCartridge',
    text: 'the library holds a cartridge that is not registered',
    sample: { errors: { barcode: 'STR001L8' }, message: 'The cartridge STR001L8 is not registered.' },
  },
};

/** `components/responses`: every refusal once. */
export const sharedResponses: Json = Object.fromEntries(
  Object.values(refusals).map(({ name, text, sample }) => [
    name,
    {
      description: text,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Problem' },
          example: { data: null, is_error: true, ...sample },
        },
      },
    },
  ]),
);

/** All status codes that the endpoint can answer with a refusal, ascending. */
export function refusedCodes(endpoint: Endpoint): readonly number[] {
  const { permission } = endpoint;
  const guarded = permission === 'public' ? [] : [401];
  const limited = permission === 'public' || permission === null ? [] : [403];
  return [...new Set<number>([...guarded, ...limited, ...endpoint.refuses])].sort((a, b) => a - b);
}

export function answersOf(endpoint: Endpoint, schemas: Schemas): Json {
  return {
    [String(endpoint.success)]: success(endpoint, schemas),
    ...Object.fromEntries(
      (endpoint.alsoSuccess ?? []).map((code) => [
        String(code),
        {
          description: 'done in part, or not at all; `message` tells how much, `data` what failed and why',
          content: answerContent(endpoint, schemas, { is_error: true, message: '1 removed, 1 refused.' }),
        },
      ]),
    ),
    ...Object.fromEntries(
      refusedCodes(endpoint).map((code) => [
        String(code),
        { $ref: `#/components/responses/${refusals[code]?.name ?? 'BadRequest'}` },
      ]),
    ),
  };
}

function success(endpoint: Endpoint, schemas: Schemas): Json {
  if (endpoint.stream) {
    return {
      description: 'events as they happen, until the caller leaves',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    };
  }
  if (endpoint.success === 204) return { description: 'done; the answer has no body' };
  return {
    description: endpoint.success === 201 ? 'created' : 'done',
    ...(endpoint.list ? { headers: listHeaders } : {}),
    content: answerContent(endpoint, schemas, { is_error: false, message: '' }),
  };
}

const listHeaders = {
  'X-Total-Count': { description: 'number of all matching rows', schema: { type: 'integer' } },
  Link: {
    description: 'next and previous page (RFC 8288), when a page was asked for',
    schema: { type: 'string' },
  },
};

function answerContent(
  endpoint: Endpoint,
  schemas: Schemas,
  outcome: { readonly is_error: boolean; readonly message: string },
): Json {
  const data = schemas.output(endpoint.result);
  return {
    'application/json': {
      schema: {
        type: 'object',
        required: ['data', 'errors', 'is_error', 'message'],
        properties: {
          data,
          errors: { type: 'object', additionalProperties: { type: 'string' } },
          is_error: { type: 'boolean' },
          message: { type: 'string' },
        },
      },
      example: { data: exampleOf(data, schemas.components), errors: {}, ...outcome },
    },
  };
}
