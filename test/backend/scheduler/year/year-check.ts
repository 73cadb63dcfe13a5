import { minuteMs } from '../support.ts';
import { slowRules, slowTaskMs, type YearNote, type YearTask } from './protocol.ts';
import type { Look } from './year-life.ts';
import { type Due, kinds } from './year-plan.ts';

/** A run that is noted later than this was made up for. */
const lateMs = minuteMs;

export interface Tally {
  due: number;
  done: number;
  caughtUp: number;
  missed: number;
  skipped: number;
  double: number;
}

export interface RuleYear {
  readonly ruleId: number;
  readonly due: readonly Due[];
  readonly notes: readonly YearNote[];
  readonly tasks: readonly YearTask[];
}

const inWords = (timeMs: number, kind: string): string => `${new Date(timeMs).toISOString()} ${kind}`;

/** What became of the runs of a rule, by what the server noted and made. */
export function tallyOf({ due, notes, tasks }: RuleYear): Tally {
  const planned = notes.filter(({ outcome }) => outcome === 'planned');
  const isLate = (note: YearNote): boolean => note.notedMs - note.dueMs > lateMs;
  const count = (outcome: string): number => notes.filter((note) => note.outcome === outcome).length;
  const moments = new Set(notes.map(({ dueMs }) => dueMs));
  return {
    due: due.length,
    done: planned.filter((note) => !isLate(note)).length,
    caughtUp: planned.filter(isLate).length,
    missed: count('missed'),
    skipped: count('skipped'),
    double: notes.length - moments.size + (tasks.length - planned.length),
  };
}

/** What is wrong with the year of a rule, by what has to be; nothing of the server is asked for it. */
export function faultsOf(year: RuleYear, looks: readonly Look[]): readonly string[] {
  const faults: string[] = [];
  const wanted = year.due.map(({ timeMs, kind }) => inWords(timeMs, kind));
  const noted = year.notes.map(({ dueMs, kind }) => inWords(dueMs, kind));
  for (const run of difference(wanted, noted)) faults.push(`lost: ${run}`);
  for (const run of difference(noted, wanted)) faults.push(`not due, or double: ${run}`);
  faults.push(...taskFaults(year));
  if (faults.length === 0) faults.push(...outcomeFaults(year, looks));
  return faults.map((fault) => `rule ${year.ruleId} ${fault}`);
}

/** Each task belongs to one run, and each run that was planned to one task. */
function taskFaults({ notes, tasks }: RuleYear): readonly string[] {
  const left = new Map(tasks.map((task) => [task.id, task]));
  const faults: string[] = [];
  for (const note of notes) {
    const task = left.get(note.taskId ?? -1);
    const isRight =
      note.outcome === 'planned' ? task?.kind === note.kind : note.taskId === null && note.reason !== null;
    if (!isRight) faults.push(`${inWords(note.dueMs, note.kind)}: ${JSON.stringify({ note, task })}`);
    left.delete(note.taskId ?? -1);
  }
  for (const task of left.values()) faults.push(`a task of no run: ${JSON.stringify(task)}`);
  return faults;
}

/** A task as it has to be there: it ends after the look with this number. */
interface Made {
  readonly kind: string;
  readonly by: number;
  readonly endsAfter: number;
}

/** What fell due is noted by the first look after it; by the one after that where the first was cut off before its commit. */
function outcomeFaults({ ruleId, due, notes }: RuleYear, looks: readonly Look[]): readonly string[] {
  const faults: string[] = [];
  const byMoment = new Map(notes.map((note) => [note.dueMs, note]));
  const made: Made[] = [];
  let next = 0;
  let open: YearNote[] = [];
  for (const [index, look] of looks.entries()) {
    if (look.isServiceMode) continue;
    for (let run = due[next]; run !== undefined && run.timeMs <= look.atMs; next += 1, run = due[next]) {
      const note = byMoment.get(run.timeMs);
      if (note !== undefined) open.push(note);
    }
    if (open.length === 0) continue;
    const byIt = open.filter(({ notedMs }) => notedMs === look.atMs).length;
    // Nothing was committed of it.
    if (byIt === 0 && look.fatalStep !== null) continue;
    if (byIt < open.length)
      faults.push(`noted by another look than that of ${look.atMs}: ${JSON.stringify(open)}`);
    const isActive = (kind: string): boolean =>
      made.some((task) => task.kind === kind && index > task.by && index <= task.endsAfter);
    faults.push(...groupFaults(open, isActive));
    for (const { kind, outcome } of open) {
      if (outcome !== 'planned') continue;
      made.push({ kind, by: index, endsAfter: endOf(ruleId, index, looks) });
    }
    open = [];
  }
  for (const note of open) faults.push(`never due to be noted: ${JSON.stringify(note)}`);
  return faults;
}

/** Of all that one look notes of a rule the latest of the widest kind is made, or skipped; all else is missed. */
function groupFaults(group: readonly YearNote[], isActive: (kind: string) => boolean): readonly string[] {
  const widest = kinds.find((kind) => group.some((note) => note.kind === kind));
  const chosen = group.findLast(({ kind }) => kind === widest);
  return group.flatMap((note) => {
    const { kind, outcome, reason } = note;
    const isLate = note.notedMs - note.dueMs > lateMs;
    const ofChosen = isActive(kind) ? 'skipped' : 'planned';
    const wanted = note === chosen ? ofChosen : 'missed';
    const isReasonRight =
      outcome === 'planned'
        ? (reason !== null) === isLate
        : reason?.includes(outcome === 'skipped' ? 'has not ended yet' : 'did not plan at that time') ===
          true;
    return outcome === wanted && isReasonRight ? [] : [`has to be ${wanted}: ${JSON.stringify(note)}`];
  });
}

/** After which look a task ends that this one makes. */
function endOf(ruleId: number, by: number, looks: readonly Look[]): number {
  const maker = looks[by];
  if (maker === undefined) throw new Error(`there is no look ${by}`);
  const isSlow = maker.isSlow && ruleId % slowRules === 0;
  const end = looks.findIndex(
    ({ atMs, fatalStep }, index) =>
      index >= by && fatalStep === null && (!isSlow || atMs >= maker.atMs + slowTaskMs),
  );
  return end === -1 ? looks.length : end;
}

/** With each as often as it is there. */
function difference(some: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const one of others) left.set(one, (left.get(one) ?? 0) + 1);
  return some.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  });
}
