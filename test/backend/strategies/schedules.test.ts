import { describe, expect, it } from 'vitest';
import {
  isTimeZone,
  nextRuns,
  runsUntil,
  type Schedules,
  whyScheduleIsRefused,
} from '../../../backend/features/strategies/schedule-rules.ts';

const plan = (more: Partial<Schedules>): Schedules => ({
  full: null,
  incremental: null,
  differential: null,
  timeZone: 'Europe/Paris',
  validFromMs: null,
  validUntilMs: null,
  ...more,
});
const at = (iso: string): number => Date.parse(iso);
const times = (schedules: Schedules, after: string, count: number): readonly string[] =>
  nextRuns(schedules, at(after), count).map(({ timeMs }) => new Date(timeMs).toISOString().slice(0, 16));

describe('runs ahead', () => {
  it('keep their wall time over both changes of the clocks (case 52)', () => {
    const daily = plan({ full: '0 14 * * *' });
    expect(times(daily, '2030-03-30T12:00:00Z', 3)).toEqual([
      '2030-03-30T13:00',
      '2030-03-31T12:00',
      '2030-04-01T12:00',
    ]);
    expect(times(daily, '2030-10-26T10:00:00Z', 3)).toEqual([
      '2030-10-26T12:00',
      '2030-10-27T13:00',
      '2030-10-28T13:00',
    ]);
  });

  it('are distinct moments through the hour that comes twice (case 53)', () => {
    const hourly = plan({ incremental: '0 * * * *' });
    expect(times(hourly, '2030-10-26T23:30:00Z', 4)).toEqual([
      '2030-10-27T00:00',
      '2030-10-27T01:00',
      '2030-10-27T02:00',
      '2030-10-27T03:00',
    ]);
  });

  it('fall due once where the wall time is skipped, and once where it comes twice (case 54)', () => {
    const night = plan({ full: '30 2 * * *' });
    expect(times(night, '2030-03-30T12:00:00Z', 2)).toEqual(['2030-03-31T01:00', '2030-04-01T00:30']);
    expect(times(night, '2030-10-26T12:00:00Z', 2)).toEqual(['2030-10-27T00:30', '2030-10-28T01:30']);
  });

  it('go on every quarter of an hour through the change (case 56)', () => {
    const quarters = times(plan({ full: '*/15 * * * *' }), '2030-10-26T23:59:00Z', 12);
    const gaps = quarters.slice(1).map((time, index) => at(`${time}Z`) - at(`${quarters[index]}Z`));
    expect(new Set(gaps)).toEqual(new Set([15 * 60_000]));
  });

  it('at many minutes of an hour of the day fall due once in a gap, and once each where it comes twice', () => {
    const spring = '2030-03-30T12:00:00Z';
    const autumn = '2030-10-26T12:00:00Z';
    for (const minutes of ['0,30', '*/30', '0-59/30']) {
      const night = plan({ full: `${minutes} 2 * * *` });
      expect(times(night, spring, 2), minutes).toEqual(['2030-03-31T01:00', '2030-04-01T00:00']);
      expect(times(night, autumn, 3), minutes).toEqual([
        '2030-10-27T00:00',
        '2030-10-27T00:30',
        '2030-10-28T01:00',
      ]);
    }
    const everyMinute = plan({ full: '* 2 * * *' });
    expect(times(everyMinute, spring, 2)).toEqual(['2030-03-31T01:00', '2030-04-01T00:00']);
    expect(times(everyMinute, autumn, 61).slice(58)).toEqual([
      '2030-10-27T00:58',
      '2030-10-27T00:59',
      '2030-10-28T01:00',
    ]);
  });

  it('at a step that yields one hour keep to the day', () => {
    const daily = plan({ full: '0 */24 * * *', timeZone: 'America/Santiago' });
    expect(times(daily, '2030-09-07T12:00:00Z', 2)).toEqual(['2030-09-08T04:00', '2030-09-09T03:00']);
  });

  it('at a step of minutes through all hours go on through the change', () => {
    for (const hours of ['*', '?', '0-23']) {
      const quarters = times(plan({ full: `*/15 ${hours} * * *` }), '2030-10-26T23:59:00Z', 12);
      expect(quarters.at(-1), hours).toBe('2030-10-27T02:45');
    }
  });

  it('are the same moments whatever zone the asker is in (case 61)', () => {
    const tokyo = plan({ full: '0 9 * * *', timeZone: 'Asia/Tokyo' });
    expect(times(tokyo, '2030-01-01T12:00:00Z', 1)).toEqual(['2030-01-02T00:00']);
  });

  it('go as far as they are asked for, at most so many, and stop where the strategy ends', () => {
    const after = at('2030-03-30T12:00:00Z');
    const week = at('2030-04-06T12:00:00Z');
    const count = (more: Partial<Schedules>, most = 1000) => runsUntil(plan(more), after, week, most).length;
    expect(count({ full: '0 0 * * *' })).toBe(7);
    // A week has 168 hours that pass, whatever the clocks show; both of its ends are no part of it.
    expect(count({ incremental: '0 * * * *' })).toBe(167);
    expect(count({ incremental: '* * * * *' })).toBe(1000);
    expect(count({ full: '0 0 1 1 *' })).toBe(0);
    expect(count({ full: '0 * * * *', validUntilMs: at('2030-03-30T15:30:00Z') })).toBe(3);
    expect(count({ full: '0 12 * * *', timeZone: 'UTC' })).toBe(6);
  });

  it('make only the widest of those that fall due together', () => {
    const week = plan({
      full: '0 0 * * 0',
      incremental: '0 0 * * *',
      differential: '0 0 * * 3',
      timeZone: 'UTC',
    });
    const days = nextRuns(week, at('2030-01-05T12:00:00Z'), 7).map(({ backupType }) => backupType);
    expect(days).toEqual([
      'full',
      'incremental',
      'incremental',
      'differential',
      'incremental',
      'incremental',
      'incremental',
    ]);
  });

  it('keep within the validity', () => {
    const bounded = plan({
      full: '0 0 * * *',
      timeZone: 'UTC',
      validFromMs: at('2030-02-01T00:00:00Z'),
      validUntilMs: at('2030-02-03T00:00:00Z'),
    });
    expect(times(bounded, '2030-01-01T00:00:00Z', 5)).toEqual(['2030-02-01T00:00', '2030-02-02T00:00']);
  });
});

