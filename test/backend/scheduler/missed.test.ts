import { describe, expect, it } from 'vitest';
import { at, calendarOfTest, dayMs, hourMs, inWords, minuteMs } from './support.ts';

const open = calendarOfTest();

describe('runs that were missed', () => {
  it('are made up for once after sleep over three of them, the others are noted as missed (case 57)', async () => {
    const { strategy, rule, look, clock, runs, tasks } = await open('2030-01-01T12:00:00Z');
    const id = await rule(await strategy({ full_schedule: '0 2 * * *' }));
    await look();
    clock.advance(2 * dayMs + 20 * hourMs);
    await look();
    expect(inWords(await runs(id))).toEqual([
      '2030-01-02T02:00 missed full',
      '2030-01-03T02:00 missed full',
      '2030-01-04T02:00 planned full',
    ]);
    const [first, , last] = await runs(id);
    expect(first?.reason).toContain('makes up for it');
    expect(last?.reason).toContain('makes up for all it missed');
    expect(await tasks(id)).toHaveLength(1);
  });

  it('are made up for after a restart, and the next run is at its set time (case 58)', async () => {
    const { strategy, rule, look, restart, pass, endTasks, runs } = await open('2030-01-01T22:00:00Z');
    const id = await rule(await strategy({ full_schedule: '0 2,14 * * *' }));
    await look();
    await restart(6 * hourMs);
    await endTasks();
    // Each start again and each look again.
    for (let turn = 0; turn < 3; turn += 1) await restart(minuteMs);
    await pass(12 * hourMs);
    expect(inWords(await runs(id))).toEqual([
      '2030-01-02T02:00 planned full',
      '2030-01-02T14:00 planned full',
    ]);
    expect((await runs(id))[1]?.reason).toBeNull();
  });

  it('are made up for by the widest kind', async () => {
    const { strategy, rule, restart, look, runs } = await open('2030-01-05T12:00:00Z');
    const plan = { full_schedule: '0 0 * * 0', incremental_schedule: '0 * * * *' };
    const id = await rule(await strategy(plan));
    await look();
    await restart(15 * hourMs);
    const noted = await runs(id);
    expect(noted).toHaveLength(15);
    expect(inWords(noted.filter(({ outcome }) => outcome === 'planned'))).toEqual([
      '2030-01-06T00:00 planned full',
    ]);
  });

  it('are listed in part after a year of a run each minute, with the span of the others', async () => {
    const { strategy, rule, look, restart, runs, tasks } = await open('2030-01-01T12:00:30Z');
    const id = await rule(await strategy({ full_schedule: '0 3 1 1 *', incremental_schedule: '* * * * *' }));
    await look();
    await restart(366 * dayMs);
    const noted = await runs(id);
    expect(noted.length).toBeLessThan(1500);
    expect(inWords(noted.filter(({ outcome }) => outcome === 'planned'))).toEqual([
      '2031-01-01T03:00 planned full',
    ]);
    expect(noted[0]?.due).toBe('2030-01-01T12:01');
    expect(noted[0]?.reason).toContain('all further incremental runs before');
    expect(await tasks(id)).toHaveLength(1);
  });

  it('wait for the end of the service mode, then one is made', async () => {
    const { strategy, rule, pass, runs, tasks, good } = await open('2030-01-01T00:30:00Z');
    const id = await rule(await strategy({ full_schedule: '0 * * * *' }));
    await pass(hourMs);
    await good('PATCH', '/global_configuration/service_mode', { service_mode: true });
    await pass(3 * hourMs);
    expect(await tasks(id)).toHaveLength(1);
    await good('PATCH', '/global_configuration/service_mode', { service_mode: false });
    await pass(minuteMs);
    expect(inWords(await runs(id))).toEqual([
      '2030-01-01T01:00 planned full',
      '2030-01-01T02:00 missed full',
      '2030-01-01T03:00 missed full',
      '2030-01-01T04:00 planned full',
    ]);
  });

  it('of rules from before the scheduler are nobody’s', async () => {
    const { strategy, rule, db, start, clock, runs, pass } = await open('2030-01-01T00:30:00Z');
    const id = await rule(await strategy({ full_schedule: '0 * * * *' }));
    await db.updateTable('strategy_rules').set({ runs_since_ms: null }).execute();
    clock.advance(100 * dayMs);
    await start();
    await pass(hourMs);
    expect(inWords(await runs(id))).toEqual(['2030-04-11T01:00 planned full']);
  });
});

