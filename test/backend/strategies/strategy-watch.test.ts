import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStrategyWatch } from '../../../backend/features/strategies/strategy-watch.ts';
import type { Log } from '../../../backend/platform/log.ts';
import { toWireTime } from '../../../backend/platform/wire-time.ts';
import { rowsOf } from '../features/rows.ts';
import { at, type Calendar, dayMs, openCalendar } from '../scheduler/support.ts';

const gb = 1024 ** 3;
const wire = (iso: string) => toWireTime(at(iso));
let calendar: Calendar;
let lines: [string, string, Record<string, unknown>][];
let look: () => Promise<void>;
beforeEach(async () => {
  calendar = await openCalendar('2030-01-01T00:00:00Z');
  lines = [];
  look = startWatch();
});
afterEach(() => calendar.close());

/** As a start of the server makes it. */
function startWatch(): () => Promise<void> {
  const write = (level: string) => (message: string, facts: Record<string, unknown>) => {
    lines.push([level, message, facts]);
  };
  const log = { info: write('info'), warn: write('warn') } as unknown as Log;
  const { features, configuration } = calendar.app.built;
  return createStrategyWatch({ ...features, log, configuration });
}
const details = (id: number) => calendar.good<object>('GET', `/strategies/${id}`);
const told = () => lines.map(([level, message]) => `${level} ${message.split(':')[0]}`);
const ends = 'warn a strategy ends soon';
const isFull = 'warn the copies of a strategy have reached its capacity less the reserve';
const hasRoom = 'info a strategy has room for copies again';

describe('the notices of strategies', () => {
  it('tell once that one ends within strategy_validity_end_notification_period, and again of another end', async () => {
    const { strategy, clock, good } = calendar;
    const id = await strategy({ full_schedule: '0 0 * * *', valid_until: wire('2030-01-20T00:00:00Z') });
    await strategy({ full_schedule: '0 0 * * *' });
    await strategy({ full_schedule: '0 0 * * *', valid_until: wire('2030-01-20T00:00:00Z'), enabled: false });
    await look();
    clock.set(at('2030-01-12T23:59:59Z'));
    await look();
    expect(lines).toEqual([]);
    clock.set(at('2030-01-13T00:00:00Z'));
    await look();
    await look();
    expect(told()).toEqual([ends]);
    expect(lines[0]?.[2]).toMatchObject({ strategy: id, name: 'S1', ends: '2030-01-20T00:00:00Z' });
    expect(await details(id)).toMatchObject({ ends_soon: true, capacity_reached: false, stored: 0 });
    await good('PATCH', `/strategies/${id}`, { data: { valid_until: wire('2030-01-19T00:00:00Z') } });
    await look();
    expect(told()).toEqual([ends, ends]);
    clock.set(at('2030-01-19T00:00:00Z'));
    await look();
    expect(told()).toEqual([ends, ends]);
    await good('PATCH', '/global_configuration', { strategy_validity_end_notification_period: 0 });
    await startWatch()();
    expect(told()).toEqual([ends, ends]);
  });

  it('tell at once and every strategy_storage_capacity_notification_period days that one is full, and of room again', async () => {
    const { strategy, rule, clock, db, good } = calendar;
    await good('PATCH', '/global_configuration', { strategy_storage_capacity_notification_period: 2 });
    const limited = await strategy({ full_schedule: '0 0 * * *', capacity: 10 });
    const boundless = await strategy({ full_schedule: '0 0 * * *' });
    const rules = [await rule(limited), await rule(boundless)];
    const copy = (ruleId: number | undefined, size: number) =>
      rowsOf(db).copy({}, { strategy_rule_id: ruleId ?? null, real_size: size });
    await copy(rules[1], 1000 * gb);
    await copy(rules[0], 9 * gb - 1);
    await look();
    expect(lines).toEqual([]);
    expect(await details(limited)).toMatchObject({ capacity_reached: false, stored: 9 * gb - 1 });
    expect(await details(boundless)).toMatchObject({ capacity_reached: false, ends_soon: false });
    const last = await copy(rules[0], 1);
    await look();
    clock.advance(dayMs);
    await look();
    expect(told()).toEqual([isFull]);
    expect(await details(limited)).toMatchObject({ capacity_reached: true, stored: 9 * gb });
    expect(lines[0]?.[1]).toContain('its backups go on, since no limit is enforced');
    expect(lines[0]?.[2]).toMatchObject({ strategy: limited, storedBytes: 9 * gb, capacityBytes: 10 * gb });
    await good('PATCH', '/global_configuration', { backup_strategies_capacity_limits: true });
    clock.advance(dayMs);
    await look();
    expect(told()).toEqual([isFull, isFull]);
    expect(lines[1]?.[1]).toContain('its backups end in error');
    await db.deleteFrom('copies').where('id', '=', last).execute();
    await look();
    await look();
    expect(told()).toEqual([isFull, isFull, hasRoom]);
  });
});
