import { describe, expect, it } from 'vitest';
import {
  activeStatuses,
  finalStatuses,
  isActive,
  nextStatus,
  pathOf,
  type TaskOperation,
  type TaskStatus,
  taskOperations,
  taskStatuses,
  taskTypes,
  transition,
} from '../../contract/tasks/task-states.ts';

const no = '400';
/** The table as it is specified: status → pause, continue, restart, kill, delete. */
const table: Readonly<Record<TaskStatus, readonly [string, string, string, string, string]>> = {
  new: ['suspended', no, no, 'killed', no],
  assigned: ['suspended', no, no, 'killed', no],
  at_client: ['suspended', no, no, 'killed', no],
  execution: ['suspended', no, no, 'killed', no],
  transmission: ['suspended', no, no, 'killed', no],
  at_server: [no, no, no, 'killed', no],
  suspended: [no, 'transmission', no, 'killed', no],
  restarting: [no, no, no, 'killed', no],
  error: [no, no, 'restarting', no, 'removed'],
  killed: [no, no, 'restarting', no, 'removed'],
  broken: [no, no, 'restarting', no, 'removed'],
  done: [no, no, no, no, 'removed'],
  obsoleted: [no, no, no, no, 'removed'],
};

const cells = taskStatuses.flatMap((status) =>
  taskOperations.map((operation, at) => [status, operation, table[status][at] ?? ''] as const),
);

describe('what a person may do with a task', () => {
  it.each(cells)('%s, %s → %s', (status: TaskStatus, operation: TaskOperation, expected) => {
    const answer = transition({ status, taskType: 'backup_urgent', pausedIn: 'transmission' }, operation);
    expect(answer.ok ? answer.to : no).toBe(expected);
  });

  it('continues as new when the place of the pause is not known', () => {
    expect(transition({ status: 'suspended', pausedIn: null }, 'continue')).toEqual({ ok: true, to: 'new' });
  });

  it('cannot pause a deletion that runs, but one that waits', () => {
    expect(transition({ status: 'execution', taskType: 'delete' }, 'pause').ok).toBe(false);
    expect(transition({ status: 'new', taskType: 'delete' }, 'pause').ok).toBe(true);
  });

  it('tells in which statuses a refused operation is allowed', () => {
    const answer = transition({ status: 'done' }, 'restart');
    expect(answer).toMatchObject({ ok: false, reason: expect.stringContaining('error, killed, broken') });
  });
});

describe('the life of a task', () => {
  it('has each status once, either active or final', () => {
    expect([...activeStatuses, ...finalStatuses]).toHaveLength(13);
    expect(taskStatuses.filter(isActive)).toEqual([...activeStatuses]);
  });

  it.each(taskTypes)('%s begins as new, ends as done and passes no status twice', (type) => {
    const path = pathOf(type);
    expect(path[0]).toBe('new');
    expect(path.at(-1)).toBe('done');
    expect(new Set(path).size).toBe(path.length);
  });

  it('transmits before it executes when it restores, and after when it backs up', () => {
    expect(nextStatus('restore', 'at_client')).toBe('transmission');
    expect(nextStatus('backup_urgent', 'at_client')).toBe('execution');
    expect(nextStatus('verify', 'execution')).toBe('at_server');
    expect(nextStatus('verify', 'done')).toBeUndefined();
    expect(nextStatus('verify', 'at_client')).toBeUndefined();
  });
});
