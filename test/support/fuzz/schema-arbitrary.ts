import fc from 'fast-check';
import { z } from 'zod';

/** The part of JSON Schema that the contract's schemas make. */
interface Json {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly allOf?: readonly Json[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly items?: Json;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** Values that mean something to the server, by the name of the field; so that many requests get far. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

/** Values that a schema accepts, mostly: what no schema can say (names of objects) comes from `known`. */
export function arbitraryOf(schema: z.ZodType, known: Known): fc.Arbitrary<unknown> {
  return fromJson(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json, '', known);
}

function fromJson(schema: Json, field: string, known: Known): fc.Arbitrary<unknown> {
  const meant = Object.hasOwn(known, field) ? known[field] : undefined;
  const plain = plainOf(schema, field, known);
  if (meant === undefined || meant.length === 0) return plain;
  return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...meant) }, { weight: 1, arbitrary: plain });
}

function plainOf(schema: Json, field: string, known: Known): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => fromJson(choice, field, known)));
  if (schema.allOf !== undefined) return fromJson(Object.assign({}, ...schema.allOf) as Json, field, known);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  switch (type) {
    case 'object':
      return objectOf(schema, known);
    case 'array':
      return fc.array(fromJson(schema.items ?? {}, field, known), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      });
    case 'integer':
    case 'number':
      return integerOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return textOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function objectOf(schema: Json, known: Known): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, inner]) => [name, fromJson(inner, name, known)] as const,
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])] });
}

function integerOf(schema: Json): fc.Arbitrary<number> {
  const min = Math.max(schema.minimum ?? 0, -2_147_483_648);
  const max = Math.max(min, Math.min(schema.maximum ?? 1000, 2_147_483_647));
  return fc.oneof(
    fc.integer({ min, max }),
    fc.integer({ min, max: Math.min(max, min + 10) }),
    fc.constant(max),
  );
}

function textOf(schema: Json): fc.Arbitrary<string> {
  const texts = (schema.examples ?? []).filter((example) => typeof example === 'string');
  const free = fc.oneof(
    fc.string({ maxLength: Math.min(schema.maxLength ?? 30, 30) }),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  return texts.length === 0 ? free : fc.oneof(fc.constantFrom(...texts), free);
}
