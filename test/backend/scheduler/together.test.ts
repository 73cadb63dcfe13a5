import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { calendarOfTest, hourMs, inWords, minuteMs } from './support.ts';

const openedAt = calendarOfTest();
const hourly = { full_schedule: '0 * * * *' };

describe('strategies that fall due at one look', () => {
  it('are planned rule by rule, each task as its own strategy and rule say', async () => {
    const { strategy, rule, runs, tasks, clock, look, good } = await openedAt('2030-01-01T00:30:00Z');
    const [server] = await good<{ name: string }[]>('GET', '/media_servers');
    const other = { pool_name: 'Other', pool_type: 'File system', media_server: server?.name };
    await good('POST', '/pools', other);
    const first = await strategy({ ...hourly, storage_duration: '1 week' });
    const second = await strategy({
      incremental_schedule: '15 * * * *',
      pool: 'Other',
      crypto: 'aes-256-gcm',
    });
    const ids: number[] = [];
    for (const [index, id] of [first, second, first, second].entries()) {
      ids.push(await rule(id, { resource: `/srv/${index}`, priority: 100 + index }));
    }
    clock.advance(hourMs);
    await look();
    const made = (await Promise.all(ids.map(tasks))).flat();
    expect(made.map(({ strategy_rule_id }) => strategy_rule_id)).toEqual(ids);
    expect(
      made.map((task) => [
        task.resource,
        task.backup_type,
        task.pool_name,
        task.crypto,
        task.storage_duration,
      ]),
    ).toEqual([
      ['/srv/0', 'full', 'Default', 'nocrypt', '1 week'],
      ['/srv/1', 'incremental', 'Other', 'aes-256-gcm', null],
      ['/srv/2', 'full', 'Default', 'nocrypt', '1 week'],
      ['/srv/3', 'incremental', 'Other', 'aes-256-gcm', null],
    ]);
    expect(made.map(({ priority }) => priority)).toEqual([100, 101, 102, 103]);
    expect(made.map(({ module_extensions }) => Object.keys(JSON.parse(module_extensions ?? '')))).toEqual(
      ids.map(() => ['parameters']),
    );
    for (const [index, id] of ids.entries()) {
      const [run, ...more] = await runs(id);
      expect([run?.taskId, more]).toEqual([made[index]?.id, []]);
      expect(inWords(run ? [run] : [])).toEqual([
        index % 2 === 0 ? '2030-01-01T01:00 planned full' : '2030-01-01T01:15 planned incremental',
      ]);
    }
  });

  it('do not hold each other up when the tasks of one cannot be written; it is made up for later', async () => {
    const { strategy, rule, runs, tasks, clock, look, db } = await openedAt('2030-01-01T00:30:00Z');
    const [good, bad, after] = [await strategy(hourly), await strategy(hourly), await strategy(hourly)];
    const ids = [await rule(good), await rule(bad), await rule(after)];
    const broken = ids[1] ?? 0;
    await sql`create trigger refuse_one before insert on tasks when new.strategy_rule_id = ${sql.lit(broken)}
      begin select raise(abort, 'no more of these'); end`.execute(db);
    clock.advance(hourMs);
    await look();
    expect(await Promise.all(ids.map(async (id) => (await tasks(id)).length))).toEqual([1, 0, 1]);
    expect(await runs(broken)).toEqual([]);
    await sql`drop trigger refuse_one`.execute(db);
    clock.advance(minuteMs);
    await look();
    expect(inWords(await runs(broken))).toEqual(['2030-01-01T01:00 planned full']);
    expect(await Promise.all(ids.map(async (id) => (await tasks(id)).length))).toEqual([1, 1, 1]);
  });

  it('leave out a rule that waits or is gone by then', async () => {
    const { strategy, rule, runs, tasks, clock, look, db, good } = await openedAt('2030-01-01T00:30:00Z');
    const [first, second] = [await strategy(hourly), await strategy(hourly)];
    const ids = [await rule(first), await rule(second)];
    await good('PATCH', `/strategy_rules/${ids[0]}`, { data: { strategy_rule: { status: 'wait' } } });
    await db
      .deleteFrom('strategy_rules')
      .where('id', '=', ids[1] ?? 0)
      .execute();
    clock.advance(hourMs);
    await look();
    for (const id of ids) expect([await runs(id), await tasks(id)]).toEqual([[], []]);
  });
});

