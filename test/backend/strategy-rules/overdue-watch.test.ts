import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Change, createAnnouncements } from '../../../backend/features/announce.ts';
import { createOverdueWatch } from '../../../backend/features/strategy-rules/overdue-watch.ts';
import { createStrategyRuleService } from '../../../backend/features/strategy-rules/strategy-rule-service.ts';
import type { Log } from '../../../backend/platform/log.ts';
import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import { type Calendar, hourMs, minuteMs, openCalendar } from '../scheduler/support.ts';

let calendar: Calendar;
let ruleId: number;
let clientId: number;
let changes: Change[];
let lines: [string, string, unknown][];
let look: () => Promise<void>;
beforeEach(async () => {
  calendar = await openCalendar('2030-01-01T00:30:00Z');
  ruleId = await calendar.rule(await calendar.strategy({ full_schedule: '0 * * * *' }));
  clientId = (await calendar.good<{ id: number }[]>('GET', '/clients'))[0]?.id ?? 0;
  await calendar.look();
  look = startWatch();
  changes = [];
  lines = [];
});
afterEach(() => calendar.close());

/** As a start of the server makes it: it remembers nothing itself. */
function startWatch(): () => Promise<void> {
  const { announce, listen } = createAnnouncements();
  listen((change) => changes.push(change));
  const write = (level: string) => (message: string, facts?: object) => {
    lines.push([level, message, facts]);
  };
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const deps = { ...calendar.app.built.features, announce, log: log as unknown as Log };
  const rules = createStrategyRuleService(deps);
  return createOverdueWatch({ ...deps, overdue: () => rules.overdue(null) });
}
const nextHour = async (): Promise<void> => {
  calendar.clock.advance(hourMs);
  await calendar.look();
};
const change = async (values: object): Promise<void> => {
  const [strategy] = await calendar.good<{ id: number }[]>('GET', '/strategies');
  await calendar.good('PATCH', `/strategies/${strategy?.id}`, { data: values });
};
const told = () => lines.map(([level, message]) => `${level} ${message}`);
const overdue = async () =>
  (await calendar.good<{ overdue: OverdueRule[] }>('GET', '/statistics?days=1')).overdue;
const becameOverdue = 'warn rules have become overdue';
const isWell = 'info rules are not overdue any more';

