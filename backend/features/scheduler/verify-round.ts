import type { Db } from '../../db/index.ts';
import type { NewTask, TaskService } from '../tasks/task-service.ts';
import { type DueCopy, dueCopies } from './verify-round-store.ts';

const mostAtOnce = 100;

/** Verify tasks for the copies of strategies whose last verification is longer ago than `verify_period` says. */
export async function planVerifications(
  deps: { readonly db: Db; readonly tasks: Pick<TaskService, 'insertPlanned' | 'tellPlanned'> },
  nowMs: number,
): Promise<void> {
  const made = await deps.db.transaction().execute(async (tx) => {
    const copies = await dueCopies(tx, nowMs, mostAtOnce);
    const ids = await deps.tasks.insertPlanned(tx, copies.map(taskOn));
    return copies.map((copy, index) => ({ id: ids[index] ?? 0, clientGroupId: copy.client_group_id }));
  });
  if (made.length > 0) deps.tasks.tellPlanned(made);
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
