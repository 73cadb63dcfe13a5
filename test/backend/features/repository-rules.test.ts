import { describe, expect, it } from 'vitest';
import {
  type DeletionFacts,
  type DeletionRequest,
  expiredWithDependants,
  planDeletion,
} from '../../../backend/features/repository/deletion-rules.ts';
import { restoreRefusals } from '../../../backend/features/repository/restore-rules.ts';
import { storeUntil, whyEndIsRefused } from '../../../backend/features/repository/retention-rules.ts';

const at = (year: number, month: number, day: number, hour = 12): number =>
  new Date(year, month - 1, day, hour, 34, 56, 789).getTime();

describe('how long a copy is kept', () => {
  it.each([
    ['1 day', at(2030, 1, 31), at(2030, 2, 1)],
    ['2 weeks', at(2030, 12, 20), at(2031, 1, 3)],
    ['1 month', at(2030, 1, 31), at(2030, 2, 28)],
    ['1 month', at(2032, 1, 31), at(2032, 2, 29)],
    ['13 months', at(2030, 1, 31), at(2031, 2, 28)],
    ['1 year', at(2032, 2, 29), at(2033, 2, 28)],
    ['4 years', at(2032, 2, 29), at(2036, 2, 29)],
  ])('%s by the calendar, never into the next month', (duration, from, until) => {
    expect(new Date(storeUntil(from, duration) ?? 0)).toEqual(new Date(until));
  });

  it('keeps the hour when the clock changes for summer', () => {
    for (let month = 1; month <= 12; month += 1) {
      expect(new Date(storeUntil(at(2030, month, 10, 3), '1 month') ?? 0).getHours()).toBe(3);
    }
  });

  it('is forever without a duration, and ends in 9999 at the latest', () => {
    expect(storeUntil(at(2030, 1, 1), null)).toBe(null);
    expect(new Date(storeUntil(at(2030, 1, 1), '99999 years') ?? 0).getFullYear()).toBe(9999);
    expect(new Date(storeUntil(at(2030, 1, 1), '99999 months') ?? 0).getFullYear()).toBe(9999);
  });
});

describe('changing the end of a copy', () => {
  const day = 86_400_000;
  const nowMs = at(2030, 6, 15);
  const copy = { id: 1, createdMs: nowMs - day, storeUntilMs: nowMs + 10 * day };
  const about = (more: object = {}) => ({
    dependants: [],
    settings: { mandatoryStorageDays: 0, immutableArchives: false },
    nowMs,
    ...more,
  });
  const immutable = about({ settings: { mandatoryStorageDays: 0, immutableArchives: true } });

  it('must lie in the future', () => {
    expect(whyEndIsRefused(copy, nowMs, about())).toContain('in the future');
    expect(whyEndIsRefused(copy, nowMs + 1, about())).toBe(null);
    expect(whyEndIsRefused(copy, null, about())).toBe(null);
  });

  it('must not lie within the mandatory storage time', () => {
    const bound = about({ settings: { mandatoryStorageDays: 3, immutableArchives: false } });
    expect(whyEndIsRefused(copy, nowMs + 2 * day - 1, bound)).toContain('3 days');
    expect(whyEndIsRefused(copy, nowMs + 2 * day, bound)).toBe(null);
  });

  it('only grows while archives are immutable; forever is longer than any time', () => {
    expect(whyEndIsRefused(copy, copy.storeUntilMs - 1, immutable)).toContain('immutable_archives');
    expect(whyEndIsRefused(copy, copy.storeUntilMs, immutable)).toBe(null);
    expect(whyEndIsRefused(copy, null, immutable)).toBe(null);
    expect(whyEndIsRefused({ ...copy, storeUntilMs: null }, nowMs + 99 * day, immutable)).not.toBe(null);
  });

  it('must not come before the end of a copy that builds on it', () => {
    const dependants = [{ id: 7, createdMs: nowMs, storeUntilMs: nowMs + 5 * day }];
    expect(whyEndIsRefused(copy, nowMs + 4 * day, about({ dependants }))).toContain('copy 7');
    expect(whyEndIsRefused(copy, nowMs + 5 * day, about({ dependants }))).toBe(null);
    const forever = [{ id: 7, createdMs: nowMs, storeUntilMs: null }];
    expect(whyEndIsRefused(copy, nowMs + 400 * day, about({ dependants: forever }))).toContain('copy 7');
  });
});

