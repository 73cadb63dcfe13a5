import type { Strategy } from '../../../contract/strategies/strategy.ts';
import type { PlannedRun, WeekRow } from './week-plan.ts';

/** From so many runs of a kind on they are one line. */
const manyRuns = 24;

export interface AgendaLine {
  readonly strategy: Strategy;
  readonly kind: string;
  /** The first run, and what is to be known about its time. */
  readonly first: PlannedRun;
  readonly last: PlannedRun;
  readonly count: number;
}

/** The runs of a day in order of time. `isJoined`: what a strategy does all day long is one line, so that the others are seen. */
export function agendaLines(rows: readonly WeekRow[], day: number, isJoined: boolean): readonly AgendaLine[] {
  const most = isJoined ? manyRuns : Number.POSITIVE_INFINITY;
  return rows
    .flatMap(({ strategy, days }) => linesOf(strategy, days[day] ?? [], most))
    .sort((left, right) => left.first.atMs - right.first.atMs);
}

function linesOf(strategy: Strategy, runs: readonly PlannedRun[], most: number): readonly AgendaLine[] {
  return [...new Set(runs.map(({ run }) => run.backup_type))].flatMap((kind) => {
    const same = runs.filter(({ run }) => run.backup_type === kind);
    const [first] = same;
    const last = same.at(-1);
    if (first === undefined || last === undefined) return [];
    if (same.length > most) return [{ strategy, kind, first, last, count: same.length }];
    return same.map((one) => ({ strategy, kind, first: one, last: one, count: 1 }));
  });
}