describe('a clock that jumps', () => {
  it('back makes nothing twice', async () => {
    const { strategy, rule, pass, runs, tasks, clock } = await open('2030-01-01T00:30:00Z');
    const id = await rule(await strategy({ full_schedule: '*/30 * * * *' }));
    await pass(2 * hourMs);
    clock.set(clock.now() - 80 * minuteMs);
    await pass(2 * hourMs);
    const noted = await runs(id);
    expect(noted.map(({ due }) => due.slice(11))).toEqual(['01:00', '01:30', '02:00', '02:30', '03:00']);
    expect(await tasks(id)).toHaveLength(5);
  });

  it('a year ahead and back goes on as if nothing had been', async () => {
    const { strategy, rule, pass, look, endTasks, runs, clock } = await open('2030-01-01T12:00:00Z');
    const id = await rule(await strategy({ full_schedule: '0 2 * * *' }));
    await look();
    clock.set(at('2031-01-01T12:00:00Z'));
    await look();
    await endTasks();
    clock.set(at('2030-01-01T12:05:00Z'));
    await pass(3 * dayMs, 10 * minuteMs);
    const now = (await runs(id)).filter(({ due }) => due < '2030-02');
    expect(inWords(now)).toEqual([
      '2030-01-02T02:00 planned full',
      '2030-01-03T02:00 planned full',
      '2030-01-04T02:00 planned full',
    ]);
  });
});

describe('a rule begun while the clock was ahead', () => {
  it('runs from when the clock is right again, and no run of its goes unnoticed', async () => {
    const { strategy, rule, pass, runs, clock, good } = await open('2030-01-01T12:00:00Z');
    const strategyId = await strategy({ full_schedule: '0 2 * * *' });
    clock.set(at('2031-01-01T12:00:00Z'));
    const id = await rule(strategyId);
    await pass(minuteMs);
    clock.set(at('2030-01-01T12:05:00Z'));
    await pass(2 * dayMs, 10 * minuteMs);
    const made = ['2030-01-02T02:00 planned full', '2030-01-03T02:00 planned full'];
    expect(inWords(await runs(id))).toEqual(made);
    // The next one is not made in time.
    clock.advance(dayMs);
    const { overdue } = await good<{ overdue: unknown[] }>('GET', '/statistics?days=1');
    expect(overdue).toMatchObject([{ rule_id: id, utc: '2030-01-04T02:00:00Z' }]);
  });
});

describe('a schedule that is changed', () => {
  it('counts from the change; what fell due before went by the old one', async () => {
    const { strategy, rule, look, pass, clock, runs, good } = await open('2030-01-01T01:00:00Z');
    const strategyId = await strategy({ full_schedule: '0 2 * * *' });
    const id = await rule(strategyId);
    await look();
    // Half a second after it fell due, before the next look.
    clock.set(at('2030-01-01T02:00:00.500Z'));
    const patch = { full_schedule: '30 1,2 * * *' };
    await good('PATCH', `/strategies/${strategyId}`, { data: patch });
    clock.advance(500);
    await look();
    await pass(hourMs);
    expect(inWords(await runs(id))).toEqual([
      '2030-01-01T02:00 planned full',
      '2030-01-01T02:30 planned full',
    ]);
  });

  it('just before it falls due no longer falls due then', async () => {
    const { strategy, rule, look, pass, clock, runs, good } = await open('2030-01-01T01:00:00Z');
    const strategyId = await strategy({ full_schedule: '0 2 * * *' });
    const id = await rule(strategyId);
    await look();
    clock.set(at('2030-01-01T01:59:59.500Z'));
    await good('PATCH', `/strategies/${strategyId}`, { data: { full_schedule: '0 3 * * *' } });
    await pass(2 * hourMs);
    expect(inWords(await runs(id))).toEqual(['2030-01-01T03:00 planned full']);
  });

  it('in other fields only loses no run that has just fallen due', async () => {
    const { strategy, rule, look, clock, runs, good } = await open('2030-01-01T01:00:00Z');
    const strategyId = await strategy({ full_schedule: '0 2 * * *' });
    const id = await rule(strategyId);
    await look();
    clock.set(at('2030-01-01T02:00:00.500Z'));
    await good('PATCH', `/strategies/${strategyId}`, { data: { priority: 300 } });
    await good('PATCH', `/strategy_rules/${id}`, { data: { strategy_rule: { priority: 400 } } });
    clock.advance(500);
    await look();
    expect(inWords(await runs(id))).toEqual(['2030-01-01T02:00 planned full']);
  });
});
