import { describe, expect, it } from 'vitest';
import { at, calendarOfTest, dayMs, hourMs, inWords, minuteMs } from './support.ts';

const open = calendarOfTest();

describe('a run that falls due', () => {
  it('becomes one task with what strategy and rule say', async () => {
    const { strategy, rule, pass, runs, tasks, look } = await open('2030-01-01T01:58:00Z');
    const id = await rule(
      await strategy({ full_schedule: '0 2 * * *', storage_duration: '2 week', crypto: 'age' }),
      { priority: 700, resource: '/var/log' },
    );
    await look();
    expect(await runs(id)).toEqual([]);
    await pass(3 * minuteMs);
    expect(inWords(await runs(id))).toEqual(['2030-01-01T02:00 planned full']);
    const [task, ...others] = await tasks(id);
    expect(others).toEqual([]);
    expect(task).toMatchObject({
      task_type: 'backup_strategy',
      backup_type: 'full',
      priority: 700,
      resource: '/var/log',
      resource_type: 'File system',
      pool_name: 'Default',
      crypto: 'age',
      storage_duration: '2 weeks',
      strategy_rule_id: id,
      archiving: 0,
    });
    expect(JSON.parse(task?.common_modules_extensions ?? '')).toMatchObject({
      parameters: { worker_parallelism: 8 },
    });
    expect((await runs(id))[0]?.taskId).toBe(task?.id);
  });

  it('keeps as long as the pool says when the strategy does not', async () => {
    const { strategy, rule, pass, tasks, db } = await open('2030-01-01T01:58:00Z');
    await db.updateTable('pools').set({ retention_period: '3 months' }).execute();
    const id = await rule(await strategy({ full_schedule: '0 2 * * *' }));
    await pass(3 * minuteMs);
    expect((await tasks(id))[0]?.storage_duration).toBe('3 months');
  });

  it('is the full one alone when several fall due together', async () => {
    const { strategy, rule, pass, runs } = await open('2030-01-05T23:58:00Z');
    const id = await rule(
      await strategy({
        full_schedule: '0 0 * * 0',
        incremental_schedule: '0 0 * * *',
        differential_schedule: '0 0 * * 3',
      }),
    );
    await pass(4 * dayMs, hourMs);
    expect(inWords(await runs(id))).toEqual([
      '2030-01-06T00:00 planned full',
      '2030-01-07T00:00 planned incremental',
      '2030-01-08T00:00 planned incremental',
      '2030-01-09T00:00 planned differential',
    ]);
  });

  it('is made for rules in state run alone, inside the validity, while the strategy is on', async () => {
    const { strategy, rule, pass, runs, good, db } = await open('2030-01-01T00:30:00Z');
    const hourly = { incremental_schedule: '0 * * * *' };
    const on = await strategy(hourly);
    const waiting = await rule(on, { status: 'wait' });
    const running = await rule(on);
    const off = await rule(await strategy({ ...hourly, enabled: false }));
    const short = await rule(await strategy(hourly));
    const [shortStrategy] = await good<{ id: number; name: string }[]>('GET', '/strategies?name=S3');
    await db
      .updateTable('strategies')
      .set({ valid_from_ms: at('2030-01-01T02:00:00Z'), valid_until_ms: at('2030-01-01T04:00:00Z') })
      .where('id', '=', shortStrategy?.id ?? -1)
      .execute();
    await pass(5 * hourMs);
    expect(await runs(waiting)).toEqual([]);
    expect(await runs(off)).toEqual([]);
    expect(await runs(running)).toHaveLength(5);
    expect((await runs(short)).map(({ due }) => due)).toEqual(['2030-01-01T02:00', '2030-01-01T03:00']);
    await good('PATCH', `/strategy_rules/${waiting}`, { data: { strategy_rule: { status: 'run' } } });
    await pass(hourMs);
    expect(inWords(await runs(waiting))).toEqual(['2030-01-01T06:00 planned incremental']);
  });
});

describe('the change of the clocks', () => {
  it('leaves a daily run at its wall time (case 52)', async () => {
    for (const start of ['2030-03-30T00:00:00Z', '2030-10-26T00:00:00Z']) {
      const { strategy, rule, pass, runs } = await open(start);
      const id = await rule(await strategy({ full_schedule: '0 14 * * *', time_zone: 'Europe/Paris' }));
      await pass(3 * dayMs, 15 * minuteMs);
      const hour = new Intl.DateTimeFormat('en', {
        timeZone: 'Europe/Paris',
        timeStyle: 'short',
        hourCycle: 'h23',
      });
      const made = await runs(id);
      expect(made.map(({ due }) => hour.format(at(`${due}Z`)))).toEqual(['14:00', '14:00', '14:00']);
    }
  });

  it('makes hourly runs through the repeated hour, one each (case 53)', async () => {
    const { strategy, rule, pass, runs, tasks } = await open('2030-10-26T23:30:00Z');
    const id = await rule(await strategy({ full_schedule: '0 * * * *', time_zone: 'Europe/Paris' }));
    await pass(4 * hourMs);
    expect((await runs(id)).map(({ due }) => due.slice(11))).toEqual(['00:00', '01:00', '02:00', '03:00']);
    expect(new Set((await tasks(id)).map((task) => task.id)).size).toBe(4);
  });

  it('makes a run of the skipped hour once and of the repeated hour once (case 54)', async () => {
    const spring = await open('2030-03-30T23:00:00Z');
    const gap = await spring.rule(
      await spring.strategy({ full_schedule: '30 2 * * *', time_zone: 'Europe/Paris' }),
    );
    await spring.pass(4 * hourMs);
    expect(inWords(await spring.runs(gap))).toEqual(['2030-03-31T01:00 planned full']);
    const autumn = await open('2030-10-27T04:00:00Z');
    const twice = await autumn.rule(
      await autumn.strategy({ full_schedule: '30 1 * * *', time_zone: 'America/New_York' }),
    );
    autumn.clock.set(at('2030-11-03T04:00:00Z'));
    await autumn.look();
    await autumn.endTasks();
    await autumn.pass(6 * hourMs);
    const day = (await autumn.runs(twice)).filter(({ due }) => due.startsWith('2030-11-03'));
    expect(inWords(day)).toEqual(['2030-11-03T05:30 planned full']);
  });

  it('goes on every quarter of an hour through the repeat (case 56)', async () => {
    const { strategy, rule, pass, runs } = await open('2030-10-26T22:59:00Z');
    const id = await rule(
      await strategy({ incremental_schedule: '*/15 * * * *', time_zone: 'Europe/Paris' }),
    );
    await pass(5 * hourMs);
    const times = (await runs(id)).map(({ due }) => at(`${due}Z`));
    expect(times).toHaveLength(20);
    expect(new Set(times.slice(1).map((time, index) => time - (times[index] ?? 0)))).toEqual(
      new Set([15 * minuteMs]),
    );
  });

  it('has one moment for all, whatever zone they look from (case 61)', async () => {
    const { strategy, rule, pass, runs, good } = await open('2030-01-01T23:50:00Z');
    const strategyId = await strategy({ full_schedule: '0 9 * * *', time_zone: 'Asia/Tokyo' });
    const id = await rule(strategyId);
    const { next_runs: ahead } = await good<{ next_runs: { utc: string }[] }>(
      'GET',
      `/strategies/${strategyId}`,
    );
    await pass(20 * minuteMs);
    expect(ahead[0]?.utc).toBe('2030-01-02T00:00:00Z');
    expect((await runs(id)).map(({ due }) => due)).toEqual(['2030-01-02T00:00']);
  });
});
