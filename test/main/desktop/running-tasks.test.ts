import { describe, expect, it } from 'vitest';
import type { Connections } from '../../../main/connections/connections.ts';
import { namesOfRunningTasks } from '../../../main/desktop/running-tasks.ts';
import { ProblemError } from '../../../main/platform/problem-error.ts';

type Call = Connections['call'];

const withTasks = (call: Call, phase = 'connected') =>
  ({ list: () => [{ id: 'local', state: { phase } }], call }) as unknown as Connections;

describe('tasks that quitting would stop', () => {
  it('are named in words, those that only wait are not (case 1)', async () => {
    const asked: unknown[] = [];
    const call: Call = async (id, name, input) => {
      const { status } = (input as { query: { status: string } }).query;
      asked.push([id, name, status]);
      if (status === 'execution')
        return { items: [{ task_type: 'backup_urgent', resource: '/srv/data' }], total: 1 };
      if (status === 'at_server') return { items: [{ task_type: 'verify', resource: null }], total: 1 };
      return { items: [], total: 0 };
    };
    expect(await namesOfRunningTasks(withTasks(call))).toEqual(['Backup of /srv/data', 'Verify']);
    expect(asked).not.toContainEqual(['local', 'taskQueue.list', 'new']);
    expect(asked).not.toContainEqual(['local', 'taskQueue.list', 'suspended']);
  });

  it('are none where there is no local backend, or where it cannot say', async () => {
    const failing: Call = async () => {
      throw new ProblemError({ kind: 'unreachable', message: 'away' });
    };
    expect(await namesOfRunningTasks(withTasks(failing))).toEqual([]);
    expect(await namesOfRunningTasks(withTasks(failing, 'stopped'))).toEqual([]);
    const noConnections = { list: () => [], call: failing } as unknown as Connections;
    expect(await namesOfRunningTasks(noConnections)).toEqual([]);
  });
});
