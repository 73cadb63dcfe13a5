import { sql } from 'kysely';
import type { Db, Tx } from '../db/index.ts';

/** A client as people and tasks name it: `host (hwid)`. */
export const clientText = sql<string>`clients.hostname || ' (' || clients.hwid || ')'`;

/** An authorized client by its text; null also for one outside of `groups` (null = all), those of the caller. */
export async function clientByText(db: Db | Tx, text: string, groups: readonly number[] | null) {
  const row = await db
    .selectFrom('clients')
    .select(['id', 'hostname', 'hwid', 'modules', 'client_group_id', 'is_local'])
    .where(clientText, '=', text)
    .where('authorized', '=', 1)
    .$if(groups !== null, (query) => query.where('client_group_id', 'in', [...(groups ?? []), -1]))
    .executeTakeFirst();
  return row ?? null;
}
