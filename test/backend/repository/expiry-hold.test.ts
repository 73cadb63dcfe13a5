import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createExpiryHold } from '../../../backend/features/repository/expiry-hold.ts';
import { lookAtClock, mostAheadMs } from '../../../backend/features/repository/expiry-hold-rules.ts';
import { silentLog } from '../../../backend/platform/log.ts';
import { toWireTime } from '../../../backend/platform/wire-time.ts';
import type { ExpiryHold } from '../../../contract/repository/expiry-hold.ts';
import type { CopyOutlook } from '../../../contract/repository/retention-preview.ts';
import type { Session } from '../../support/backend.ts';
import { whyNotDescribed } from '../../support/described-answers.ts';
import { type RepositoryLab, startRepositoryLab } from './support.ts';

const dayMs = 86_400_000;

describe('what is believed of the clock', () => {
  const known = { seenMs: 1000 * dayMs, heldMs: null };
  it.each([
    ['nothing yet', null, 5, 9, { seenMs: 5, heldMs: null }],
    ['a minute later', known, known.seenMs + 60_000, 9, { seenMs: known.seenMs + 60_000, heldMs: null }],
    [
      'as far as a server may be away',
      known,
      known.seenMs + mostAheadMs,
      9,
      { seenMs: known.seenMs + mostAheadMs, heldMs: null },
    ],
    [
      'further',
      known,
      known.seenMs + mostAheadMs + 1,
      1,
      { ...known, heldMs: known.seenMs + mostAheadMs + 1 },
    ],
    [
      'further, with nothing to lose',
      known,
      known.seenMs + 365 * dayMs,
      0,
      { seenMs: known.seenMs + 365 * dayMs, heldMs: null },
    ],
    ['behind', known, 0, 9, known],
    [
      'still held, when all that was due is deleted by hand',
      { ...known, heldMs: 7 },
      known.seenMs + 365 * dayMs,
      0,
      { ...known, heldMs: 7 },
    ],
    [
      'right again',
      { ...known, heldMs: 7 },
      known.seenMs + dayMs,
      3,
      { seenMs: known.seenMs + dayMs, heldMs: null },
    ],
  ])('%s', (_, facts, nowMs, due, expected) => {
    expect(lookAtClock(facts, nowMs, due)).toEqual(expected);
  });
});

describe('a clock that jumps a year ahead lets nothing expire (case 95)', () => {
  let lab: RepositoryLab;
  let ids: number[];
  let startMs: number;
  let root: Session;
  beforeEach(async () => {
    lab = await startRepositoryLab();
    startMs = lab.clock.now();
    await expire();
    ids = [];
    for (const days of [10, 20, 300]) {
      ids.push(await lab.rows.copy({}, { store_until_ms: startMs + days * dayMs }));
    }
  });
  afterEach(() => lab.close());

  const expire = () => lab.repository.copies.expireDue(lab.clock.now());
  /** What is left; the server expires by itself too, once the clock has moved. */
  const left = async (): Promise<number[]> => {
    await expire();
    const rows = await lab.app.database.db
      .selectFrom('copies')
      .select('id')
      .where('deleting', '=', 0)
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  };
  /** The session ends while the clock jumps. */
  const jump = async (days: number): Promise<void> => {
    lab.clock.set(startMs + days * dayMs);
    root = await lab.app.loginAs('superuser');
  };
  const path = '/global_configuration/expiry_hold';
  const holdOf = async () => (await root.send('GET', path)).data<ExpiryHold>();

  it('until somebody confirms it; the preview gives it as the reason', async () => {
    await jump(366);
    expect(await left()).toEqual(ids);
    expect(await left()).toEqual(ids);
    const held = await root.send('GET', path);
    expect(whyNotDescribed(`GET ${path}`, held.status, held.body)).toBeNull();
    expect(held.data()).toEqual({
      held: true,
      clock: toWireTime(lab.clock.now()),
      clock_before: toWireTime(startMs),
      copies: 3,
    });
    const preview = await root.send('GET', '/repository/retention_preview');
    const rules = preview.data<CopyOutlook[]>().map(({ kept, rule }) => [kept, rule]);
    expect(rules).toEqual(ids.map(() => [true, 'clock_jumped']));
    for (const body of [{ held: true }, {}, { held: false, more: 1 }]) {
      expect((await root.send('PATCH', path, body)).status).toBe(400);
    }
    expect(await holdOf()).toMatchObject({ held: true });
    const confirmed = await root.send('PATCH', path, { held: false });
    expect([confirmed.status, confirmed.data()]).toMatchObject([200, { held: false, copies: 0 }]);
    await expect.poll(left).toEqual([]);
    expect(await holdOf()).toMatchObject({ held: false, clock_before: null });
  });

  it('until it is right again; then only what is due goes', async () => {
    await jump(366);
    expect(await left()).toEqual(ids);
    await jump(11);
    await expect.poll(left).toEqual(ids.slice(1));
    expect(await holdOf()).toMatchObject({ held: false });
  });

  it('also when the server was in service mode meanwhile', async () => {
    await lab.superuser.send('PATCH', '/global_configuration/service_mode', { service_mode: true });
    await jump(366);
    expect(await left()).toEqual(ids);
    await root.send('PATCH', '/global_configuration/service_mode', { service_mode: false });
    expect(await left()).toEqual(ids);
    expect(await holdOf()).toMatchObject({ held: true, copies: 3 });
  });

  it('while a server that is looked at all the time, or was off for some weeks, goes on', async () => {
    await jump(25);
    await expect.poll(left).toEqual(ids.slice(2));
    for (const day of [110, 195, 280]) {
      await jump(day);
      expect(await left()).toEqual(ids.slice(2));
    }
    await jump(301);
    await expect.poll(left).toEqual([]);
    expect(await holdOf()).toMatchObject({ held: false });
  });

  it('also over a restart; it is told once that it begins and once that it ends', async () => {
    const { db } = lab.app.database;
    const nowMs = startMs + 366 * dayMs;
    const told: [string, unknown][] = [];
    const open = () =>
      createExpiryHold({
        db,
        clock: { now: () => nowMs, monotonic: () => 0 },
        log: {
          ...silentLog,
          warn: (message, facts) => void told.push([message.slice(0, 24), facts]),
        },
        announce: ({ kind }) => void told.push(['announced', kind]),
      });
    expect(await open().look(nowMs)).toBe(true);
    const clocks = { before: toWireTime(startMs), now: toWireTime(nowMs) };
    const begun = [
      ['the clock has jumped ahe', { ...clocks, copies: 3 }],
      ['announced', 'configuration'],
    ];
    expect(told).toEqual(begun);
    const restarted = open();
    expect(await restarted.look(nowMs + 60_000)).toBe(true);
    expect(told).toEqual(begun);
    await restarted.confirm();
    await restarted.confirm();
    expect(told.slice(2)).toEqual([
      ['the clock was confirmed ', clocks],
      ['announced', 'configuration'],
    ]);
    expect(await open().look(nowMs + 60_000)).toBe(false);
  });
});