describe('a full copy and another one of the same resource that fall due together', () => {
  const daily = { incremental_schedule: '0 0 * * *' };
  const monthly = { full_schedule: '0 0 1 * *' };

  it('become the full one alone, of whatever rule and strategy; the other is noted as covered and no alarm', async () => {
    const { strategy, rule, runs, tasks, pass, endTasks, good } = await openedAt('2030-01-30T12:00:00Z');
    const often = await strategy(daily);
    const covered = await rule(often, { resource: '/srv/data' });
    const other = await rule(often, { resource: '/srv/other' });
    const full = await rule(await strategy(monthly), { resource: '/srv/data' });
    await pass(36 * hourMs, hourMs);
    expect(inWords(await runs(covered))).toEqual([
      '2030-01-31T00:00 planned incremental',
      '2030-02-01T00:00 covered incremental',
    ]);
    expect((await runs(covered)).at(-1)).toMatchObject({
      taskId: null,
      reason: expect.stringContaining(`Rule ${full} makes a full copy of the same resource`),
    });
    expect(inWords(await runs(full))).toEqual(['2030-02-01T00:00 planned full']);
    expect((await tasks(covered)).map(({ created_ms }) => new Date(created_ms).toISOString())).toEqual([
      '2030-01-31T00:00:00.000Z',
    ]);
    expect(inWords(await runs(other)).at(-1)).toBe('2030-02-01T00:00 planned incremental');
    await endTasks();
    expect((await good<{ overdue: object[] }>('GET', '/statistics?days=1')).overdue).toEqual([]);
    await pass(24 * hourMs, hourMs);
    expect(inWords(await runs(covered)).at(-1)).toBe('2030-02-02T00:00 planned incremental');
  });

  it('are both made when the full one is not, and of two rules that make none both', async () => {
    const { strategy, rule, runs, clock, look } = await openedAt('2030-01-31T12:00:00Z');
    const resource = '/srv/data';
    const often = await strategy(daily);
    const ids = [await rule(often, { resource }), await rule(await strategy(daily), { resource })];
    const waits = await rule(await strategy(monthly), { resource, status: 'wait' });
    // Another kind of resource of the same name.
    const image = await rule(await strategy(monthly), { resource, resource_type: 'Block device' });
    clock.advance(13 * hourMs);
    await look();
    for (const id of ids) expect(inWords(await runs(id))).toEqual(['2030-02-01T00:00 planned incremental']);
    expect(await runs(waits)).toEqual([]);
    expect(inWords(await runs(image))).toEqual(['2030-02-01T00:00 planned full']);
  });

  it('are both there where the full one is skipped, since its earlier task goes on', async () => {
    const { strategy, rule, runs, clock, look } = await openedAt('2030-01-30T12:00:00Z');
    const resource = '/srv/data';
    const small = await rule(await strategy(daily), { resource });
    const full = await rule(await strategy({ full_schedule: '0 0 * * *' }), { resource });
    for (let day = 0; day < 2; day += 1) {
      clock.advance(24 * hourMs);
      await look();
    }
    expect(inWords(await runs(full))).toEqual([
      '2030-01-31T00:00 planned full',
      '2030-02-01T00:00 skipped full',
    ]);
    expect(inWords(await runs(small))).toEqual([
      '2030-01-31T00:00 covered incremental',
      '2030-02-01T00:00 planned incremental',
    ]);
  });

  it('are told apart after a stop between the two', async () => {
    const { strategy, rule, runs, clock, look, db } = await openedAt('2030-01-31T12:00:00Z');
    const covered = await rule(await strategy(daily), { resource: '/srv/data' });
    const full = await rule(await strategy(monthly), { resource: '/srv/data' });
    await sql`create trigger refuse_notes before insert on strategy_rule_runs when new.rule_id = ${sql.lit(covered)}
        begin select raise(abort, 'refused'); end`.execute(db);
    clock.advance(13 * hourMs);
    await look();
    expect(inWords(await runs(full))).toEqual(['2030-02-01T00:00 planned full']);
    expect(await runs(covered)).toEqual([]);
    await sql`drop trigger refuse_notes`.execute(db);
    clock.advance(minuteMs);
    await look();
    expect(inWords(await runs(covered))).toEqual(['2030-02-01T00:00 covered incremental']);
  });
});
