import { z } from 'zod';

/** Pieces that many records and bodies share. */

export const Id = z
  .int('must be a whole number, 1 or more')
  .min(1, 'must be a whole number, 1 or more')
  .meta({ description: 'identifier' });

/** An id in a path arrives as text; only digits are an id (`0x10` and `1e3` are not). */
export const PathId = z.union([
  Id,
  z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(Id),
]);

export const IdParams = z.object({ id: PathId });

/** The most ids that one call may carry. */
export const maxIds = 1000;

export const Ids = z
  .array(Id, 'must be a list of ids, like [1, 2]')
  .min(1, 'must name one id at least')
  .max(maxIds, `must name ${maxIds} ids at most; split the call`);

/** Body of every bulk deletion. */
export const IdsBody = z.strictObject({ ids: Ids });

export const RemovedIds = z.object({ ids: z.array(Id) });
export const CreatedId = z.object({ id: Id });
export const CreatedTask = z.object({ task_id: Id });

/**
 * A word of a known list in an answer. Servers in the field may answer other words, which are shown as they are:
 * the schema is any string, the known words stand in the metadata (and in the interactive page).
 */
export function open<const T extends readonly string[]>(known: T): z.ZodString {
  return z.string().meta({ examples: [...known], knownValues: known });
}

export const Bytes = z.int().min(0).meta({ description: 'bytes' });
/** Date and time in an answer: ISO 8601 without zone, server local time. */
export const Time = z.string().meta({ description: 'ISO 8601, no zone, local time of the server' });
export const Count = z.int().min(0);