describe('deleting copies', () => {
  const nowMs = 1_000_000_000_000;
  const facts = (id: number, more: Partial<DeletionFacts> = {}): [number, DeletionFacts] => [
    id,
    {
      id,
      createdMs: 0,
      storeUntilMs: null,
      ruleId: null,
      strategyRuleId: null,
      isGood: true,
      usedByTasks: [],
      ...more,
    },
  ];
  // 1 ← 2 ← 3, and 4 alone.
  const request = (more: Partial<DeletionRequest> = {}): DeletionRequest => ({
    ids: [1],
    dependants: new Map([
      [1, [2, 3]],
      [2, [3]],
      [3, []],
      [4, []],
    ]),
    facts: new Map([facts(1), facts(2), facts(3), facts(4)]),
    copiesOfRule: new Map(),
    copiesOfStrategyRule: new Map(),
    settings: {
      removesChain: true,
      keepsLastOfRule: true,
      keepsLastOfStrategyRule: true,
      mandatoryStorageDays: 0,
      immutableArchives: false,
    },
    nowMs,
    ...more,
  });
  const settings = (more: Partial<DeletionRequest['settings']>) => ({ ...request().settings, ...more });

  it('takes what builds on a copy with it, the last one first', () => {
    expect(planDeletion(request())).toEqual({ ok: true, ids: [3, 2, 1] });
    expect(planDeletion(request({ ids: [4, 2] }))).toEqual({ ok: true, ids: [3, 4, 2] });
  });

  it('is refused without the dependants when the chain is not removed', () => {
    const alone = settings({ removesChain: false });
    const plan = planDeletion(request({ settings: alone, ids: [1, 2] }));
    expect(plan).toMatchObject({ ok: false, code: 'object.inUse' });
    expect(JSON.stringify(plan)).toContain('copy 1: 3 builds on it');
    expect(planDeletion(request({ settings: alone, ids: [1, 2, 3] }))).toMatchObject({ ok: true });
    expect(planDeletion(request({ settings: alone, ids: [3] }))).toEqual({ ok: true, ids: [3] });
  });

  it.each([
    ['used by an active task', { usedByTasks: [9] }, {}, 'task 9'],
    ['younger than the mandatory time', { createdMs: nowMs - 1 }, { mandatoryStorageDays: 1 }, 'mandatory'],
    ['immutable before its end', { storeUntilMs: nowMs + 1 }, { immutableArchives: true }, 'immutable'],
    ['immutable and kept forever', { storeUntilMs: null }, { immutableArchives: true }, 'immutable'],
  ])('is refused for a dependant that is %s', (_name, more, setting, words) => {
    const plain = { storeUntilMs: 1 };
    const all = new Map([facts(1, plain), facts(2, plain), facts(3, { ...plain, ...more })]);
    const plan = planDeletion(request({ facts: all, settings: settings(setting) }));
    expect(plan.ok).toBe(false);
    expect(JSON.stringify(plan)).toContain(words);
    const without = new Map([facts(1, plain), facts(2, plain), facts(3, plain)]);
    expect(planDeletion(request({ facts: without, settings: settings(setting) })).ok).toBe(true);
  });

  it('keeps the last copy of a rule', () => {
    const all = new Map([facts(3, { ruleId: 5 }), facts(4, { strategyRuleId: 6 })]);
    const left = (count: number) => ({ all: count, good: count });
    const two = { copiesOfRule: new Map([[5, left(2)]]), copiesOfStrategyRule: new Map([[6, left(2)]]) };
    const one = { copiesOfRule: new Map([[5, left(1)]]), copiesOfStrategyRule: new Map([[6, left(1)]]) };
    const ids = [3, 4];
    expect(planDeletion(request({ ids, facts: all, ...two })).ok).toBe(true);
    expect(planDeletion(request({ ids, facts: all, ...one }))).toMatchObject({ code: 'object.protected' });
    const careless = settings({ keepsLastOfRule: false, keepsLastOfStrategyRule: false });
    expect(planDeletion(request({ ids, facts: all, ...one, settings: careless })).ok).toBe(true);
  });

  it('keeps the last good copy of a rule beside bad ones, which may go', () => {
    const all = new Map([facts(3, { strategyRuleId: 6 }), facts(4, { strategyRuleId: 6, isGood: false })]);
    const counts = { copiesOfStrategyRule: new Map([[6, { all: 3, good: 1 }]]) };
    const plan = planDeletion(request({ ids: [3], facts: all, ...counts }));
    expect(plan).toMatchObject({ code: 'object.protected' });
    expect(JSON.stringify(plan)).toContain('the last good copy of strategy rule 6 is kept');
    expect(planDeletion(request({ ids: [4], facts: all, ...counts }))).toEqual({ ok: true, ids: [4] });
  });

  it('lets an expired copy wait for what builds on it', () => {
    const dependants = new Map([
      [1, [2]],
      [2, []],
    ]);
    expect(expiredWithDependants([1], dependants)).toEqual([]);
    expect(expiredWithDependants([1, 2], dependants)).toEqual([1, 2]);
  });
});

