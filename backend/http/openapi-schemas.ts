import { z } from 'zod';
import { api } from '../../contract/api.ts';
import { Session } from '../../contract/auth/auth.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { CreatedId, CreatedTask, IdsBody, RemovedIds } from '../../contract/records.ts';
import { TaskExtension } from '../../contract/tasks/task.ts';
import type { Json } from './openapi-examples.ts';

/**
 * The contract's schemas as JSON schemas. What several endpoints answer or take stands once under
 * `components/schemas` with a name, so that a generated client has one type for it.
 */
export interface Schemas {
  /** A reference, where the schema has a name; otherwise the schema itself. */
  input(schema: z.ZodType): Json;
  output(schema: z.ZodType): Json;
  readonly components: Readonly<Record<string, Json>>;
}

export function createSchemas(): Schemas {
  const names = sharedNames();
  const components: Record<string, Json> = {};
  for (const [schema, { name, io }] of names) components[name] = jsonSchema(schema, io);
  const reference = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const named = names.get(schema);
    if (named?.io === io) return { $ref: `#/components/schemas/${named.name}` };
    if (io === 'output' && schema instanceof z.ZodArray) {
      return { type: 'array', items: reference(schema.element as z.ZodType, io) };
    }
    return jsonSchema(schema, io);
  };
  return {
    input: (schema) => reference(schema, 'input'),
    output: (schema) => reference(schema, 'output'),
    components,
  };
}

interface Named {
  readonly name: string;
  readonly io: 'input' | 'output';
}

const everywhere: readonly (readonly [z.ZodType, Named])[] = [
  [IdsBody, { name: 'Ids', io: 'input' }],
  [RemovedIds, { name: 'RemovedIds', io: 'output' }],
  [CreatedId, { name: 'CreatedId', io: 'output' }],
  [CreatedTask, { name: 'CreatedTask', io: 'output' }],
  [Session, { name: 'Session', io: 'output' }],
  [TaskExtension, { name: 'ResourceTypeExtension', io: 'output' }],
];

/** Records that more than one endpoint answers, named after the shortest of their groups (`tasks.get` → `Task`). */
function sharedNames(): ReadonlyMap<z.ZodType, Named> {
  const groups = new Map<z.ZodType, string[]>();
  for (const [endpointName, { result }] of Object.entries<Endpoint>(api)) {
    const record = result instanceof z.ZodArray ? (result.element as z.ZodType) : result;
    if (!(record instanceof z.ZodObject)) continue;
    groups.set(record, [...(groups.get(record) ?? []), singular(endpointName.split('.')[0] ?? '')]);
  }
  const names = new Map(everywhere);
  const taken = new Set(everywhere.map(([, { name }]) => name));
  for (const [record, candidates] of groups) {
    const free = candidates.filter((candidate) => !taken.has(candidate));
    const [name] = free.toSorted((a, b) => a.length - b.length);
    if (names.has(record) || candidates.length < 2 || name === undefined) continue;
    taken.add(name);
    names.set(record, { name, io: 'output' });
  }
  return names;
}

function singular(group: string): string {
  const word = `${group.charAt(0).toUpperCase()}${group.slice(1)}`;
  return word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}

export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return tidy(rest) as Json;
}

/** `example` is the old spelling of `examples`; the known words of an open list stand there already. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  const { example, knownValues: _known, ...rest } = value as Json;
  const isField = (entry: unknown) => typeof entry === 'object' && entry !== null && !Array.isArray(entry);
  // Below `properties` these are names of fields.
  if (isField(example) || isField(_known)) return mapValues(value as Json);
  const tidied = mapValues(rest);
  return example === undefined ? tidied : { ...tidied, examples: [example] };
}

function mapValues(object: Json): Json {
  return Object.fromEntries(Object.entries(object).map(([key, entry]) => [key, tidy(entry)]));
}
