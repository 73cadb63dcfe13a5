import { sql } from 'kysely';
import { type OpenDatabase, taskTrigrams } from '../../backend/db/index.ts';

/**
 * Fills the queue with finished tasks of every kind, made by the database itself and ready to be searched. With `rules` its backups are those of
 * so many strategy rules, in turn.
 */
export async function makeManyTasks(
  { db, dialect }: OpenDatabase,
  count: number,
  rules: number | null = null,
): Promise<void> {
  const backup = sql.lit(rules === null ? 'backup_urgent' : 'backup_strategy');
  const rule = rules === null ? sql`null` : sql`case when i % 5 <> 0 then 1 + i % ${sql.lit(rules)} end`;
  const numbers =
    dialect.kind === 'sqlite'
      ? sql`with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${count})`
      : sql`with numbers(i) as (select generate_series(1, ${count}::bigint))`;
  await sql`insert into tasks (task_type, resource_type, resource, client_text, backup_type, status, progress,
      priority, pool_name, media_server_name, crypto, archiving, storage_duration, created_ms, started_ms,
      finished_ms, attempt, claim, transferred, speed, created_by, error_message, strategy_rule_id)
    ${numbers}
    select case when i % 5 = 0 then 'verify' else ${backup} end, 'File system', '/srv/data/' || i,
      'host' || (i % 1000) || ' (0123456789abcdef)', 'full',
      case when i % 97 = 0 then 'error' when i % 1013 = 0 then 'killed' else 'done' end, 100,
      100 + (i % 9) * 100, 'Pool ' || (i % 7), 'vm', 'nocrypt', 0, '1 year', 1700000000000 + i * 1000,
      1700000000000 + i * 1000 + 500, 1700000000000 + i * 1000 + 5000, 1, 0, i * 1000, i % 5000, 'admin',
      case when i % 97 = 0 then 'The storage is full after ' || i || ' bytes.' end, ${rule}
    from numbers`.execute(db);
  if (dialect.indexesTexts) return;
  const texts = taskTrigrams.columns.map((column) => sql`coalesce(${sql.ref(column)}, '')`);
  await sql`insert into tasks_search (rowid, text)
    select id, ${sql.join(texts, sql` || char(10) || `)} from tasks
    where id > (select task_id from tasks_search_reach) order by id`.execute(db);
  await sql`update tasks_search_reach set task_id = (select max(id) from tasks)`.execute(db);
}
