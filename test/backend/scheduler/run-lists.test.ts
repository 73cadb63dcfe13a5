import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTaskStore } from '../../../backend/features/tasks/task-store.ts';
import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import type { RuleRun } from '../../../contract/strategy-rules/rule-run.ts';
import { type Calendar, hourMs, minuteMs, openCalendar } from './support.ts';

let calendar: Calendar;
let ruleId: number;
beforeEach(async () => {
  calendar = await openCalendar('2030-01-01T00:30:00Z');
  ruleId = await calendar.rule(await calendar.strategy({ full_schedule: '0 * * * *' }));
  await calendar.look();
});
afterEach(() => calendar.close());

const nextHour = async (): Promise<void> => {
  calendar.clock.advance(hourMs);
  await calendar.look();
};
const runs = (query = '') => calendar.good<RuleRun[]>('GET', `/strategy_rules/${ruleId}/runs${query}`);
const overdue = async () =>
  (await calendar.good<{ overdue: OverdueRule[] }>('GET', '/statistics?days=1')).overdue;

describe('the runs of a rule', () => {
  it('are listed with what became of them, filtered, sorted and by pages', async () => {
    await nextHour();
    await nextHour();
    await calendar.endTasks();
    await calendar.restart(2 * hourMs);
    const all = await runs('?sort=due');
    expect(all.map(({ utc, outcome, task_status }) => [utc, outcome, task_status])).toEqual([
      ['2030-01-01T01:00:00Z', 'planned', 'done'],
      ['2030-01-01T02:00:00Z', 'skipped', null],
      ['2030-01-01T03:00:00Z', 'missed', null],
      ['2030-01-01T04:00:00Z', 'planned', 'new'],
    ]);
    expect(Date.parse(all[0]?.due ?? '')).toBe(Date.parse('2030-01-01T01:00:00Z'));
    expect(all[2]?.reason).toContain('makes up for it');
    expect((await runs('?outcome=skipped')).map(({ utc }) => utc)).toEqual(['2030-01-01T02:00:00Z']);
    expect(await runs('?sort=due&order=desc&limit=1&page=2')).toMatchObject([{ outcome: 'missed' }]);
  });

  it('are not found for a rule that is not there or of another group', async () => {
    const send = (await calendar.app.loginAs('superuser')).send;
    expect((await send('GET', '/strategy_rules/999/runs')).status).toBe(404);
    const { id } = await calendar.good<{ id: number }>('POST', '/client_groups', {
      data: { name: 'Others' },
    });
    const other = await calendar.app.loginAs('administrator', { clientGroupIds: [id] });
    expect((await other.send('GET', `/strategy_rules/${ruleId}/runs`)).status).toBe(404);
  });

  it('say what their task could not save, until it is removed (case 77)', async () => {
    await nextHour();
    const [run] = await runs();
    await calendar.db
      .updateTable('tasks')
      .set({ skipped_items: 4 })
      .where('id', '=', run?.task_id ?? -1)
      .execute();
    await calendar.endTasks();
    expect(await runs()).toMatchObject([{ task_status: 'done', skipped_items: 4 }]);
    expect(await runs('?skipped_items=4')).toHaveLength(1);
    await createTaskStore(calendar.db).remove([run?.task_id ?? -1]);
    expect(await runs()).toMatchObject([{ task_status: 'done', skipped_items: null }]);
  });

  it('keep how their task ended when it is removed', async () => {
    await nextHour();
    await calendar.endTasks('error');
    const [run] = await runs();
    await createTaskStore(calendar.db).remove([run?.task_id ?? -1]);
    expect(await runs()).toMatchObject([{ outcome: 'planned', task_status: 'error' }]);
    await nextHour();
    await calendar.endTasks('done');
    await createTaskStore(calendar.db).purge(['done'], calendar.clock.now() + 1);
    expect((await runs('?sort=due&order=desc'))[0]?.task_status).toBe('done');
  });
});

describe('overdue rules', () => {
  it('are those whose last run was skipped or ended badly, until one ends well', async () => {
    expect(await overdue()).toEqual([]);
    await nextHour();
    expect(await overdue()).toEqual([]);
    await nextHour();
    expect(await overdue()).toMatchObject([
      { rule_id: ruleId, resource: '/etc', utc: '2030-01-01T02:00:00Z', backup_type: 'full', task_id: null },
    ]);
    await calendar.endTasks();
    await nextHour();
    expect(await overdue()).toEqual([]);
    await calendar.db.updateTable('tasks').set({ error_message: 'The disk is gone.' }).execute();
    await calendar.endTasks('error');
    const [late] = await overdue();
    expect(late).toMatchObject({ utc: '2030-01-01T03:00:00Z' });
    expect(late?.reason).toBe(`Task ${late?.task_id} failed: The disk is gone.`);
    await nextHour();
    await calendar.endTasks();
    expect(await overdue()).toEqual([]);
  });

  it('are none after runs that were missed and made up for', async () => {
    await calendar.restart(5 * hourMs + minuteMs);
    expect(await overdue()).toEqual([]);
    await calendar.endTasks();
    expect(await overdue()).toEqual([]);
  });
});
