import { failedStatuses } from '../../../contract/tasks/task-states.ts';
import { failedFilter } from '../../shell/failed-tasks.ts';
import { showList } from '../../shell/tell.ts';
import type { FleetRow } from './fleet-rows.ts';

/** The tasks of a server that ended badly. One that cannot list several statuses shows those of the last failure. */
export function showFailed({ connection, health }: FleetRow): void {
  const { id } = connection;
  const last = health?.facts?.failed?.tasks[0]?.status ?? failedStatuses[0];
  showList(id, 'Tasks', { filters: { status: failedFilter(id) ?? last } });
}
