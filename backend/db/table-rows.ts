import type { Db, Tx } from './database.ts';
import { foldCase } from './dialects.ts';

/** Tables whose rows have a name, which no two of them share but for upper and lower case. */
type NamedTable = 'client_groups' | 'dynamic_pool_groups' | 'pools' | 'strategies';
type Table =
  | NamedTable
  | 'block_devices'
  | 'client_bandwidth'
  | 'clients'
  | 'dynamic_pool_members'
  | 'media_servers'
  | 'scsi_portals'
  | 'storages'
  | 'strategy_rules'
  | 'tape_libraries'
  | 'users'
  | 'virtual_libraries';

/** Those of `ids` that exist. */
export async function foundIds(
  db: Db | Tx,
  table: Table,
  ids: readonly number[],
): Promise<readonly number[]> {
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('id', 'in', [...ids])
    .execute();
  return rows.map(({ id }) => id);
}

/** What refers to them goes or stays as the tables say. */
export async function removeRows(db: Db | Tx, table: Table, ids: readonly number[]): Promise<void> {
  await db
    .deleteFrom(table)
    .where('id', 'in', [...ids])
    .execute();
}

/** The row whose name differs at most in case; null: none. */
export async function idOfTakenName(db: Db | Tx, table: NamedTable, name: string): Promise<number | null> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('name_key', '=', foldCase(name))
    .executeTakeFirst();
  return row?.id ?? null;
}
