import { describe, expect, it } from 'vitest';
import {
  choosePool,
  type GroupLimits,
  type PlacementMember,
} from '../../../backend/features/tasks/pool-placement-rules.ts';

const unlimited: GroupLimits = {
  name: 'Fast',
  maxPoolTasks: 0,
  maxMediaServerTasks: 0,
  maxCpuUsage: 0,
  maxReads: 0,
  maxWrites: 0,
};
const busy = (cpuPercent: number, reads = 0, writes = 0): PlacementMember['load'] => ({
  kind: 'measured',
  averages: {
    cpuPercent,
    devices: new Map([['8:1', { readsPerSecond: reads, writesPerSecond: writes }]]),
  },
});
const member = (poolId: number, more: Partial<PlacementMember> = {}): PlacementMember => ({
  poolId,
  poolName: `P${poolId}`,
  mediaServerId: 1,
  mediaServerName: 'host',
  isEnabled: true,
  poolTasks: 0,
  mediaServerTasks: 0,
  load: busy(0),
  devices: ['8:1'],
  hasRoom: true,
  ...more,
});
/** Number of the chosen pool, or why there is none. */
const choice = (limits: Partial<GroupLimits>, members: readonly PlacementMember[], addressed = 1) => {
  const chosen = choosePool({ ...unlimited, ...limits }, members, addressed);
  return chosen.kind === 'pool' ? chosen.member.poolId : chosen.reason;
};

describe('the choice among the pools of a dynamic group', () => {
  it('falls on the fewest tasks of the pool, then of the media server, then on the idlest processors', () => {
    expect(choice({}, [member(1, { poolTasks: 2 }), member(2, { poolTasks: 1, mediaServerTasks: 9 })])).toBe(
      2,
    );
    const even = [
      member(1, { poolTasks: 1, mediaServerTasks: 3 }),
      member(2, { poolTasks: 1, mediaServerTasks: 2, load: busy(99) }),
    ];
    expect(choice({}, even)).toBe(2);
    expect(choice({}, [member(1, { load: busy(40) }), member(2, { load: busy(39) })])).toBe(2);
  });

  it('falls on the addressed pool when nothing else decides', () => {
    expect(choice({}, [member(1), member(2), member(3)], 2)).toBe(2);
    expect(choice({}, [member(1, { isEnabled: false }), member(2), member(3)], 1)).toBe(2);
  });

  it('passes over a pool without room, unless all are without', () => {
    expect(choice({}, [member(1, { hasRoom: false }), member(2, { poolTasks: 5 })])).toBe(2);
    expect(choice({}, [member(1, { hasRoom: false }), member(2, { hasRoom: false })])).toBe(1);
  });

  it.each<[string, Partial<GroupLimits>, Partial<PlacementMember>, Partial<PlacementMember>]>([
    ['tasks of the pool', { maxPoolTasks: 2 }, { poolTasks: 1 }, { poolTasks: 2 }],
    [
      'tasks of the media server',
      { maxMediaServerTasks: 3 },
      { mediaServerTasks: 2 },
      { mediaServerTasks: 3 },
    ],
    ['processors', { maxCpuUsage: 50 }, { load: busy(49.9) }, { load: busy(50) }],
    ['reads', { maxReads: 100 }, { load: busy(0, 99, 500) }, { load: busy(0, 100) }],
    ['writes', { maxWrites: 100 }, { load: busy(0, 500, 99) }, { load: busy(0, 0, 100) }],
  ])('keeps under the limit of %s, and says so when none is', (_what, limits, under, at) => {
    expect(choice(limits, [member(1, under)])).toBe(1);
    expect(choice(limits, [member(1, at)])).toMatch(/^No pool of .* Fast can take the task now: P1 .*limit/);
    expect(choice({}, [member(1, at)])).toBe(1);
    expect(choice(limits, [member(1, at), member(2, { ...under, poolTasks: 1 })])).toBe(2);
  });

  it('judges the busiest device of the pool', () => {
    const averages = {
      cpuPercent: 0,
      devices: new Map([
        ['8:1', { readsPerSecond: 1, writesPerSecond: 0 }],
        ['8:2', { readsPerSecond: 200, writesPerSecond: 0 }],
      ]),
    };
    const load = { kind: 'measured', averages } as const;
    expect(choice({ maxReads: 100 }, [member(1, { load, devices: ['8:1', '8:2'] })])).toContain('200 reads');
    expect(choice({ maxReads: 100 }, [member(1, { load, devices: ['8:1'] })])).toBe(1);
  });

  it('waits for the first figures, but not for a host that tells none', () => {
    expect(choice({ maxCpuUsage: 50 }, [member(1, { load: { kind: 'unmeasured' } })])).toContain('measured');
    expect(choice({ maxCpuUsage: 50 }, [member(1, { load: { kind: 'untold' } })])).toBe(1);
    expect(choice({ maxPoolTasks: 1 }, [member(1, { load: { kind: 'unmeasured' } })])).toBe(1);
  });

  it('names every pool that could not take it', () => {
    const none = choice({ maxPoolTasks: 1 }, [member(1, { isEnabled: false }), member(2, { poolTasks: 1 })]);
    expect(none).toContain('P1 is not enabled; P2 has 1 active task (limit 1)');
    expect(choice({}, [])).toContain('No pool');
  });
});
