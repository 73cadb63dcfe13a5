import { describe, expect, test, vi } from 'vitest';
import { mostRuns, type Strategy } from '../../../contract/strategies/strategy.ts';
import { type Caller, ProblemError } from '../../../renderer/bridge.ts';
import { agendaLines } from '../../../renderer/features/strategies/agenda-lines.ts';
import { cellLines, loadWeek, planWeek } from '../../../renderer/features/strategies/week-plan.ts';
import { run, strategy } from './rows.ts';

const hourMs = 3_600_000;
const at = (iso: string): number => Date.parse(iso);
const ahead = (one: Strategy, isCut = false) => ({ strategy: one, runs: one.next_runs, isCut });
const hours = (from: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    run(new Date(at(from) + index * hourMs).toISOString(), 'incremental'),
  );

describe('the week', () => {
  test('has the days of the chosen zone, from today on, with the change of the clocks', () => {
    const { days } = planWeek([], 'Europe/Paris', at('2030-03-28T23:30:00Z'));
    expect(days.map(({ day }) => day)).toEqual([
      '2030-03-29',
      '2030-03-30',
      '2030-03-31',
      '2030-04-01',
      '2030-04-02',
      '2030-04-03',
      '2030-04-04',
    ]);
    expect(days[0]?.weekday).toBe('Fri');
    expect(days.map(({ change }) => change?.to ?? null)).toEqual([
      null,
      null,
      '03:00',
      null,
      null,
      null,
      null,
    ]);
  });

  test('puts each run on its day in that zone; what is past and what is off is left out', () => {
    const late = run('2030-01-01T23:30:00Z');
    const nightly = strategy(1, {
      next_runs: [run('2030-01-01T11:00:00Z'), late, run('2030-01-20T00:00:00Z')],
    });
    const off = strategy(2, { enabled: false });
    const inZone = (zone: string) => planWeek([ahead(nightly), ahead(off)], zone, at('2030-01-01T12:00:00Z'));
    const week = inZone('UTC');
    expect(week.rows.map(({ strategy: { id } }) => id)).toEqual([1]);
    expect(week.off.map(({ id }) => id)).toEqual([2]);
    expect(week.rows[0]?.days.map((runs) => runs.length)).toEqual([1, 0, 0, 0, 0, 0, 0]);
    expect(week.rows[0]?.later).toBe('2030-01-20');
    expect(inZone('Europe/Paris').rows[0]?.days.map((runs) => runs.length)).toEqual([0, 1, 0, 0, 0, 0, 0]);
  });

  test('says from which day on not all runs are known, and survives runs that are no times', () => {
    const now = at('2030-01-01T00:00:00Z');
    const often = strategy(1, { next_runs: [...hours('2030-01-01T01:00:00Z', 30), run('nonsense')] });
    expect(planWeek([ahead(often, true)], 'UTC', now).rows[0]?.cutFrom).toBe(1);
    expect(planWeek([ahead(often)], 'UTC', now).rows[0]?.cutFrom).toBeNull();
    expect(
      planWeek([ahead(strategy(2, { next_runs: [run('nonsense')] }), true)], 'UTC', now).rows[0]?.cutFrom,
    ).toBe(null);
  });

  test('shows few runs one by one and many by their number', () => {
    const few = planWeek(
      [ahead(strategy(1, { next_runs: hours('2030-01-01T01:00:00Z', 3) }))],
      'UTC',
      at('2030-01-01'),
    );
    expect(cellLines(few.rows[0]?.days[0] ?? []).map(({ text }) => text)).toEqual([
      '01:00',
      '02:00',
      '03:00',
    ]);
    const runs = [run('2030-01-01T00:30:00Z'), ...hours('2030-01-01T01:00:00Z', 23)];
    const many = planWeek([ahead(strategy(1, { next_runs: runs }))], 'UTC', at('2030-01-01'));
    expect(cellLines(many.rows[0]?.days[0] ?? [])).toEqual([
      { kind: 'full', text: '00:30', title: '00:30' },
      { kind: 'incremental', text: '23 ×', title: '23 times, 01:00 to 23:00' },
    ]);
  });

  test('joins what a strategy does all day long, unless only that strategy is looked at', () => {
    const quarters = Array.from({ length: 40 }, (_, index) =>
      run(new Date(at('2030-01-01T01:00:00Z') + index * 900_000).toISOString(), 'incremental'),
    );
    const often = ahead(strategy(1, { next_runs: quarters }));
    const once = ahead(strategy(2, { next_runs: [run('2030-01-01T05:00:00Z')] }));
    const { rows } = planWeek([often, once], 'UTC', at('2030-01-01'));
    const lines = agendaLines(rows, 0, true).map(({ strategy: { id }, count }) => [id, count]);
    expect(lines).toEqual([
      [1, 40],
      [2, 1],
    ]);
    expect(agendaLines(rows, 0, false)).toHaveLength(41);
  });

  test('asks for further runs only where those of the list end too early', async () => {
    const now = at('2030-01-01T00:00:00Z');
    const often = strategy(1, { next_runs: hours('2030-01-01T01:00:00Z', 10) });
    const rare = strategy(2, { next_runs: [run('2030-01-06T00:00:00Z'), run('2030-01-13T00:00:00Z')] });
    const gone = strategy(3, { next_runs: hours('2030-01-01T01:00:00Z', 10) });
    const call = vi.fn(async (name: string, input: unknown) => {
      if (name === 'strategies.list') return { items: [often, rare, gone, strategy(4)], total: 4 };
      const { params } = input as { params: { id: number } };
      if (params.id === 3)
        throw new ProblemError({ kind: 'refused', message: 'There is none.', status: 404 });
      return { ...often, next_runs: hours('2030-01-01T01:00:00Z', mostRuns) };
    });
    const found = await loadWeek(call as unknown as Caller, now, new AbortController().signal);
    expect(found.map((one) => [one.strategy.id, one.runs.length, one.isCut])).toEqual([
      [1, mostRuns, true],
      [2, 2, false],
      [4, 0, false],
    ]);
    expect(call.mock.calls.filter(([name]) => name === 'strategies.get')).toHaveLength(2);
  });
});
