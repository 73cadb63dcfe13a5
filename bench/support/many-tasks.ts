import { sql } from 'kysely';
import type { OpenDatabase } from '../../backend/db/index.ts';

/** Fills the queue with finished tasks of every kind, made by the database itself. */
export async function makeManyTasks({ db, dialect }: OpenDatabase, count: number): Promise<void> {
  const numbers =
    dialect.kind === 'sqlite'
      ? sql`with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${count})`
      : sql`with numbers(i) as (select generate_series(1, ${count}::bigint))`;
  await sql`insert into tasks (task_type, resource_type, resource, client_text, backup_type, status, progress,
      priority, pool_name, media_server_name, crypto, archiving, storage_duration, created_ms, started_ms,
      finished_ms, attempt, claim, transferred, speed, created_by, error_message)
    ${numbers}
    select case when i % 5 = 0 then 'verify' else 'backup_urgent' end, 'File system', '/srv/data/' || i,
      'host' || (i % 1000) || ' (0123456789abcdef)', 'full',
      case when i % 97 = 0 then 'error' when i % 1013 = 0 then 'killed' else 'done' end, 100,
      100 + (i % 9) * 100, 'Pool ' || (i % 7), 'vm', 'nocrypt', 0, '1 year', 1700000000000 + i * 1000,
      1700000000000 + i * 1000 + 500, 1700000000000 + i * 1000 + 5000, 1, 0, i * 1000, i % 5000, 'admin',
      case when i % 97 = 0 then 'The storage is full after ' || i || ' bytes.' end
    from numbers`.execute(db);
}
