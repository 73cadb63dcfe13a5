import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isCleaningDue, isInDailyWindow } from '../../../backend/features/configuration/cleaning-rules.ts';
import { createPoolWatch } from '../../../backend/features/pools/pool-watch.ts';
import { createOverdueReminder } from '../../../backend/features/repository/overdue-reminder.ts';
import type { Log } from '../../../backend/platform/log.ts';
import { toWireTime } from '../../../backend/platform/wire-time.ts';
import type { Configuration } from '../../../contract/configuration/configuration.ts';
import type { Pool } from '../../../contract/pools/pool.ts';
import {
  type HandClock,
  handClock,
  type Session,
  startTestApp,
  type TestApp,
} from '../../support/backend.ts';

const at = (hour: number, minute = 0, second = 0) => new Date(2030, 0, 15, hour, minute, second).getTime();
const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** A log that keeps its warnings. */
function keptLog() {
  const lines: { message: string; facts: object }[] = [];
  const keep = (message: string, facts: object = {}) => void lines.push({ message, facts });
  const nothing = () => undefined;
  return { lines, log: { error: keep, warn: keep, info: nothing, debug: nothing } as unknown as Log };
}

describe('service_window_start and service_window_end', () => {
  it.each([
    ['00:00:00', '06:00:00', [at(0), at(5, 59, 59)], [at(6), at(23, 59, 59)]],
    [
      '22:00:00',
      '04:30:00',
      [at(22), at(23, 59, 59), at(0), at(4, 29, 59)],
      [at(4, 30), at(12), at(21, 59, 59)],
    ],
    ['07:00:00', '07:00:00', [at(0), at(7), at(23, 59, 59)], []],
  ])('make a daily window from %s to %s', (start, end, inside, outside) => {
    for (const moment of inside) expect(isInDailyWindow(start, end, moment)).toBe(true);
    for (const moment of outside) expect(isInDailyWindow(start, end, moment)).toBe(false);
  });

  it('let cleaning begin when its period has passed, inside the window and not in service mode', () => {
    const settings = {
      service_mode: false,
      service_window_start: '00:00:00',
      service_window_end: '06:00:00',
    };
    const due = (more: Partial<typeof settings>, periodHours: number, lastMs: number | null, nowMs = at(3)) =>
      isCleaningDue(
        { ...settings, ...more },
        { periodHours, lastTime: lastMs === null ? null : toWireTime(lastMs) },
        nowMs,
      );
    expect(due({}, 24, null)).toBe(true);
    expect(due({}, 24, at(3) - 24 * hourMs)).toBe(true);
    expect(due({}, 24, at(3) - 23 * hourMs)).toBe(false);
    expect(due({}, 24, null, at(6))).toBe(false);
    expect(due({}, 0, null)).toBe(false);
    expect(due({ service_mode: true }, 24, null)).toBe(false);
    // A clock that was wrong for a while does not put cleaning off for years.
    expect(due({}, 24, at(3) + 300 * dayMs)).toBe(true);
  });
});

describe('filesystems_clean_period', () => {
  let app: TestApp;
  let superuser: Session;
  let clock: HandClock;

  beforeEach(async () => {
    clock = handClock(at(12));
    app = await startTestApp({ started: true, clock });
    superuser = await app.loginAs('superuser');
  });
  afterEach(() => app.close());

  const read = async () => (await superuser.send('GET', '/global_configuration')).data<Configuration>();
  const partial = () => join(app.dataDir, 'pools', 'default', 'c0ffee00-0000-4000-8000-000000000000.partial');

  it('has half-made copies removed in the service window, and notes when that was', async () => {
    await mkdir(partial());
    expect((await read()).filesystems_clean_last_time).toBeNull();
    // From noon to three in the morning; the tokens of noon are over then.
    clock.set(at(24 + 3));
    await expect.poll(() => existsSync(partial()), { timeout: 20_000 }).toBe(false);
    superuser = await app.loginAs('superuser');
    await expect
      .poll(async () => (await read()).filesystems_clean_last_time, { timeout: 20_000 })
      .toBe(toWireTime(at(24 + 3)));
    const patch = { filesystems_clean_last_time: null };
    await superuser.send('PATCH', '/global_configuration', patch);
    expect((await read()).filesystems_clean_last_time).toBe(toWireTime(at(24 + 3)));
  });
});

describe('obsoleted_backup_notification_period', () => {
  const kept = (id: number) => ({ id, reason: `the last copy of rule ${id} is kept` });

  it('is how often the log warns of expired copies that stay, with the reasons (case 97)', () => {
    const { lines, log } = keptLog();
    const remind = createOverdueReminder({ log });
    remind([], 2, 0);
    expect(lines).toEqual([]);
    remind([kept(7)], 2, 0);
    expect(lines).toEqual([
      {
        message: 'expired copies are still kept',
        facts: { total: 1, copies: [{ copy: 7, reason: kept(7).reason }] },
      },
    ]);
    for (const hour of [1, 24, 47]) remind([kept(7)], 2, hour * hourMs);
    expect(lines).toHaveLength(1);
    remind([kept(7)], 2, 48 * hourMs);
    expect(lines).toHaveLength(2);
    // One more is told at once.
    remind([kept(7), kept(8)], 2, 49 * hourMs);
    expect(lines).toHaveLength(3);
  });

  it('0 is never', () => {
    const { lines, log } = keptLog();
    const remind = createOverdueReminder({ log });
    for (let day = 0; day < 10; day += 1) remind([kept(1)], 0, day * dayMs);
    expect(lines).toEqual([]);
  });
});

describe('pool_storage_capacity_reserve', () => {
  it('has the log warn once when a pool reaches it, and again only after it had room', async () => {
    const { lines, log } = keptLog();
    const pool = { id: 1, pool_name: 'P', total_space: 1000, free_space: 99 };
    let free = 100;
    const told: (number | null)[] = [];
    const watch = createPoolWatch({
      pools: { list: async () => ({ rows: [{ ...pool, free_space: free } as unknown as Pool], total: 1 }) },
      configuration: { read: async () => ({ pool_storage_capacity_reserve: 10 }) as Configuration },
      announce: (change) => void told.push(change.id),
      log,
    });
    for (const next of [100, 99, 50, 100, 99]) {
      free = next;
      await watch();
    }
    expect(lines.map(({ facts }) => facts)).toMatchObject([
      { pool: 'P', freeBytes: 99, reservePercent: 10 },
      { pool: 'P', freeBytes: 99 },
    ]);
    expect(told).toEqual([1, 1, 1]);
  });
});
