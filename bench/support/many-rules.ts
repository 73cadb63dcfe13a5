import { sql } from 'kysely';
import type { OpenDatabase } from '../../backend/db/index.ts';
import {
  backupCommonParameters,
  backupModuleParameters,
  completeParameters,
} from '../../contract/tasks/module-parameters.ts';

const strategies = 24;

/**
 * Rules of the client of this host in 24 strategies, made by the database itself: each makes an incremental copy once a
 * day, those of one strategy in the same minute, and that a different one for each strategy.
 */
export async function makeManyRules({ db }: OpenDatabase, count: number, sinceMs: number): Promise<void> {
  const client = await db.selectFrom('clients').select('id').executeTakeFirstOrThrow();
  const pool = await db.selectFrom('pools').select('id').executeTakeFirstOrThrow();
  const module = JSON.stringify(completeParameters(backupModuleParameters, null));
  const common = JSON.stringify(completeParameters(backupCommonParameters, null));
  await db.deleteFrom('strategies').execute();
  const ids: number[] = [];
  for (let hour = 0; hour < strategies; hour += 1) {
    const { id } = await db
      .insertInto('strategies')
      .values({
        name: `Strategy ${hour}`,
        name_key: `strategy ${hour}`,
        pool_id: pool.id,
        priority: 100,
        full_schedule: null,
        incremental_schedule: `${(hour * 7) % 60} ${hour} * * *`,
        differential_schedule: null,
        time_zone: 'UTC',
        storage_duration: '1 month',
        crypto: 'nocrypt',
        capacity: 0,
        enabled: 1,
        valid_from_ms: null,
        valid_until_ms: null,
        verify_period: 30,
        created_ms: sinceMs,
        changed_ms: sinceMs,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    ids.push(id);
  }
  await sql`insert into strategy_rules (client_id, strategy_id, resource_type, resource, priority, status,
      normal_execution_script, exception_execution_script, restore_script, module_extensions,
      common_modules_extensions, created_ms, changed_ms, runs_since_ms)
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${count})
    select ${client.id}, ${ids[0] ?? 0} + i % ${strategies}, 'File system', '/srv/data/' || i, 100 + (i % 9) * 100,
      'run', '', '', '', ${module}, ${common}, ${sinceMs}, ${sinceMs}, ${sinceMs}
    from numbers`.execute(db);
}
