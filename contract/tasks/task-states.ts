/**
 * The life of a task: its statuses, the way it takes by itself, and what a person may do in each status.
 * The backend's queue and the window's buttons both ask this file, so that they never disagree.
 */

export const taskTypes = [
  'backup_urgent',
  'backup_strategy',
  'backup_global',
  'backup_local',
  'restore',
  'verify',
  'copy',
  'move',
  'delete',
  'restore_proof',
  'tape_label',
  'tape_scan',
] as const;
export type TaskType = (typeof taskTypes)[number];

/** Statuses in which work is going on; a task in one of them belongs to exactly one runner. */
export const workingStatuses = ['assigned', 'at_client', 'execution', 'transmission', 'at_server'] as const;

export const activeStatuses = ['new', ...workingStatuses, 'suspended', 'restarting'] as const;
export type ActiveStatus = (typeof activeStatuses)[number];

export const finalStatuses = ['done', 'obsoleted', 'error', 'killed', 'broken'] as const;
export type FinalStatus = (typeof finalStatuses)[number];

const finals: ReadonlySet<string> = new Set(finalStatuses);

/** Whether nothing more happens to a task by itself; a status that is not known may be anything. */
export function isOver(status: string): boolean {
  return finals.has(status);
}

/** Ended badly: what was to be done is not done. */
export const failedStatuses = ['error', 'broken'] as const satisfies readonly FinalStatus[];

export const taskStatuses = [...activeStatuses, ...finalStatuses] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** Statuses whose tasks are removed together by `DELETE /task_queue/{status}`. */
export const removableStatuses = ['error', 'killed', 'obsoleted'] as const;
export type RemovableStatus = (typeof removableStatuses)[number];

export const suspendReasons = ['user', 'resource'] as const;
export type SuspendReason = (typeof suspendReasons)[number];

export const taskOperations = ['pause', 'continue', 'restart', 'kill', 'delete'] as const;
export type TaskOperation = (typeof taskOperations)[number];

export function isTaskStatus(word: string): word is TaskStatus {
  return (taskStatuses as readonly string[]).includes(word);
}

export function isActive(status: TaskStatus): status is ActiveStatus {
  return (activeStatuses as readonly string[]).includes(status);
}

/** `resumed` = the status that the task was paused in; `removed` = the row goes. A missing entry is refused. */
type Target = TaskStatus | 'resumed' | 'removed';

const pausable = { pause: 'suspended', kill: 'killed' } as const;
const failed = { restart: 'restarting', delete: 'removed' } as const;

export const statusOperations: {
  readonly [S in TaskStatus]: { readonly [O in TaskOperation]?: Target };
} = {
  new: pausable,
  assigned: pausable,
  at_client: pausable,
  execution: pausable,
  transmission: pausable,
  at_server: { kill: 'killed' },
  suspended: { continue: 'resumed', kill: 'killed' },
  restarting: { kill: 'killed' },
  error: failed,
  killed: failed,
  broken: failed,
  done: { delete: 'removed' },
  obsoleted: { delete: 'removed' },
};

export interface TaskSituation {
  readonly status: TaskStatus;
  readonly taskType?: TaskType;
  /** The status in which a suspended task was paused; `new` when it is not known. */
  readonly pausedIn?: TaskStatus | null;
}

export type Transition =
  | { readonly ok: true; readonly to: TaskStatus | 'removed' }
  | { readonly ok: false; readonly reason: string };

/** What an operation does to a task, or why it does not apply. Pure. */
export function transition(task: TaskSituation, operation: TaskOperation): Transition {
  const to = statusOperations[task.status][operation];
  if (to === undefined) return { ok: false, reason: refusalReason(task.status, operation) };
  if (operation === 'pause' && task.taskType === 'delete' && task.status === 'execution') {
    return { ok: false, reason: 'a deletion that is already running cannot be paused' };
  }
  if (to === 'resumed') return { ok: true, to: task.pausedIn ?? 'new' };
  return { ok: true, to };
}

export function canOperate(task: TaskSituation, operation: TaskOperation): boolean {
  return transition(task, operation).ok;
}

/** The statuses in which an operation is allowed, in the order of a task's life. */
export function statusesFor(operation: TaskOperation): readonly TaskStatus[] {
  return taskStatuses.filter((status) => statusOperations[status][operation] !== undefined);
}

function refusalReason(status: TaskStatus, operation: TaskOperation): string {
  return `a task in status \`${status}\` does not allow \`${operation}\`; allowed in: ${statusesFor(operation).join(', ')}`;
}

const backupPath = [
  'new',
  'assigned',
  'at_client',
  'execution',
  'transmission',
  'at_server',
  'done',
] as const;
const restorePath = [
  'new',
  'assigned',
  'at_client',
  'transmission',
  'execution',
  'at_server',
  'done',
] as const;
const poolToPoolPath = ['new', 'assigned', 'execution', 'transmission', 'at_server', 'done'] as const;
const serverPath = ['new', 'assigned', 'execution', 'at_server', 'done'] as const;

const paths: { readonly [T in TaskType]: readonly TaskStatus[] } = {
  backup_urgent: backupPath,
  backup_strategy: backupPath,
  backup_global: backupPath,
  backup_local: backupPath,
  restore: restorePath,
  verify: serverPath,
  copy: poolToPoolPath,
  move: poolToPoolPath,
  delete: serverPath,
  restore_proof: serverPath,
  tape_label: serverPath,
  tape_scan: serverPath,
};

/** The statuses that a task passes through when nothing goes wrong. */
export function pathOf(taskType: TaskType): readonly TaskStatus[] {
  return paths[taskType];
}

/** The next status on the task's own way; undefined at its end and outside of it. */
export function nextStatus(taskType: TaskType, status: TaskStatus): TaskStatus | undefined {
  const path = paths[taskType];
  const at = path.indexOf(status);
  return at < 0 ? undefined : path[at + 1];
}
