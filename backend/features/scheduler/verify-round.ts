import { sql } from 'kysely';
import type { Db, Tx } from '../../db/index.ts';
import { active } from '../active-tasks.ts';
import type { NewTask, TaskService } from '../tasks/task-service.ts';

const dayMs = 86_400_000;
/** A verification that could not be done is tried again after a day, not at each look. */
const againAfterMs = dayMs;
const mostAtOnce = 100;

/** Verify tasks for the copies of strategies whose last verification is longer ago than `verify_period` says. */
export async function planVerifications(
  deps: { readonly db: Db; readonly tasks: Pick<TaskService, 'insertPlanned' | 'tellPlanned'> },
  nowMs: number,
): Promise<void> {
  const made = await deps.db.transaction().execute(async (tx) => {
    const copies = await dueCopies(tx, nowMs);
    const ids = await deps.tasks.insertPlanned(tx, copies.map(taskOn));
    return copies.map((copy, index) => ({ id: ids[index] ?? 0, clientGroupId: copy.client_group_id }));
  });
  if (made.length > 0) deps.tasks.tellPlanned(made);
}

type DueCopy = Awaited<ReturnType<typeof dueCopies>>[number];

function dueCopies(tx: Tx, nowMs: number) {
  return (
    tx
      .selectFrom('copies')
      .innerJoin('strategy_rules', 'strategy_rules.id', 'copies.strategy_rule_id')
      .innerJoin('strategies', 'strategies.id', 'strategy_rules.strategy_id')
      .leftJoin('clients', 'clients.id', 'copies.client_id')
      .leftJoin('pools', 'pools.id', 'copies.pool_id')
      .leftJoin('media_servers', 'media_servers.id', 'pools.media_server_id')
      .select([
        'copies.id',
        'copies.resource_type',
        'copies.resource',
        'copies.client_id',
        'copies.client_text',
        'copies.backup_type',
        'copies.crypto',
        'copies.pool_id',
        'pools.name as pool_name',
        'media_servers.id as media_server_id',
        'media_servers.name as media_server_name',
        'clients.client_group_id',
      ])
      .where('strategies.enabled', '=', 1)
      .where('strategies.verify_period', 'is not', null)
      .where('copies.deleting', '=', 0)
      .where('copies.storage_id', 'is not', null)
      .where(
        sql<boolean>`coalesce(copies.verified_ms, copies.created_ms) + strategies.verify_period * ${sql.lit(dayMs)} <= ${nowMs}`,
      )
      // One at a time, and none of a copy that is on its way to another place.
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('tasks')
              .select('tasks.id')
              .whereRef('tasks.copy_id', '=', 'copies.id')
              .where('tasks.task_type', 'in', ['verify', 'move', 'delete'])
              .where(({ eb, or, and }) =>
                or([
                  eb('tasks.status', 'in', active),
                  and([
                    eb('tasks.task_type', '=', 'verify'),
                    eb('tasks.created_ms', '>', nowMs - againAfterMs),
                    eb('tasks.created_ms', '<=', nowMs),
                  ]),
                ]),
              ),
          ),
        ),
      )
      .orderBy('copies.id')
      .limit(mostAtOnce)
      .execute()
  );
}

function taskOn(copy: DueCopy): NewTask {
  return {
    taskType: 'verify',
    resourceType: copy.resource_type,
    resource: copy.resource,
    client: { id: copy.client_id, text: copy.client_text },
    backupType: copy.backup_type,
    pool: named(copy.pool_id, copy.pool_name),
    mediaServer: named(copy.media_server_id, copy.media_server_name),
    copyId: copy.id,
    crypto: copy.crypto,
    createdBy: null,
  };
}

function named(id: number | null, name: string | null) {
  return id === null || name === null ? null : { id, name };
}
