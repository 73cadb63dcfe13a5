import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../backend/http/openapi.ts';

interface Described {
  readonly $ref?: string;
  readonly content?: { readonly 'application/json'?: { readonly schema: object } };
}

const document = JSON.parse(JSON.stringify(openApiDocument('0.0.0'))) as {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Described>> }>>>
  >;
  readonly components: { readonly responses: Readonly<Record<string, Described>> };
};
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: 'doc' });
const compiled = new Map<string, ValidateFunction>();

/** Names of parameters do not matter: `/pools/{pool_id}` is `/pools/{id}`. */
const shapeOf = (path: string) => path.replace(/\{[a-z_]+\}/g, '{}');
const operations = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => [
      `${method.toUpperCase()} ${shapeOf(path)}`,
      responses,
    ]),
  ),
);

/** Why this answer is not one that the API's description promises; `null` when it is. */
export function whyNotDescribed(row: string, status: number, body: unknown): string | null {
  const answer = operations.get(shapeOf(row))?.[String(status)];
  if (!answer) return `${row}: ${status} is not described`;
  const shared = answer.$ref && document.components.responses[answer.$ref.split('/').at(-1) ?? ''];
  const schema = (shared || answer).content?.['application/json']?.schema;
  if (!schema) return body === null ? null : `${row}: ${status} has a body that is not described`;
  const text = JSON.stringify(schema).replaceAll('"#/components', '"doc#/components');
  const check = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, check);
  return check(body)
    ? null
    : `${row}: ${status} differs from its description: ${ajv.errorsText(check.errors)}`;
}
