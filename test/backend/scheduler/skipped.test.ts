import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Log } from '../../../backend/platform/log.ts';
import { rowsOf } from '../features/rows.ts';
import { type Calendar, calendarOfTest, hourMs, inWords, minuteMs } from './support.ts';

const openedAt = calendarOfTest();
const open = (log?: Log): Promise<Calendar> => openedAt('2030-01-01T00:30:00Z', log ? { log } : {});

/** The messages at level error and info, in order. */
function listeningLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const nothing = () => undefined;
  const log: Log = {
    debug: nothing,
    warn: nothing,
    info: (message) => void lines.push(message),
    error: (message) => void lines.push(message),
    with: () => log,
  };
  return { log, lines };
}

const hourly = { full_schedule: '0 * * * *' };
const nextHour = async ({ clock, look }: Calendar): Promise<void> => {
  clock.advance(hourMs);
  await look();
};

describe('a run is skipped', () => {
  it('while the earlier task of the rule and kind has not ended, with that reason', async () => {
    const opened = await open();
    const { strategy, rule, runs, tasks, endTasks } = opened;
    const id = await rule(await strategy(hourly));
    await nextHour(opened);
    await nextHour(opened);
    const [task] = await tasks(id);
    expect(inWords(await runs(id))).toEqual([
      '2030-01-01T01:00 planned full',
      '2030-01-01T02:00 skipped full',
    ]);
    expect((await runs(id))[1]?.reason).toBe(
      `Task ${task?.id}, the full copy of an earlier run, has not ended yet.`,
    );
    await endTasks('error');
    await nextHour(opened);
    expect((await runs(id)).at(-1)?.outcome).toBe('planned');
  });

  it('but not for a task of another kind or rule', async () => {
    const opened = await open();
    const { strategy, rule, runs } = opened;
    const strategyId = await strategy({ full_schedule: '0 1 * * *', incremental_schedule: '0 2 * * *' });
    const ids = [await rule(strategyId), await rule(strategyId)];
    await nextHour(opened);
    await nextHour(opened);
    for (const id of ids) {
      expect(inWords(await runs(id))).toEqual([
        '2030-01-01T01:00 planned full',
        '2030-01-01T02:00 planned incremental',
      ]);
    }
  });

  it('for a client that is offline, unless the configuration says that its tasks are made', async () => {
    const opened = await open();
    const { strategy, rule, runs, tasks, good, db } = opened;
    const clientId = await rowsOf(db).client({ hostname: 'far' });
    const { hwid } = await db
      .selectFrom('clients')
      .select('hwid')
      .where('id', '=', clientId)
      .executeTakeFirstOrThrow();
    const id = await rule(await strategy(hourly), { client_id: `far (${hwid})` });
    await nextHour(opened);
    expect((await runs(id))[0]).toMatchObject({
      outcome: 'skipped',
      reason: 'The client far is offline, and create_new_task_if_client_offline is `no`.',
    });
    await good('PATCH', '/global_configuration', { create_new_task_if_client_offline: 'yes' });
    await nextHour(opened);
    expect((await runs(id))[1]?.outcome).toBe('planned');
    expect((await tasks(id))[0]?.client_text).toBe(`far (${hwid})`);
  });
});

