import { isWithoutAnswer, problemOf } from '../bridge.ts';
import { t } from '../texts/index.ts';

interface Row {
  readonly id: number;
}

export interface Failed {
  readonly id: number;
  readonly reason: string;
}

type Remove = (ids: number[]) => Promise<unknown>;

/**
 * The work of a deletion that a server may refuse in part, for `Removal.remove`. What is gone is selected no longer;
 * what stayed remains selected and is named with the server's reason. Tried again, only what stayed is asked for.
 */
export function removeRows<R extends Row>(deps: {
  readonly rows: readonly R[];
  readonly nameOf: (row: R) => string;
  /** These are gone: they are selected no longer, and the list is asked for again. */
  readonly forget: (ids: readonly number[]) => Promise<void>;
  readonly remove: Remove;
}): () => Promise<readonly string[]> {
  let left = deps.rows;
  return async () => {
    const asked = left;
    const failed = await removeWhatCanGo(
      asked.map((row) => [row.id]),
      deps.remove,
    );
    const stays = new Set(failed.map((one) => one.id));
    left = asked.filter((row) => stays.has(row.id));
    await deps.forget(asked.filter((row) => !stays.has(row.id)).map((row) => row.id));
    if (failed.length === 0) return [];
    const reasons = failed.map(({ id, reason }) => {
      const row = asked.find((one) => one.id === id);
      return `${row === undefined ? id : deps.nameOf(row)}: ${reason}`;
    });
    return [removedText(asked.length - left.length, asked.length), ...reasons];
  };
}

export function removedText(gone: number, asked: number): string {
  return t('shell.remove.removed', { gone, asked });
}

/**
 * All at once; where a server refuses the whole for the sake of some, part by part, so that these keep no other from going.
 * A part is what goes together or not at all. Answers what stays, and why.
 */
export async function removeWhatCanGo(
  parts: readonly (readonly number[])[],
  remove: Remove,
): Promise<readonly Failed[]> {
  const all = parts.flat();
  try {
    return failedOf(await remove(all), all);
  } catch (error) {
    const { kind, status } = problemOf(error);
    // A right that is missing is missing for each.
    if (parts.length < 2 || kind !== 'refused' || status === 403) throw error;
  }
  const failed: Failed[] = [];
  for (const [at, part] of parts.entries()) {
    try {
      failed.push(...failedOf(await remove([...part]), part));
    } catch (error) {
      const problem = problemOf(error);
      // Somebody else was quicker.
      if (problem.status === 404 && part.length === 1) continue;
      const isOver = !isWithoutAnswer(problem);
      const stays = isOver ? parts.slice(at).flat() : part;
      failed.push(...stays.map((id) => ({ id, reason: problem.message })));
      if (isOver) break;
    }
  }
  return failed;
}

/** Servers tell it with 207 or with 200, or name what is gone; without either everything asked for is gone. */
function failedOf(answer: unknown, asked: readonly number[]): readonly Failed[] {
  if (answer === null || typeof answer !== 'object') return [];
  const noReason = t('shell.remove.noReason');
  if ('failed' in answer && Array.isArray(answer.failed)) {
    return answer.failed.map(({ id, reason }: Partial<Failed>) => ({
      id: Number(id),
      reason: reason ?? noReason,
    }));
  }
  if (!('ids' in answer) || !Array.isArray(answer.ids)) return [];
  const gone = new Set(answer.ids.map(Number));
  return asked.filter((id) => !gone.has(id)).map((id) => ({ id, reason: noReason }));
}
