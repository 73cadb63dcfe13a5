import { activeStatuses, type TaskType, taskTypes } from '../../contract/tasks/task-states.ts';
import type { Connections } from '../connections/connections.ts';
import { withinLimit } from '../platform/waiting.ts';
import { localProfileId } from '../profiles/profile.ts';
import { t } from '../texts/index.ts';

const limitMs = 2_000;
/** Backups of all types go by one word. */
const otherTypes = taskTypes.filter(
  (type): type is Exclude<TaskType, `backup_${string}`> => !type.startsWith('backup_'),
);
const atWork = activeStatuses.filter((status) => status !== 'new' && status !== 'suspended');

interface TaskLike {
  readonly task_type?: unknown;
  readonly resource?: unknown;
  readonly status?: unknown;
}

/**
 * Names of the tasks that run on this computer now. Empty when there is no local backend, or when it does not say so in
 * time: a question that hangs must not keep the app open.
 */
export async function namesOfRunningTasks(connections: Connections): Promise<readonly string[]> {
  const local = connections.list().find(({ id }) => id === localProfileId);
  if (local?.state.phase !== 'connected') return [];
  const asked = Promise.all(
    atWork.map((status) =>
      connections.call(localProfileId, 'taskQueue.list', { query: { status, page: 1, limit: 20 } }),
    ),
  ).catch(() => []);
  const pages = (await withinLimit(asked, limitMs, [])) as readonly { readonly items: readonly TaskLike[] }[];
  return pages.flatMap(({ items }) => items.map(nameOfTask));
}

/** `Backup of /srv/data`: what a person calls the task. */
export function nameOfTask({ task_type: kind, resource }: TaskLike): string {
  const named = otherTypes.find((one) => one === kind);
  const type = t(`tasks.types.${named ?? 'backup'}`);
  return typeof resource === 'string' && resource !== ''
    ? t('tasks.of', { type, resource: resource.slice(0, 200) })
    : type;
}
