import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from './database.ts';
import type { Dialect } from './dialects.ts';

/** Pages of 4 KB that one merge writes, in some milliseconds: so long nobody else is served. */
const pagesAtOnce = 32;
/** Of one call: more than a busy queue adds in a second. */
const mostMerges = 8;

/**
 * Puts small parts of the trigrams of tasks together, so that a search has few to look into. To be called again and
 * again; it is done at once when there is nothing to merge.
 */
export async function mergeSearched(db: Db, dialect: Dialect): Promise<void> {
  if (dialect.indexesTexts) return;
  for (let merge = 0; merge < mostMerges; merge += 1) {
    await sql`insert into tasks_search (tasks_search, rank) values ('merge', ${sql.lit(pagesAtOnce)})`.execute(
      db,
    );
    // Others are served in between.
    await nextTurn();
  }
}