describe('what fails holds up no other', () => {
  it('a rule that no task can be made of is skipped with the reason, told once, and told when it is well again', async () => {
    const { log, lines } = listeningLog();
    const opened = await open(log);
    const { strategy, rule, runs, db } = opened;
    const strategyId = await strategy(hourly);
    const [before, bad, after] = [await rule(strategyId), await rule(strategyId), await rule(strategyId)];
    await db.updateTable('strategy_rules').set({ module_extensions: '{' }).where('id', '=', bad).execute();
    for (let turn = 0; turn < 3; turn += 1) {
      await nextHour(opened);
      await opened.endTasks();
    }
    expect((await runs(bad)).map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped', 'skipped']);
    expect((await runs(bad))[0]?.reason).toContain('module_extensions cannot be read');
    for (const id of [before, after]) {
      expect((await runs(id)).map(({ outcome }) => outcome)).toEqual(['planned', 'planned', 'planned']);
    }
    expect(lines.filter((line) => line === 'a rule makes no tasks')).toHaveLength(1);
    await db.updateTable('strategy_rules').set({ module_extensions: '{}' }).where('id', '=', bad).execute();
    await nextHour(opened);
    expect(lines.at(-1)).toBe('a rule makes tasks again');
    expect((await runs(bad)).at(-1)?.outcome).toBe('planned');
  });

  it('a strategy that cannot be planned is told once in 500 looks and tried ever more seldom (case 11)', async () => {
    const { log, lines } = listeningLog();
    const opened = await open(log);
    const { strategy, rule, runs, db, clock, look } = opened;
    const bad = await strategy(hourly);
    const badRule = await rule(bad);
    const good = await rule(await strategy(hourly));
    await look();
    await db.updateTable('strategies').set({ time_zone: 'Nowhere/Nothing' }).where('id', '=', bad).execute();
    for (let turn = 0; turn < 500; turn += 1) {
      clock.advance(4 * minuteMs);
      await look();
      await opened.endTasks();
    }
    expect(await runs(good)).toHaveLength(33);
    expect(lines.filter((line) => line.includes('cannot be planned'))).toHaveLength(1);
    await db.updateTable('strategies').set({ time_zone: 'UTC' }).where('id', '=', bad).execute();
    clock.advance(minuteMs);
    await look();
    expect((await runs(badRule)).filter(({ outcome }) => outcome === 'planned')).toHaveLength(1);
    expect(lines.at(-1)).toBe('the runs of a strategy are planned again');
  });

  it('a table that cannot be written loses no run', async () => {
    const opened = await open();
    const { strategy, rule, runs, tasks, db, clock, look } = opened;
    const id = await rule(await strategy(hourly));
    await look();
    await db.schema.alterTable('strategy_rule_runs').renameTo('elsewhere').execute();
    await nextHour(opened);
    expect(await tasks(id)).toEqual([]);
    await db.schema.alterTable('elsewhere').renameTo('strategy_rule_runs').execute();
    clock.advance(minuteMs);
    await look();
    expect(inWords(await runs(id))).toEqual(['2030-01-01T01:00 planned full']);
    expect(await tasks(id)).toHaveLength(1);
  });

  it('one task that the database refuses, among thousands of two strategies, takes none of the others and leaves its own strategy to be planned again', async () => {
    const { log, lines } = listeningLog();
    const opened = await open(log);
    const { strategy, rule, db, clock, look } = opened;
    const [good, bad] = [await strategy(hourly), await strategy(hourly)];
    const first = [await rule(good), await rule(bad)];
    // In turns, so that each transaction has rules of both.
    const rules = await db.selectFrom('strategy_rules').selectAll().where('id', 'in', first).execute();
    for (let copy = 0; copy < 1_300; copy += 50) {
      const some = Array.from({ length: 50 }, (_, index) =>
        rules.map(({ id: _id, ...values }) => ({ ...values, resource: `/etc/${copy + index}` })),
      );
      await db.insertInto('strategy_rules').values(some.flat()).execute();
    }
    await look();
    const ofBad = await db.selectFrom('strategy_rules').select('id').where('strategy_id', '=', bad).execute();
    const refused = ofBad[700]?.id ?? 0;
    await sql`create trigger refuse before insert on tasks when new.strategy_rule_id = ${sql.lit(refused)}
      begin select raise(abort, 'refused by the test'); end`.execute(db);
    await nextHour(opened);
    const planned = async (strategyId: number): Promise<readonly number[]> => {
      const rows = await db
        .selectFrom('tasks')
        .innerJoin('strategy_rules', 'strategy_rules.id', 'tasks.strategy_rule_id')
        .innerJoin('strategy_rule_runs', 'strategy_rule_runs.task_id', 'tasks.id')
        .select(({ fn }) => [fn.countAll<number>().as('count'), 'tasks.strategy_rule_id as rule'])
        .where('strategy_rules.strategy_id', '=', strategyId)
        .groupBy('tasks.strategy_rule_id')
        .execute();
      if (rows.some(({ count }) => count !== 1)) throw new Error('a run was made twice');
      return rows.map((row) => row.rule ?? 0);
    };
    expect(await planned(good)).toHaveLength(1301);
    // What of it was committed before stays; the rest comes when the database takes it.
    expect(await planned(bad)).toContain(first[1]);
    expect(await planned(bad)).not.toContain(refused);
    expect(lines.filter((line) => line.includes('cannot be planned'))).toHaveLength(1);
    await sql`drop trigger refuse`.execute(db);
    clock.advance(minuteMs);
    await look();
    expect(await planned(bad)).toHaveLength(1301);
    expect(lines.at(-1)).toBe('the runs of a strategy are planned again');
  });
});
