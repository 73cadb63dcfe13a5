import { sql } from 'kysely';
import type { BackupType } from '../../../contract/tasks/task.ts';
import { idList, isSqlite, type Tx } from '../../db/index.ts';
import { clientText } from '../client-text-store.ts';

/** The task of a run of a strategy rule. */
export interface RuleTask {
  readonly id: number;
  readonly ruleId: number;
}

/**
 * Makes a backup task of each of these rules, which are there. One statement takes all that a task is made of from the
 * rule, its client, strategy and pool: a row that comes and goes through this process costs twice as much. The
 * parameters of the rules have to be JSON objects.
 */
export async function insertRuleTasks(
  tx: Tx,
  { ruleIds, backupType }: { readonly ruleIds: readonly number[]; readonly backupType: BackupType },
  nowMs: number,
): Promise<readonly RuleTask[]> {
  const parameters = (column: string) => sql<string>`'{"parameters":' || ${sql.ref(column)} || '}'`;
  const insert = tx
    .insertInto('tasks')
    .columns([
      'task_type',
      'status',
      'backup_type',
      'created_ms',
      'resource_type',
      'resource',
      'client_id',
      'client_text',
      'priority',
      'pool_id',
      'pool_name',
      'media_server_id',
      'media_server_name',
      'crypto',
      'storage_duration',
      'strategy_rule_id',
      'module_extensions',
      'common_modules_extensions',
      'list_indexed',
    ])
    .expression((from) =>
      from
        .selectFrom('strategy_rules')
        .innerJoin('clients', 'clients.id', 'strategy_rules.client_id')
        .innerJoin('strategies', 'strategies.id', 'strategy_rules.strategy_id')
        .innerJoin('pools', 'pools.id', 'strategies.pool_id')
        .innerJoin('media_servers', 'media_servers.id', 'pools.media_server_id')
        .select([
          sql.lit('backup_strategy').as('task_type'),
          sql.lit('new').as('status'),
          sql<string>`${backupType}`.as('backup_type'),
          sql<number>`${nowMs}`.as('created_ms'),
          'strategy_rules.resource_type',
          'strategy_rules.resource',
          'strategy_rules.client_id',
          clientText.as('client_text'),
          'strategy_rules.priority',
          'pools.id as pool_id',
          'pools.name as pool_name',
          'media_servers.id as media_server_id',
          'media_servers.name as media_server_name',
          'strategies.crypto',
          // Without either the copy is kept for ever.
          sql<string | null>`coalesce(strategies.storage_duration, pools.retention_period)`.as(
            'storage_duration',
          ),
          'strategy_rules.id as strategy_rule_id',
          parameters('strategy_rules.module_extensions').as('module_extensions'),
          parameters('strategy_rules.common_modules_extensions').as('common_modules_extensions'),
          sql.lit(0).as('list_indexed'),
        ])
        .where('strategy_rules.id', 'in', idList(ruleIds))
        .orderBy('strategy_rules.id'),
    );
  if (!isSqlite(tx)) {
    const made = await insert.returning(['id', 'strategy_rule_id']).execute();
    return made.map((row) => ({ id: row.id, ruleId: row.strategy_rule_id ?? 0 }));
  }
  const { insertId, numInsertedOrUpdatedRows } = await insert.executeTakeFirstOrThrow();
  return await countedUp(tx, ruleIds, { last: Number(insertId), count: Number(numInsertedOrUpdatedRows) });
}

/**
 * SQLite takes a quarter longer when it is to tell the id of each row. Within a statement it counts them up, in the
 * order in which the rows are selected; that it did so is seen by the first and the last.
 */
async function countedUp(
  tx: Tx,
  ruleIds: readonly number[],
  { last, count }: { readonly last: number; readonly count: number },
): Promise<readonly RuleTask[]> {
  const first = last - count + 1;
  const inOrder = [...ruleIds].sort((left, right) => left - right);
  const tasks = inOrder.map((ruleId, index) => ({ id: first + index, ruleId }));
  const ends = await tx
    .selectFrom('tasks')
    .select(['id', 'strategy_rule_id'])
    .where('id', 'in', [first, last])
    .execute();
  const isAsCounted =
    count === tasks.length &&
    ends.every(({ id, strategy_rule_id: rule }) => tasks[id - first]?.ruleId === rule);
  if (!isAsCounted) throw new Error(`${count} tasks were made of ${tasks.length} rules, or in another order`);
  return tasks;
}
