import { t } from '../texts/index.ts';
import type { ListStore } from '../ui/index.ts';

interface Row {
  readonly id: number;
}

interface Failed {
  readonly id?: number | undefined;
  readonly reason?: string | undefined;
}

/**
 * The work of a deletion that a server may refuse in part, for `Removal.remove`. What is gone is selected no longer;
 * what stayed remains selected and is named with the server's reason. Tried again, only what stayed is asked for.
 */
export function removeRows<R extends Row>(deps: {
  readonly rows: readonly R[];
  readonly nameOf: (row: R) => string;
  readonly list: ListStore<R>;
  readonly remove: (ids: number[]) => Promise<unknown>;
}): () => Promise<readonly string[]> {
  let left = deps.rows;
  return async () => {
    const asked = left;
    const failed = failedOf(await deps.remove(asked.map((row) => row.id)));
    const stays = new Set(failed.map((one) => one.id));
    const gone = asked.filter((row) => !stays.has(row.id));
    left = asked.filter((row) => stays.has(row.id));
    deps.list.forget(gone.map((row) => row.id));
    await deps.list.refresh();
    if (failed.length === 0) return [];
    const reasons = failed.map(({ id, reason }) => {
      const row = asked.find((one) => one.id === id);
      const name = row === undefined ? String(id) : deps.nameOf(row);
      return `${name}: ${reason ?? t('shell.remove.noReason')}`;
    });
    return [t('shell.remove.removed', { gone: gone.length, asked: asked.length }), ...reasons];
  };
}

/** Servers tell it with 207 or with 200; without such a list everything asked for is gone. */
function failedOf(answer: unknown): readonly Failed[] {
  if (answer === null || typeof answer !== 'object' || !('failed' in answer)) return [];
  return Array.isArray(answer.failed) ? answer.failed : [];
}
