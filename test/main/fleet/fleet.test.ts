import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServerHealth } from '../../../contract/desktop/fleet.ts';
import { standingOf } from '../../../contract/desktop/health.ts';
import { createFleet, type FleetDeps } from '../../../main/fleet/fleet.ts';
import { ProblemError } from '../../../main/platform/problem-error.ts';
import { createSignal } from '../../../main/platform/signals.ts';
import { connection } from '../../renderer/support/fake-bridge.ts';

type Listed = ReturnType<FleetDeps['connections']['list']>[number];
type Query = {
  readonly query: { readonly status?: string; readonly page?: number; readonly limit?: number };
};
type Answer = (name: string, input: Query, signal: AbortSignal) => unknown;

const startMs = Date.UTC(2030, 0, 15, 12);
const permissions = ['task_queue.read', 'pools.read', 'statistics.read'];
beforeEach(() => {
  // A turn of the event loop stays one.
  vi.useFakeTimers({ now: startMs, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const server = (id: string, state: object = {}): Listed =>
  connection({ id, name: id }, { permissions, extensions: ['statistics'], ...state });

/** Looks that are due at once begin one after the other: until all `count` have. */
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const quiet = (name: string): unknown =>
  name === 'statistics.get' ? { overdue: [] } : { items: [], total: 0 };
/** Never answers; ends only when it is given up. */
const mute = (_name: string, _input: Query, signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () =>
      reject(new ProblemError({ kind: 'cancelled', message: 'given up' })),
    ),
  );

function open(answers: Readonly<Record<string, Answer>>, states: Readonly<Record<string, object>> = {}) {
  let listed = Object.keys(answers).map((id) => server(id, states[id]));
  const given = { ...answers };
  const onList = createSignal<readonly Listed[]>();
  const onState = createSignal<{ readonly connectionId: string; readonly state: Listed['state'] }>();
  const onEvent = createSignal<{
    readonly connectionId: string;
    readonly kind: 'task' | 'reset';
    readonly event: null;
  }>();
  const calls: string[] = [];
  const fleet = createFleet({
    connections: {
      list: () => listed,
      onList: onList.listen,
      onState: onState.listen,
      onServerEvent: onEvent.listen,
      call: async (id, name, input, signal) => {
        calls.push(`${id} ${name}`);
        return given[id]?.(name, input as Query, signal ?? new AbortController().signal);
      },
    },
    everyMs: 60_000,
    deadlineMs: 10_000,
    settleMs: 2_000,
    firstRetryMs: 5_000,
  });
  const of = (id: string): ServerHealth => {
    const found = fleet.list().find(({ connectionId }) => connectionId === id);
    if (!found) throw new Error(`nothing is known of ${id}`);
    return found;
  };
  const looksAt = (id: string) => calls.filter((call) => call === `${id} pools.list`).length;
  const become = (id: string, state: object): void => {
    listed = listed.map((one) => (one.id === id ? { ...one, state: { ...one.state, ...state } } : one));
    const now = listed.find((one) => one.id === id);
    if (now) onState.tell({ connectionId: id, state: now.state });
  };
  const setList = (ids: readonly string[]): void => {
    listed = ids.map((id) => listed.find((one) => one.id === id) ?? server(id));
    onList.tell(listed);
  };
  return { fleet, of, looksAt, become, setList, answers: given, tellEvent: onEvent.tell, calls };
}

describe('all servers', () => {
  it('are asked for what needs a person, and each part is counted and named', async () => {
    const { of } = open({
      prague: (name, { query }) => {
        if (name === 'statistics.get')
          return {
            overdue: [
              {
                rule_id: 4,
                task_id: 9,
                client: 'web',
                resource: '/srv',
                strategy: 'nightly',
                due: '2030-01-15T02:00:00',
                reason: 'no space',
              },
            ],
          };
        if (name === 'pools.list')
          return {
            items: [
              { id: 1, pool_name: 'full', total_space: 100, free_space: 9 },
              { id: 2, pool_name: 'roomy', total_space: 100, free_space: 50 },
              { id: 3, pool_name: 'no storage', total_space: 0, free_space: 0 },
            ],
            total: 3,
          };
        if (query.status === 'error')
          return {
            items: [
              {
                id: 8,
                task_type: 'backup_urgent',
                resource: '/a',
                status: 'error',
                finished: '2030-01-15T11:00:00',
                error_message: 'gone',
              },
              {
                id: 7,
                task_type: 'verify',
                resource: null,
                status: 'error',
                finished: '2030-01-10T11:00:00',
                error_message: null,
              },
            ],
            total: 2,
          };
        return { items: [], total: query.status === 'execution' ? 3 : 0 };
      },
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(of('prague')).toMatchObject({
      answeredAt: startMs,
      problem: null,
      facts: {
        running: 3,
        failed: { count: 1, isMore: false, tasks: [{ id: 8, resource: '/a', reason: 'gone' }] },
        overdue: { count: 1, runs: [{ ruleId: 4, taskId: 9, strategy: 'nightly' }] },
        nearlyFull: [{ id: 1, name: 'full', freeBytes: 9, totalBytes: 100 }],
      },
    });
    expect(standingOf({ phase: 'connected' }, of('prague'))).toBe('look');
  });

  it('count every task that failed in the last day, by its end, and say where they stopped counting', async () => {
    const failing = (count: number): Answer => {
      const all = Array.from({ length: count }, (_, at) => ({
        id: count - at,
        finished: '2030-01-15T11:00:00',
      }));
      const old = { id: 0, finished: '2030-01-10T11:00:00' };
      return (name, { query }) => {
        if (name !== 'taskQueue.list' || query.status !== 'broken') return { items: [], total: 0 };
        expect(query).toMatchObject({ sort: 'finished', order: 'desc' });
        const [page, limit] = [Number(query.page), Number(query.limit)];
        return { items: [...all, old].slice((page - 1) * limit, page * limit), total: count + 1 };
      };
    };
    const { of, calls } = open({ few: failing(3), many: failing(730), all: failing(9000) });
    await turns(40);
    await vi.advanceTimersByTimeAsync(0);
    await turns(40);
    expect(of('few').facts?.failed).toMatchObject({ count: 3, isMore: false });
    expect(of('many').facts?.failed).toMatchObject({ count: 730, isMore: false });
    expect(of('many').facts?.failed?.tasks).toHaveLength(50);
    expect(of('all').facts?.failed).toMatchObject({ count: 2000, isMore: true });
    expect(calls.filter((call) => call === 'few taskQueue.list').length).toBeLessThan(8);
  });

  it('are asked whom strategies want told only where something went wrong, and what is for other roles is marked', async () => {
    const rules: Readonly<Record<number, string>> = { 1: 'of night', 2: 'of all' };
    const answer: Answer = (name, input) => {
      if (name === 'statistics.get')
        return {
          overdue: [
            { rule_id: 1, strategy: 'of night' },
            { rule_id: 2, strategy: 'of all' },
          ],
        };
      if (name === 'strategies.list')
        return {
          items: [
            { name: 'of night', notification_user_groups: ['supervisor'] },
            { name: 'of all', notification_user_groups: [] },
            { name: 'of an old server' },
          ],
        };
      if (name === 'strategyRules.get') {
        const { id } = (input as unknown as { params: { id: number } }).params;
        if (rules[id] === undefined)
          throw new ProblemError({ kind: 'refused', message: 'no such rule', status: 404 });
        return { strategy_name: rules[id] };
      }
      if (name === 'taskQueue.list' && input.query.status === 'error')
        return {
          items: [1, 2, 3].map((rule) => ({
            id: rule,
            strategy_rule_id: rule,
            finished: '2030-01-15T11:00:00',
          })),
          total: 3,
        };
      return { items: [], total: 0 };
    };
    const marks = ({ facts }: ServerHealth) => [
      facts?.failed?.tasks.filter((task) => task.isForOthers).map(({ id }) => id),
      facts?.overdue?.runs.filter((run) => run.isForOthers).map(({ ruleId }) => ruleId),
    ];
    const planner = {
      permissions: [...permissions, 'strategies.read', 'strategy_rules.read'],
      extensions: ['statistics', 'strategies'],
    };
    const { of, calls } = open(
      { night: answer, day: answer, blind: answer, quiet },
      {
        night: { ...planner, roles: ['supervisor'] },
        day: { ...planner, roles: ['maintainer'] },
        blind: { roles: ['maintainer'] },
        quiet: { ...planner, roles: ['maintainer'] },
      },
    );
    await vi.advanceTimersByTimeAsync(0);
    await turns(8);
    await vi.advanceTimersByTimeAsync(0);
    expect(marks(of('night'))).toEqual([[], []]);
    expect(marks(of('day'))).toEqual([[1], [1]]);
    expect(marks(of('blind'))).toEqual([[], []]);
    expect(calls.filter((call) => call.startsWith('quiet strateg'))).toEqual([]);
  });

  it('are not asked for what the account may not see or the server has not got', async () => {
    const { of, calls } = open(
      { prague: quiet },
      { prague: { permissions: ['pools.read'], extensions: [] } },
    );
    await vi.advanceTimersByTimeAsync(0);
    expect(calls).toEqual(['prague pools.list']);
    expect(of('prague').facts).toEqual({ running: null, failed: null, overdue: null, nearlyFull: [] });
  });

  it('a mute one ends at its deadline and holds up no other (cases 33, 34)', async () => {
    const { of, looksAt } = open({ mute, prague: quiet, brno: quiet });
    await turns(3);
    expect(of('prague').answeredAt).toBe(startMs);
    expect(of('brno').answeredAt).toBe(startMs);
    expect(of('mute')).toMatchObject({ answeredAt: null, facts: null, problem: null });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(of('mute').problem).toEqual({
      message: 'The server did not answer within 10 s.',
      since: startMs + 10_000,
      retryAt: startMs + 15_000,
    });
    expect(standingOf({ phase: 'connected' }, of('mute'))).toBe('lost');
    expect(looksAt('mute')).toBe(1);
  });

  it('a failing one is asked less and less often, whatever its events tell, and never twice at once (case 34)', async () => {
    const { looksAt, tellEvent, of } = open({ mute });
    await vi.advanceTimersByTimeAsync(0);
    for (let i = 0; i < 10; i++) {
      tellEvent({ connectionId: 'mute', kind: 'task', event: null });
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(looksAt('mute')).toBe(1);
    const at: number[] = [];
    for (let seconds = 0; seconds < 120; seconds++) {
      const before = looksAt('mute');
      tellEvent({ connectionId: 'mute', kind: 'task', event: null });
      await vi.advanceTimersByTimeAsync(1_000);
      if (looksAt('mute') > before) at.push(Date.now() - startMs);
    }
    // 10 s of deadline, then a wait of 5, 10, 20 s: looks begin at 15, 35, 65 and 115 s.
    expect(at).toEqual([15_000, 35_000, 65_000, 115_000]);
    expect(of('mute').problem?.since).toBe(startMs + 10_000);
  });

  it('keep what they answered last, with its time, while they are away; back, they are asked at once (case 36)', async () => {
    const { of, become, answers, looksAt } = open({ prague: quiet });
    await vi.advanceTimersByTimeAsync(0);
    become('prague', { phase: 'unreachable' });
    await vi.advanceTimersByTimeAsync(300_000);
    expect(looksAt('prague')).toBe(1);
    expect(of('prague')).toMatchObject({ answeredAt: startMs, facts: { running: 0 } });
    expect(standingOf({ phase: 'unreachable' }, of('prague'))).toBe('lost');
    answers.prague = (name, { query }) =>
      query.status === 'transmission' ? { items: [], total: 2 } : quiet(name);
    become('prague', { phase: 'connected' });
    await vi.advanceTimersByTimeAsync(0);
    expect(of('prague')).toMatchObject({ answeredAt: startMs + 300_000, facts: { running: 2 } });
  });

  it('an answer that comes after the connection went changes nothing', async () => {
    let answer = (_value: unknown): void => undefined;
    const { of, become } = open({
      prague: (name) =>
        name === 'pools.list'
          ? new Promise((resolve) => {
              answer = resolve;
            })
          : quiet(name),
    });
    await vi.advanceTimersByTimeAsync(0);
    become('prague', { phase: 'unreachable' });
    answer({ items: [], total: 0 });
    await vi.advanceTimersByTimeAsync(0);
    expect(of('prague')).toMatchObject({ answeredAt: null, facts: null });
  });

  it('events are gathered into one look', async () => {
    const { looksAt, tellEvent } = open({ prague: quiet });
    await vi.advanceTimersByTimeAsync(0);
    for (let i = 0; i < 20; i++) tellEvent({ connectionId: 'prague', kind: 'task', event: null });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(looksAt('prague')).toBe(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(looksAt('prague')).toBe(3);
  });

  it('follow the list of connections, and leave no timer behind', async () => {
    const { fleet, setList, answers } = open({ prague: quiet, mute });
    answers.brno = quiet;
    await vi.advanceTimersByTimeAsync(0);
    setList(['prague', 'brno']);
    await vi.advanceTimersByTimeAsync(0);
    expect(fleet.list().map(({ connectionId }) => connectionId)).toEqual(['prague', 'brno']);
    fleet.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are all looked at now when a person asks, the failing ones too', async () => {
    const { fleet, looksAt } = open({ prague: quiet, mute });
    await vi.advanceTimersByTimeAsync(12_000);
    fleet.lookNow();
    await turns(2);
    expect([looksAt('prague'), looksAt('mute')]).toEqual([2, 2]);
  });

  it('begin one after the other when many are due at once, and others have their turn in between', async () => {
    const ids = Array.from({ length: 50 }, (_, at) => `server-${at}`);
    const { fleet, looksAt } = open(Object.fromEntries(ids.map((id) => [id, quiet])));
    const looks = () => ids.reduce((sum, id) => sum + looksAt(id), 0);
    await turns(50);
    expect(looks()).toBe(50);
    fleet.lookNow();
    const seen: number[] = [];
    const look = (): void => {
      seen.push(looks() - 50);
      if (looks() < 100) setImmediate(look);
    };
    look();
    await turns(60);
    expect(looks()).toBe(100);
    const steps = seen.slice(1).map((count, at) => count - (seen[at] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(1);
    // The same again by the clock, when all are due in the same minute.
    await vi.advanceTimersByTimeAsync(60_000);
    await turns(60);
    expect(ids.map(looksAt)).toEqual(ids.map(() => 3));
  });
});