describe('the watch for overdue rules', () => {
  it('tells once when a rule becomes overdue and once when it is well again (case 97)', async () => {
    await nextHour();
    await calendar.endTasks();
    await look();
    expect([told(), changes]).toEqual([[], []]);
    await nextHour();
    await calendar.endTasks('error');
    await look();
    await look();
    expect(told()).toEqual([becameOverdue]);
    expect(lines[0]?.[2]).toMatchObject({
      total: 1,
      rules: [{ rule: ruleId, resource: '/etc', due: '2030-01-01T02:00:00.000Z' }],
    });
    const change = { kind: 'client', action: 'changed', id: clientId, clientGroupId: 1 };
    expect(changes).toEqual([change]);
    await nextHour();
    await calendar.endTasks('error');
    await look();
    expect(told()).toEqual([becameOverdue]);
    await nextHour();
    await calendar.endTasks();
    await look();
    await look();
    expect(told()).toEqual([becameOverdue, isWell]);
    expect(changes).toEqual([change, change]);
  });

  it('does not take the beginning of a task for its good end', async () => {
    await nextHour();
    await calendar.endTasks('error');
    await look();
    await nextHour();
    await look();
    expect(told()).toEqual([becameOverdue]);
    await calendar.endTasks('error');
    await look();
    expect(told()).toEqual([becameOverdue]);
  });

  it('tells nothing twice after a restart, and what changed meanwhile once', async () => {
    await nextHour();
    await calendar.endTasks('error');
    await look();
    look = startWatch();
    await look();
    expect(told()).toEqual([becameOverdue]);
    await nextHour();
    await calendar.endTasks();
    look = startWatch();
    await look();
    expect(told()).toEqual([becameOverdue, isWell]);
  });

  it('notices runs that nobody has planned, but not while a scheduler that has woken makes up for them', async () => {
    calendar.clock.advance(hourMs);
    expect(await overdue()).toMatchObject([{ rule_id: ruleId, utc: '2030-01-01T01:00:00Z', task_id: null }]);
    await look();
    expect(told()).toEqual([]);
    await calendar.look();
    await calendar.endTasks();
    await look();
    expect([told(), await overdue()]).toEqual([[], []]);

    await calendar.good('PATCH', '/global_configuration/service_mode', { service_mode: true });
    await nextHour();
    calendar.clock.advance(5 * minuteMs);
    await look();
    await look();
    expect(told()).toEqual([becameOverdue]);
    expect((await overdue())[0]?.reason).toContain('service mode');
    await calendar.good('PATCH', '/global_configuration/service_mode', { service_mode: false });
    await calendar.look();
    await look();
    expect(told()).toEqual([becameOverdue]);
    await calendar.endTasks();
    await look();
    expect(told()).toEqual([becameOverdue, isWell]);
  });

  it('is not quietened by a change of the strategy: the run that was due before is owed still', async () => {
    await calendar.good('PATCH', '/global_configuration/service_mode', { service_mode: true });
    calendar.clock.advance(hourMs);
    for (const values of [{ priority: 300 }, { full_schedule: '0 0 1 1 *' }]) {
      await change(values);
      await look();
      await look();
      expect(told()).toEqual([becameOverdue]);
      expect(await overdue()).toMatchObject([{ rule_id: ruleId, utc: '2030-01-01T01:00:00Z' }]);
    }
    await calendar.good('PATCH', '/global_configuration/service_mode', { service_mode: false });
    await calendar.look();
    await calendar.endTasks();
    await look();
    expect(told()).toEqual([becameOverdue, isWell]);
  });

  it('goes by the schedule that held when the run was due', async () => {
    await calendar.good('PATCH', '/global_configuration/service_mode', { service_mode: true });
    await change({ full_schedule: '45 * * * *' });
    calendar.clock.advance(hourMs);
    expect(await overdue()).toMatchObject([{ rule_id: ruleId, utc: '2030-01-01T00:45:00Z' }]);
  });

  it('waits five minutes for the scheduler, and forgets rules that wait or are gone', async () => {
    calendar.clock.advance(34 * minuteMs);
    expect(await overdue()).toEqual([]);
    calendar.clock.advance(minuteMs);
    expect(await overdue()).toHaveLength(1);
    await look();
    await look();
    expect(told()).toEqual([becameOverdue]);
    await calendar.good('PATCH', `/strategy_rules/${ruleId}`, {
      data: { strategy_rule: { status: 'wait' } },
    });
    await look();
    expect(told()).toEqual([becameOverdue, isWell]);
    await calendar.good('DELETE', '/strategy_rules', { ids: [ruleId] });
    await look();
    expect(told()).toEqual([becameOverdue, isWell]);
  });

  it('names the rules of a strategy that cannot be planned at all', async () => {
    await calendar.db.updateTable('strategies').set({ time_zone: 'Nowhere/Nothing' }).execute();
    calendar.clock.advance(hourMs);
    await calendar.look();
    expect(await overdue()).toMatchObject([
      { rule_id: ruleId, reason: expect.stringContaining('cannot plan') },
    ]);
    await look();
    await look();
    expect(told()).toEqual([becameOverdue]);
  });
});

describe('a task that does not end', () => {
  beforeEach(() => change({ full_schedule: '0 1 * * 2' }));
  const stand = (status: string) =>
    calendar.db.updateTable('tasks').set({ status }).where('status', 'in', ['new', 'execution']).execute();

  it.each(['new', 'execution', 'suspended'])('is told a day after it was made, as %s too', async (status) => {
    // Until then a large copy may well be on its way.
    await nextHour();
    await stand(status);
    calendar.clock.advance(24 * hourMs - minuteMs);
    await look();
    expect([told(), await overdue()]).toEqual([[], []]);
    calendar.clock.advance(2 * minuteMs);
    expect(await overdue()).toMatchObject([
      {
        rule_id: ruleId,
        backup_type: 'full',
        utc: '2030-01-01T01:00:00Z',
        task_status: status,
        reason: expect.stringMatching(/^Task \d+ was made more than a day ago and has not ended/),
      },
    ]);
    await look();
    await look();
    expect(told()).toEqual([becameOverdue]);
    await calendar.db.updateTable('tasks').set({ status: 'done' }).execute();
    await look();
    expect([told(), await overdue()]).toEqual([[becameOverdue, isWell], []]);
  });

  it('is not hidden by runs of another kind that end well meanwhile', async () => {
    await change({ incremental_schedule: '0 12 * * *' });
    await nextHour();
    await stand('execution');
    for (let day = 0; day < 2; day += 1) {
      calendar.clock.advance(24 * hourMs);
      await calendar.look();
      await calendar.endTasks();
    }
    expect(await overdue()).toMatchObject([{ backup_type: 'full', task_status: 'execution' }]);
    await look();
    expect(told()).toEqual([becameOverdue]);
    expect(lines[0]?.[2]).toMatchObject({ rules: [{ reason: expect.stringContaining('has not ended') }] });
  });
});
