import type { z } from 'zod';
import { Refusal } from '../platform/errors.ts';

/**
 * The body in the form that the schemas describe: an object whose only key is `data` is unwrapped,
 * so that every body may come flat or wrapped.
 */
export function unwrapBody(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const keys = Object.keys(body);
  return keys.length === 1 && keys[0] === 'data' ? (body as { data: unknown }).data : body;
}

/** Parses `value` or refuses with 400 and one reason per field. */
export function parseInput(schema: z.ZodType, value: unknown, part: 'body' | 'query'): unknown {
  refuseNul(value, part);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = fieldErrors(result.error.issues, value, part);
  const [field, reason] = Object.entries(errors)[0] ?? [part, 'is not valid'];
  throw new Refusal('request.invalid', { message: `${field} ${reason}.`, errors });
}

/**
 * No text of ours may hold a NUL character: no file name can, PostgreSQL does not keep it, and programs in C take it
 * for the end. The walk keeps its own list of what is left, so that no depth of nesting is too much for it.
 */
function refuseNul(value: unknown, part: string): void {
  const left: { readonly field: string; readonly value: unknown }[] = [{ field: part, value }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { field, value: inner } = next;
    if (typeof inner === 'string' && inner.includes('\0')) {
      const reason = 'must not contain a NUL character';
      throw new Refusal('request.invalid', { message: `${field} ${reason}.`, errors: { [field]: reason } });
    }
    if (typeof inner !== 'object' || inner === null) continue;
    const isList = Array.isArray(inner);
    for (const [key, entry] of Object.entries(inner))
      left.push({ field: isList ? field : key, value: entry });
  }
}

/**
 * One reason per field, by the field's own name: `data`, the objects around a field and positions in a list are
 * not part of it (`task.priority` → `priority`, `ids.3` → `ids`).
 */
function fieldErrors(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  part: string,
): Readonly<Record<string, string>> {
  const errors = new Map<string, string>();
  const add = (field: string, reason: string): void => {
    if (!errors.has(field)) errors.set(field, reason);
  };
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add(key, 'is not a field of this request; remove it');
      continue;
    }
    const field = issue.path.filter((step) => typeof step === 'string').at(-1) ?? part;
    add(field, reasonOf(issue, valueAt(value, issue.path), part));
  }
  return Object.fromEntries(errors);
}

function reasonOf(issue: z.core.$ZodIssue, value: unknown, part: string): string {
  if (value === undefined) return issue.path.length === 0 && part === 'body' ? bodyNeeded : 'is required';
  if (issue.path.length === 0 && issue.code === 'invalid_type') return bodyNeeded;
  return issue.message;
}

const bodyNeeded = 'must be a JSON object';

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step)
        ? (inner as Record<PropertyKey, unknown>)[step]
        : undefined,
    value,
  );
}
