import type { z } from 'zod';
import { t } from '../texts/index.ts';

/**
 * Reads an answer by its declaration, but forgives what servers in the field do: fields that are missing or null become
 * null, fields beyond the declaration are kept, unknown words of a list stay, limits and formats are not checked,
 * digits may come as text. What remains, a text where a record belongs, is a `WrongShape` that names the place.
 */
export class WrongShape extends Error {
  override readonly name = 'WrongShape';
}

type Def = {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly valueType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly left?: z.ZodType;
  readonly getter?: () => z.ZodType;
};

const mostDepth = 64;

export function readTolerantly(schema: z.ZodType, value: unknown, place = 'data', depth = 0): unknown {
  if (depth > mostDepth) throw new WrongShape(t('answers.shape.deep', { place }));
  const def = schema.def as unknown as Def;
  const inner = def.innerType ?? def.in ?? def.left ?? def.getter?.();
  // Wrappers (optional, nullable, default, pipe, lazy …) say nothing about the shape beyond what they hold.
  if (inner)
    return value === null || value === undefined ? null : readTolerantly(inner, value, place, depth + 1);
  if (value === null || value === undefined) return null;
  switch (def.type) {
    case 'object':
      return readObject(def, value, place, depth);
    case 'array':
      return readArray(def, value, place, depth);
    case 'record':
      return readRecord(def, value, place, depth);
    case 'union':
      return readUnion(def, value, place, depth);
    case 'string':
    case 'enum':
      return readText(value, place);
    case 'number':
      return readNumber(value, place);
    case 'boolean':
      return readBoolean(value, place);
    case 'null':
      // Servers differ in what they say when there is nothing to say.
      return null;
    default:
      return value;
  }
}

function readObject(def: Def, value: unknown, place: string, depth: number): unknown {
  if (!isRecord(value)) throw new WrongShape(t('answers.shape.noRecord', { place }));
  const read: Record<string, unknown> = Object.create(null);
  for (const [name, field] of Object.entries(value)) read[name] = field;
  for (const [name, field] of Object.entries(def.shape ?? {})) {
    const own = Object.hasOwn(value, name) ? value[name] : null;
    read[name] = readTolerantly(field, own, `${place}.${name}`, depth + 1);
  }
  return plain(read);
}

function readArray(def: Def, value: unknown, place: string, depth: number): unknown {
  if (!Array.isArray(value)) throw new WrongShape(t('answers.shape.noList', { place }));
  const { element } = def;
  if (!element) return value;
  return value.map((item, index) => readTolerantly(element, item, `${place}[${index}]`, depth + 1));
}

function readRecord(def: Def, value: unknown, place: string, depth: number): unknown {
  if (!isRecord(value)) throw new WrongShape(t('answers.shape.noRecord', { place }));
  const { valueType } = def;
  if (!valueType) return value;
  const read: Record<string, unknown> = Object.create(null);
  for (const [name, item] of Object.entries(value))
    read[name] = readTolerantly(valueType, item, `${place}.${name}`, depth + 1);
  return plain(read);
}

/** The first form that fits; when none does, the complaint of the last one. */
function readUnion(def: Def, value: unknown, place: string, depth: number): unknown {
  let complaint: WrongShape | undefined;
  for (const option of def.options ?? []) {
    try {
      return readTolerantly(option, value, place, depth + 1);
    } catch (error) {
      if (!(error instanceof WrongShape)) throw error;
      complaint = error;
    }
  }
  throw complaint ?? new WrongShape(t('answers.shape.unknown', { place }));
}

function readText(value: unknown, place: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new WrongShape(t('answers.shape.noText', { place }));
}

function readNumber(value: unknown, place: string): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^-?\d{1,15}(\.\d{1,6})?$/.test(value)) return Number(value);
  throw new WrongShape(t('answers.shape.noNumber', { place }));
}

function readBoolean(value: unknown, place: string): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 'true') return true;
  if (value === 0 || value === 'false') return false;
  throw new WrongShape(t('answers.shape.noBoolean', { place }));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An ordinary object again; a key that would reach the prototype is left out. */
function plain(read: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(read).filter(([name]) => name !== '__proto__'));
}
