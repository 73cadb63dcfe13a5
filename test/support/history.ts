import { sql } from 'kysely';
import type { OpenDatabase } from '../../backend/db/index.ts';

const dayMs = 86_400_000;

/**
 * Fills the database of a server that was started once with what a life of `days` days leaves there: tasks of each day,
 * some of them failed, and copies in the first pool, by which it grew evenly to `storedBytes`.
 */
export async function makeHistory(
  { db }: OpenDatabase,
  history: { readonly days: number; readonly nowMs: number; readonly storedBytes: number },
): Promise<void> {
  const { days, nowMs, storedBytes } = history;
  const pool = await db
    .selectFrom('pools')
    .innerJoin('storages', 'storages.pool_id', 'pools.id')
    .select(['pools.id as id', 'pools.media_server_id as server', 'storages.id as storage'])
    .orderBy('pools.id')
    .executeTakeFirstOrThrow();
  const copyBytes = Math.floor(storedBytes / days);
  for (let day = 0; day < days; day += 1) {
    const endedMs = nowMs - (days - 1 - day) * dayMs;
    const tasks = 6 + (day % 7);
    for (let index = 0; index < tasks; index += 1) {
      const isFailed = day % 5 === 3 && index < 2;
      const unhurt = day % 11 === 4 && index === 0 ? 'killed' : 'done';
      const status = isFailed ? 'error' : unhurt;
      const finishedMs = endedMs - index * 60_000 - 1000;
      await sql`insert into tasks (task_type, resource_type, resource, client_text, backup_type, status, progress,
          priority, pool_name, media_server_name, crypto, archiving, storage_duration, created_ms, started_ms,
          finished_ms, attempt, claim, transferred, speed, created_by, error_message)
        values ('backup_urgent', 'File system', ${`/srv/data/${index}`}, 'host (0123456789abcdef)', 'full', ${status}, 100,
          100, 'Main', 'vm', 'nocrypt', 0, '1 year', ${finishedMs - 61_000}, ${finishedMs - 60_000},
          ${finishedMs}, 1, 0, ${isFailed ? 0 : copyBytes}, 0, 'admin', ${isFailed ? 'The storage is full.' : null})`.execute(
        db,
      );
    }
    await sql`insert into copies (uuid, resource_type, resource, client_text, client_hwid, backup_type, status, crypto,
        signed, pool_id, storage_id, size, real_size, created_ms, archiving, file_list_available, skipped_items,
        files_count, deleting)
      values (${`${String(day).padStart(8, '0')}-0000-4000-8000-000000000000`}, 'File system', ${`/srv/data/${day}`},
        'host (0123456789abcdef)', '0123456789abcdef', 'full', 'Trusted', 'nocrypt', 0, ${pool.id}, ${pool.storage},
        ${copyBytes}, ${copyBytes}, ${endedMs}, 0, 0, 0, 10, 0)`.execute(db);
    await sql`insert into pool_samples (pool_id, media_server_id, time_ms, stored_bytes)
      values (${pool.id}, ${pool.server}, ${endedMs}, ${copyBytes * (day + 1)})`.execute(db);
  }
}
