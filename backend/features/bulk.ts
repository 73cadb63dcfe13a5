import { Refusal } from '../platform/errors.ts';

/** Each id once, in the order given. */
export function distinctIds(ids: readonly number[]): readonly number[] {
  return [...new Set(ids)];
}

/** What is done with many is all or nothing: refuses with 404 when any id is unknown. */
export function requireAllFound(
  what: string,
  ids: readonly number[],
  found: Iterable<number>,
  done = 'removed',
): void {
  const known = new Set(found);
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length === 0) return;
  throw new Refusal('object.notFound', {
    message: `${what} ${missing.join(', ')} ${missing.length === 1 ? 'does' : 'do'} not exist; nothing was ${done}.`,
    errors: { ids: `not found: ${missing.join(', ')}` },
  });
}

/** Why single objects cannot go; with any reason nothing goes. */
export function refuseIfAny(
  reasons: readonly (string | null)[],
  code: 'object.inUse' | 'object.protected',
): void {
  const told = reasons.filter((reason) => reason !== null);
  if (told.length === 0) return;
  throw new Refusal(code, {
    message: `Nothing was removed: ${told[0]}.`,
    errors: { ids: told.join('; ') },
  });
}

/** `1 copy`, `2 copies`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
