import { failedStatuses } from '../../contract/tasks/task-states.ts';
import { hasExtension } from './rights.ts';

/** The filter by status that shows all failed tasks; null where the server lists one status at a time. */
export function failedFilter(connectionId: string): string | null {
  return hasExtension(connectionId, 'task_statuses') ? failedStatuses.join(',') : null;
}
