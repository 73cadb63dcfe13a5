import type { z } from 'zod';
import { t } from '../texts/index.ts';

/**
 * Reads an answer by its declaration, but forgives what servers in the field do: fields that are missing or null become
 * null, fields beyond the declaration are kept, unknown words of a list stay, limits and formats are not checked,
 * digits may come as text, sizes beyond 2^53 are rounded. What remains, an id beyond that or a text where a record
 * belongs, is a `WrongShape` that names the place.
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

/** Names and indexes on the way to what is read now, for the words of a `WrongShape`. */
type Path = (string | number)[];
type Reader = (value: unknown, path: Path) => unknown;

const mostDepth = 64;
/** A page of a list is thousands of values: each declaration is understood once, and what needs no change is not copied. */
const readers = new WeakMap<z.ZodType, Reader>();

/** `value` itself stays as it is; where all of it is as declared, it is the answer. */
export function readTolerantly(schema: z.ZodType, value: unknown): unknown {
  return readerOf(schema)(value, []);
}

function readerOf(schema: z.ZodType): Reader {
  const known = readers.get(schema);
  if (known) return known;
  let made: Reader | undefined;
  // Made when it is first needed: a declaration may hold itself.
  const reader: Reader = (value, path) => {
    made ??= makeReader(schema);
    return value === null || value === undefined ? null : made(value, path);
  };
  readers.set(schema, reader);
  return reader;
}

/** For what is neither null nor missing. */
function makeReader(schema: z.ZodType): Reader {
  const def = schema.def as unknown as Def;
  const inner = def.innerType ?? def.in ?? def.left ?? def.getter?.();
  // Wrappers (optional, nullable, default, pipe, lazy …) say nothing about the shape beyond what they hold.
  if (inner) return readerOf(inner);
  switch (def.type) {
    case 'object':
      return objectReader(def.shape ?? {});
    case 'array':
      return arrayReader(def.element ? readerOf(def.element) : asItIs);
    case 'record':
      return recordReader(def.valueType ? readerOf(def.valueType) : asItIs);
    case 'union':
      return unionReader((def.options ?? []).map(readerOf));
    case 'string':
    case 'enum':
      return readText;
    case 'number':
      return readNumber;
    case 'boolean':
      return readBoolean;
    case 'null':
      // Servers differ in what they say when there is nothing to say.
      return () => null;
    default:
      return asItIs;
  }
}

const asItIs: Reader = (value) => value;

function objectReader(shape: Readonly<Record<string, z.ZodType>>): Reader {
  const fields = Object.entries(shape).map(
    ([name, field]) => [name, isIdName(name) ? exact(readerOf(field)) : readerOf(field)] as const,
  );
  return (value, path) => {
    if (!isRecord(value)) throw new WrongShape(t('answers.shape.noRecord', { place: placeOf(path) }));
    let changed: Record<string, unknown> | null = withoutPrototype(value);
    for (const [name, readField] of fields) {
      const own = Object.hasOwn(value, name) ? value[name] : undefined;
      const read = readWithin(readField, own, name, path);
      if (read === own) continue;
      changed ??= { ...value };
      changed[name] = read;
    }
    return changed ?? value;
  };
}

const isIdName = (name: string): boolean => name === 'id' || name.endsWith('_id');

/** A size may be rounded; a rounded id would name another object, and an act would meet that one. */
function exact(read: Reader): Reader {
  return (value, path) => {
    const result = read(value, path);
    if (typeof result === 'number' && !Number.isSafeInteger(result))
      throw new WrongShape(t('answers.shape.inexact', { place: placeOf(path) }));
    return result;
  };
}

function arrayReader(readItem: Reader): Reader {
  return (value, path) => {
    if (!Array.isArray(value)) throw new WrongShape(t('answers.shape.noList', { place: placeOf(path) }));
    let changed: unknown[] | null = null;
    for (let index = 0; index < value.length; index += 1) {
      const read = readWithin(readItem, value[index], index, path);
      if (read === value[index]) continue;
      changed ??= value.slice();
      changed[index] = read;
    }
    return changed ?? value;
  };
}

function recordReader(readItem: Reader): Reader {
  return (value, path) => {
    if (!isRecord(value)) throw new WrongShape(t('answers.shape.noRecord', { place: placeOf(path) }));
    let changed = withoutPrototype(value);
    for (const [name, item] of Object.entries(changed ?? value)) {
      const read = readWithin(readItem, item, name, path);
      if (read === item) continue;
      changed ??= { ...value };
      changed[name] = read;
    }
    return changed ?? value;
  };
}

/** The form that has the value as it is, else the first that fits; when none does, the complaint of the last one. */
function unionReader(options: readonly Reader[]): Reader {
  return (value, path) => {
    const depth = path.length;
    let complaint: WrongShape | undefined;
    let read: { readonly as: unknown } | undefined;
    for (const option of options) {
      try {
        const as = option(value, path);
        // A plain value is the option that has it as it is: 0 is a number there, not the boolean of another option.
        if (as === value || isComposed(value)) return as;
        read ??= { as };
      } catch (error) {
        if (!(error instanceof WrongShape)) throw error;
        path.length = depth;
        complaint = error;
      }
    }
    if (read !== undefined) return read.as;
    throw complaint ?? new WrongShape(t('answers.shape.unknown', { place: placeOf(path) }));
  };
}

const isComposed = (value: unknown): boolean => typeof value === 'object' && value !== null;

function readWithin(read: Reader, value: unknown, name: string | number, path: Path): unknown {
  if (path.length >= mostDepth) throw new WrongShape(t('answers.shape.deep', { place: placeOf(path) }));
  path.push(name);
  const result = read(value, path);
  path.pop();
  return result;
}

function readText(value: unknown, path: Path): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new WrongShape(t('answers.shape.noText', { place: placeOf(path) }));
}

function readNumber(value: unknown, path: Path): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^-?\d{1,20}(\.\d{1,6})?$/.test(value)) return Number(value);
  throw new WrongShape(t('answers.shape.noNumber', { place: placeOf(path) }));
}

function readBoolean(value: unknown, path: Path): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 'true') return true;
  if (value === 0 || value === 'false') return false;
  throw new WrongShape(t('answers.shape.noBoolean', { place: placeOf(path) }));
}

function placeOf(path: Path): string {
  return path.reduce<string>(
    (place, step) => (typeof step === 'number' ? `${place}[${step}]` : `${place}.${step}`),
    'data',
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy without the key that would reach the prototype; null where there is no such key. */
function withoutPrototype(value: Readonly<Record<string, unknown>>): Record<string, unknown> | null {
  if (!Object.hasOwn(value, '__proto__')) return null;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== '__proto__'));
}
