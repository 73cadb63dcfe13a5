import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Parts of one size before a regular merge puts them together: fewer would be written more often. */
const partsBeforeMerge = 8;
/** Parts of one size that are put together at once if the regular merges did not come so far. */
const mostParts = 64;

/**
 * Each change of a task's status adds a small part to the trigrams of tasks. Merging the parts was work of the
 * statement that added one, ten times as much as its own; it is regular work now (`mergeSearched`).
 */
export const searchMerges: Migration = {
  version: 23,
  name: 'merges of the searched texts',
  async up({ db, dialect }) {
    if (dialect.kind !== 'sqlite') return;
    const configure = (option: string, value: number) =>
      sql`insert into tasks_search (tasks_search, rank) values (${sql.lit(option)}, ${sql.lit(value)})`.execute(
        db,
      );
    await configure('automerge', 0);
    await configure('usermerge', partsBeforeMerge);
    await configure('crisismerge', mostParts);
  },
};
