import { activeStatuses } from '../../contract/tasks/task-states.ts';

/** Statuses of tasks that still use what they refer to. */
export const active: string[] = [...activeStatuses];
