import { sql } from 'kysely';
import type { OpenDatabase } from '../../backend/db/index.ts';

const groups = 40;

/** Fills the list of clients, in forty groups beside those that are there, made by the database itself. */
export async function makeManyClients({ db }: OpenDatabase, count: number): Promise<void> {
  const ids: number[] = [];
  for (let number = 0; number < groups; number += 1) {
    const name = `Group ${number}`;
    const { rows } = await sql<{ id: number }>`insert into client_groups (name, name_key, created_ms)
      values (${name}, ${name.toLowerCase()}, 0) returning id`.execute(db);
    ids.push(rows[0]?.id ?? 0);
  }
  await sql`insert into clients (hwid, hostname, os_type, client_group_id, authorized, modules, created_ms)
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${count})
    select printf('%016x', i), 'host' || i, 'Linux', ${ids[0] ?? 0} + i % ${groups}, 1, '["File system"]', 0 from numbers`.execute(
    db,
  );
}
