import { sql } from 'kysely';
import type { OpenDatabase } from '../../backend/db/index.ts';

const pools = 7;

/**
 * Fills the repository with copies in seven pools of one storage each, made by the database itself. No bytes are
 * behind them.
 */
export async function makeManyCopies({ db }: OpenDatabase, count: number): Promise<void> {
  const server = await db.selectFrom('media_servers').select('id').executeTakeFirstOrThrow();
  const places: { readonly pool: number; readonly storage: number }[] = [];
  for (let number = 0; number < pools; number += 1) {
    const { rows } = await sql<{ id: number }>`insert into pools (name, name_key, pool_type, media_server_id,
      created_ms) values (${`Pool ${number}`}, ${`pool ${number}`}, 'File system', ${server.id}, 0) returning id`.execute(
      db,
    );
    const pool = rows[0]?.id ?? 0;
    const storage = await sql<{
      id: number;
    }>`insert into storages (pool_id, media_server_id, path, created_ms)
      values (${pool}, ${server.id}, ${`/mnt/disk${number}`}, 0) returning id`.execute(db);
    places.push({ pool, storage: storage.rows[0]?.id ?? 0 });
  }
  const [first] = places;
  if (!first) throw new Error('there are no pools');
  await sql`insert into copies (uuid, resource_type, resource, client_text, client_hwid, backup_type, status, crypto,
      signed, pool_id, storage_id, size, real_size, created_ms, store_until_ms, archiving, task_id, file_list_available,
      description, skipped_items, files_count, deleting)
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${count})
    select printf('%08x-0000-4000-8000-000000000000', i), 'File system', '/srv/data/' || i,
      'host' || (i % 1000) || ' (0123456789abcdef)', '0123456789abcdef',
      case when i % 7 = 0 then 'full' else 'incremental' end, case when i % 97 = 0 then 'Broken' else 'Trusted' end,
      'nocrypt', 0, ${first.pool} + i % ${pools}, ${first.storage} + i % ${pools}, i * 1000, i * 400,
      1700000000000 + i * 1000, 1900000000000 + i * 1000, 0, null, 1,
      case when i % 11 = 0 then 'Überwachung der Anlage ' || i end, 0, i % 10000, case when i % 100000 = 0 then 1 else 0 end
    from numbers`.execute(db);
}
