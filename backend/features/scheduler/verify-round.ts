import type { Db } from '../../db/index.ts';
import { taskOnCopy } from '../task-on-copy.ts';
import type { NewTask, TaskService } from '../tasks/task-service.ts';
import { type DueCopy, dueCopies, isVerificationAsked } from './verify-round-store.ts';

const mostAtOnce = 100;

/** Verify tasks for the copies of strategies whose last verification is longer ago than `verify_period` says. */
export async function planVerifications(
  deps: { readonly db: Db; readonly tasks: Pick<TaskService, 'insertPlanned' | 'tellPlanned'> },
  nowMs: number,
): Promise<void> {
  if (!(await isVerificationAsked(deps.db))) return;
  const made = await deps.db.transaction().execute(async (tx) => {
    const copies = await dueCopies(tx, nowMs, mostAtOnce);
    const ids = await deps.tasks.insertPlanned(tx, copies.map(verifyTask));
    return copies.map((copy, index) => ({ id: ids[index] ?? 0, clientGroupId: copy.client_group_id }));
  });
  if (made.length > 0) deps.tasks.tellPlanned(made);
}

function verifyTask(copy: DueCopy): NewTask {
  return { ...taskOnCopy(copy, null), taskType: 'verify' };
}