it.each([
  ['0 0 * *', 'five fields'],
  ['0 0 0 * * *', 'none of them seconds'],
  ['@daily', 'five fields'],
  ['99 * * * *', 'is not a cron schedule: the minute `99` must be 0–59'],
  ['0 24 * * *', 'the hour `24` must be 0–23'],
  ['0 0 1,32 * *', 'the day of month `1,32` must be 1–31'],
  ['0 0 1 fee *', 'the month `fee` must be 1–12'],
  ['0 0 * * 5#6', 'the day of week `5#6` must be 0–7'],
  ['*/0 5-1 * * *', 'the minute `*/0` must be'],
  ['a b c d e', 'the minute `a` must be'],
  ['0 0 30 2 *', 'never falls due: there is no such day; choose one that the month has'],
  ['0 0 31 4,6,9,11 *', 'never falls due'],
])('refuses the schedule %s', (text, reason) => {
  expect(whyScheduleIsRefused(text, at('2030-01-01T00:00:00Z'))).toContain(reason);
});

it('takes schedules with names, lists, ranges and steps', () => {
  for (const text of ['0 0 29 2 *', '*/5 8-18 * jan,jul mon-fri', '0 0 1,15 * *']) {
    expect(whyScheduleIsRefused(text, at('2030-01-01T00:00:00Z'))).toBeNull();
  }
});

it('knows time zones by name only', () => {
  expect(['UTC', 'Europe/Paris', 'America/Argentina/Ushuaia'].every(isTimeZone)).toBe(true);
  expect(['', 'Mars/X', '+02:00', 'Europe/Paris; x'].some(isTimeZone)).toBe(false);
});