describe('asking for a restore', () => {
  const target = {
    id: 1,
    hwid: 'a',
    osType: 'linux',
    modules: ['File system'],
    groupId: 1,
    isGroupShared: false,
    isLocal: true,
  };
  const source = {
    resourceType: 'File system',
    resource: '/srv/data',
    clientHwid: 'a',
    clientGroupId: 1,
    crypto: 'nocrypt',
    isFileListAvailable: true,
  };
  const wish = {
    target,
    source,
    destination: '/tmp/x',
    selection: [] as string[],
    newName: null as string | null,
    deployInto: false,
    forbidden: ['/var/strongroom', '/mnt/pool/'],
  };
  const other = { ...target, hwid: 'b' };

  it('is possible for the client of the copy, and within a shared group', () => {
    expect(restoreRefusals(wish)).toEqual({});
    expect(restoreRefusals({ ...wish, target: { ...other, isGroupShared: true } })).toEqual({});
  });

  it.each([
    ['a client in a group that is not shared', { target: other }],
    ['a client of another shared group', { target: { ...other, isGroupShared: true, groupId: 2 } }],
    ['a client without the module', { target: { ...target, modules: [] } }],
    [
      'an encrypted copy for another client',
      { target: { ...other, isGroupShared: true }, source: { ...source, crypto: 'age' } },
    ],
    [
      'another client when the one of the copy is deleted',
      { target: { ...other, isGroupShared: true }, source: { ...source, clientGroupId: null } },
    ],
  ])('is refused for %s', (_name, more) => {
    expect(restoreRefusals({ ...wish, ...more })).toHaveProperty('target_client');
  });

  it.each([
    '/',
    '//',
    '/tmp/..',
    'C:\\x',
    '/var/strongroom',
    '/var/strongroom/x',
    '/mnt/pool',
    '/mnt/./pool/a',
  ])('is refused into %s', (destination) => {
    expect(restoreRefusals({ ...wish, destination })).toHaveProperty('destination_path');
  });

  it('goes beside forbidden folders, and to a drive of a Windows client', () => {
    expect(restoreRefusals({ ...wish, destination: '/var/strongroom-2' })).toEqual({});
    const windows = { ...target, osType: 'windows', isLocal: false };
    expect(restoreRefusals({ ...wish, target: windows, destination: 'D:\\x' })).toEqual({});
  });

  it('takes single files by absolute and relative paths, as they are shown', () => {
    const selection = ['/srv/data/a', 'b/c', '/srv/data', 'a[1].txt', '/srv/data/\\xff'];
    expect(restoreRefusals({ ...wish, selection })).toEqual({});
  });

  it.each([['/srv/data2/a'], ['/etc/passwd'], ['../x'], ['a/../../x'], ['a\0']])(
    'refuses the file %j',
    (path) => {
      expect(restoreRefusals({ ...wish, selection: ['ok', path] })).toHaveProperty('granular_restore_files');
    },
  );

  it('refuses single files of a copy that has no file list or no files', () => {
    const selection = ['a'];
    const blind = { ...source, isFileListAvailable: false };
    expect(restoreRefusals({ ...wish, selection, source: blind })).toHaveProperty('granular_restore_files');
    const database = { ...source, resourceType: 'MySQL' };
    const able = { ...target, modules: ['MySQL'] };
    expect(restoreRefusals({ ...wish, selection, source: database, target: able })).toHaveProperty(
      'granular_restore_files',
    );
  });

  it.each(['Block device', 'PostgreSQL universal'])(
    'of a %s that goes straight to its destination takes no new name, and says which field is to blame',
    (resourceType) => {
      const named = {
        ...wish,
        target: { ...target, modules: [resourceType] },
        source: { ...source, resourceType },
        newName: 'other',
      };
      expect(restoreRefusals(named)).toEqual({});
      expect(restoreRefusals({ ...named, newName: null, deployInto: true })).toEqual({});
      const { new_name: reason, ...others } = restoreRefusals({ ...named, deployInto: true });
      expect(reason).toMatch(/leave it out, or set `data_deployment` to false/);
      expect(others).toEqual({});
    },
  );
});
