import type { Task } from '../../../contract/tasks/task.ts';
import { call } from '../../bridge.ts';
import { type ListSource, listInput } from '../../shell/use-list.ts';

export const tasksSource: ListSource<Task> = {
  name: 'Tasks',
  kinds: ['task'],
  pollMs: 5000,
  idOf: (task) => task.id,
  initial: { sort: { field: 'id', order: 'desc' } },
  load: (connectionId, request, signal) => call(connectionId, 'taskQueue.list', listInput(request), signal),
};
