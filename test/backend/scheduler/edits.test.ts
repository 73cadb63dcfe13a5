import { describe, expect, it } from 'vitest';
import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import { at, calendarOfTest, hourMs, inWords, minuteMs } from './support.ts';

const open = calendarOfTest();

describe('a strategy that is changed several times before one look', () => {
  it('makes what was due under each of its schedules, in between too', async () => {
    const { strategy, rule, look, clock, runs, good } = await open('2030-01-01T01:00:00Z');
    const strategyId = await strategy({ full_schedule: '0 3 * * *' });
    const id = await rule(strategyId);
    await look();
    const change = (values: object) => good('PATCH', `/strategies/${strategyId}`, { data: values });
    clock.set(at('2030-01-01T01:10:00Z'));
    await change({ full_schedule: null, incremental_schedule: '20 1 * * *' });
    clock.set(at('2030-01-01T01:30:00Z'));
    await change({ incremental_schedule: '40 1 * * *' });
    clock.set(at('2030-01-01T01:35:00Z'));
    await change({ enabled: false });
    clock.set(at('2030-01-01T01:50:00Z'));
    await change({ enabled: true, incremental_schedule: '0 2 * * *' });
    clock.set(at('2030-01-01T02:10:00Z'));
    await look();
    expect(inWords(await runs(id))).toEqual([
      '2030-01-01T01:20 missed incremental',
      '2030-01-01T02:00 planned incremental',
    ]);
  });

  it('counts each change once: the next look goes on from the last one', async () => {
    const { strategy, rule, look, pass, clock, runs, good, db } = await open('2030-01-01T01:00:00Z');
    const strategyId = await strategy({ full_schedule: '0 3 * * *' });
    const id = await rule(strategyId);
    await look();
    for (const full_schedule of ['30 1 * * *', '45 1 * * *']) {
      await good('PATCH', `/strategies/${strategyId}`, { data: { full_schedule } });
    }
    clock.advance(minuteMs);
    await look();
    expect(await db.selectFrom('strategy_schedule_changes').selectAll().execute()).toEqual([]);
    await pass(hourMs);
    expect(inWords(await runs(id))).toEqual(['2030-01-01T01:45 planned full']);
  });

  it('keeps its changes until what they made due is planned, over a restart in service mode', async () => {
    const { strategy, rule, look, restart, clock, runs, good } = await open('2030-01-01T01:00:00Z');
    const strategyId = await strategy({ full_schedule: '0 3 * * *' });
    const id = await rule(strategyId);
    await look();
    await good('PATCH', '/global_configuration/service_mode', { service_mode: true });
    await good('PATCH', `/strategies/${strategyId}`, { data: { full_schedule: '20 1 * * *' } });
    clock.set(at('2030-01-01T01:30:00Z'));
    await good('PATCH', `/strategies/${strategyId}`, { data: { full_schedule: '0 5 1 1 *' } });
    await look();
    await restart(10 * minuteMs);
    const { overdue } = await good<{ overdue: OverdueRule[] }>('GET', '/statistics?days=1');
    expect(overdue).toMatchObject([{ rule_id: id, utc: '2030-01-01T01:20:00Z' }]);
    await good('PATCH', '/global_configuration/service_mode', { service_mode: false });
    await look();
    expect(inWords(await runs(id))).toEqual(['2030-01-01T01:20 planned full']);
  });
});

describe('a strategy that no look has seen yet', () => {
  it.each([
    ['its priority', { priority: 300 }],
    ['its schedule', { full_schedule: '0 5 1 1 *' }],
  ])('loses no run that was due before a change of %s', async (_, values) => {
    const { strategy, rule, look, clock, runs, good } = await open('2030-01-01T01:00:00Z');
    await good('PATCH', '/global_configuration/service_mode', { service_mode: true });
    const strategyId = await strategy({ full_schedule: '0 2 * * *' });
    const id = await rule(strategyId);
    clock.set(at('2030-01-01T02:30:00Z'));
    await good('PATCH', `/strategies/${strategyId}`, { data: values });
    const { overdue } = await good<{ overdue: OverdueRule[] }>('GET', '/statistics?days=1');
    expect(overdue).toMatchObject([{ rule_id: id, utc: '2030-01-01T02:00:00Z' }]);
    await good('PATCH', '/global_configuration/service_mode', { service_mode: false });
    await look();
    expect(inWords(await runs(id))).toEqual(['2030-01-01T02:00 planned full']);
  });
});
