import { activeStatuses, workingStatuses } from '../../contract/tasks/task-states.ts';

/** Statuses of tasks that still use what they refer to. */
export const active: string[] = [...activeStatuses];

/** Statuses in which a task may have begun to write. */
export const running: string[] = [...workingStatuses, 'restarting'];

/** Statuses of tasks that are being worked on. */
export const working: string[] = [...workingStatuses];
