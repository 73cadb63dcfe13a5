import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db, Tx } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import { createScheduleChangesStore } from '../schedule-changes-store.ts';
import {
  type ScheduleChange,
  type Schedules,
  scheduleSpans,
  schedulesInForce,
} from '../strategies/strategy-service.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { dueRuns, nextDueMs } from './due-runs.ts';
import { fullTimes } from './full-times.ts';
import { type Batch, type DueStrategy, planBatch } from './plan-batch.ts';
import { createRunStore, type PlanRow } from './run-store.ts';
import { createStandingTroubles } from './standing-troubles.ts';
import { planVerifications } from './verify-round.ts';

export interface SchedulerDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  readonly tasks: Pick<TaskService, 'insertOfRules' | 'insertPlanned' | 'tellPlanned'>;
}

export type SchedulerService = ReturnType<typeof createSchedulerService>;

/** A strategy of which something is due. */
interface Pending extends DueStrategy {
  readonly row: PlanRow;
  readonly schedules: Schedules;
  readonly changes: readonly ScheduleChange[];
}

const lookEveryMs = 1_000;
/** Of one transaction: a commit costs much, but so long nobody else can write. */
const rulesAtOnce = 1_000;
const plansAtOnce = 200;
/** So many strategies are looked at before others are served: each takes up to a few milliseconds. */
const looksAtOnce = 10;
const minuteMs = 60_000;
const dayMs = 86_400_000;
const keptDays = 92;
const roundNames = ['plan the runs', 'plan verifications', 'remove old runs'];

/**
 * Makes the tasks of strategies by the calendar. All that fell due since the last look is planned, however long ago
 * that was: a stop of the server, sleep, service mode and a clock set forward are the same thing.
 */
export function createSchedulerService(deps: SchedulerDeps) {
  const { db, clock, log } = deps;
  const store = createRunStore(db);
  /** When each strategy has something to do next, so that a look at an idle calendar costs nothing. */
  const known = new Map<number, { readonly key: string; readonly nextMs: number }>();
  const strategyTroubles = createStandingTroubles({
    clock,
    begins: (strategy, error) =>
      log.error('the runs of a strategy cannot be planned; it is tried again', { strategy, error }),
    ends: (strategy) => log.info('the runs of a strategy are planned again', { strategy }),
  });
  const ruleTroubles = createStandingTroubles({
    clock,
    begins: (rule, error) => log.error('a rule makes no tasks', { rule, error }),
    ends: (rule) => log.info('a rule makes tasks again', { rule }),
  });
  const roundTroubles = createStandingTroubles({
    clock,
    begins: (round, error) =>
      log.error('a round of the scheduler failed; it is tried again', { round: roundNames[round], error }),
    ends: (round) => log.info('a round of the scheduler works again', { round: roundNames[round] }),
  });
  let timer: NodeJS.Timeout | null = null;
  let isStopping = false;
  let looking: Promise<void> | null = null;
  let sweptMs: number | null = null;
  let verifiedMs: number | null = null;

  /** Of a clock that was set back: nothing is planned twice, and what was missed ahead is due again. */
  async function setBack(row: PlanRow, nowMs: number): Promise<void> {
    await db.transaction().execute(async (tx) => {
      const inside = createRunStore(tx);
      await inside.forgetAhead(row.id, nowMs);
      await inside.savePlan(row.id, nowMs);
    });
    log.warn('the clock was set back; runs that were made already are not made again', { strategy: row.id });
  }

  /** What of a strategy is due; null: nothing, which is noted. */
  async function lookAt(
    row: PlanRow,
    changes: readonly ScheduleChange[],
    nowMs: number,
  ): Promise<Pending | null> {
    const key = `${row.planned_until_ms} ${row.changed_ms}`;
    const before = known.get(row.id);
    const isAhead = row.planned_until_ms !== null && row.planned_until_ms > nowMs;
    const isChanged = changes.length > 0;
    if (!isAhead && !isChanged && before?.key === key && before.nextMs > nowMs) return null;
    const schedules = schedulesInForce(row);
    if (isAhead) await setBack(row, nowMs);
    const fromMs = Math.min(row.planned_until_ms ?? row.created_ms, nowMs);
    const due = dueRuns(scheduleSpans({ schedules, changes, fromMs }, nowMs));
    if (due.runs.length > 0) return { row, schedules, changes, due, fromMs };
    const isNoted = row.planned_until_ms !== null && !isAhead && !isChanged;
    if (!isNoted) await db.transaction().execute((tx) => savePlan(tx, { row, changes }, nowMs));
    remember(row, schedules, isNoted ? fromMs : nowMs);
    return null;
  }

  async function savePlan(
    tx: Tx,
    { row, changes }: Pick<Pending, 'row' | 'changes'>,
    nowMs: number,
  ): Promise<void> {
    await createRunStore(tx).savePlan(row.id, nowMs);
    const last = changes.at(-1);
    if (last !== undefined) await createScheduleChangesStore(tx).forget(row.id, last.id);
  }

  function remember(row: PlanRow, schedules: Schedules, untilMs: number): void {
    const nextMs = nextDueMs(schedules, untilMs) ?? Number.POSITIVE_INFINITY;
    known.set(row.id, { key: `${untilMs} ${row.changed_ms}`, nextMs });
  }

  /**
   * Makes the tasks of several strategies, rule by rule in the order of the rules whatever strategy they are of: what
   * the database writes for neighbouring rules lies on the same pages.
   */
  async function planAll(
    pending: readonly Pending[],
    look: Pick<Batch, 'nowMs' | 'isMadeForOffline' | 'isFullDueAt'>,
  ): Promise<void> {
    const ids: number[] = [];
    for (const { row } of pending) {
      for (const id of await store.ruleIds(row.id)) ids.push(id);
      // Other callers are served in between.
      await nextTurn();
    }
    ids.sort((left, right) => left - right);
    const strategies = new Map(pending.map((one) => [one.row.id, one]));
    const fromMs = pending.reduce((first, one) => Math.min(first, one.fromMs), look.nowMs);
    // While a batch is brought to the disk the next one is planned already.
    let before: Promise<Outcome> = Promise.resolve(null);
    let failure: Outcome = null;
    for (let from = 0; from < ids.length && failure === null; from += rulesAtOnce) {
      await nextTurn();
      if (isStopping) break;
      const batch = outcomeOf(
        planBatch(
          { db, tasks: deps.tasks, troubles: ruleTroubles },
          { strategies, fromMs, ruleIds: ids.slice(from, from + rulesAtOnce), ...look },
        ),
      );
      failure = await before;
      before = batch;
    }
    const last = await before;
    failure ??= last;
    if (failure !== null) throw failure.error;
    if (isStopping) return;
    for (let from = 0; from < pending.length; from += plansAtOnce) {
      await db.transaction().execute(async (tx) => {
        for (const one of pending.slice(from, from + plansAtOnce)) await savePlan(tx, one, look.nowMs);
      });
    }
    for (const { row, schedules } of pending) {
      remember(row, schedules, look.nowMs);
      strategyTroubles.worked(row.id);
    }
  }

  async function sweep(): Promise<void> {
    const nowMs = clock.now();
    if (!isOver(sweptMs, dayMs, nowMs)) return;
    await store.removeBefore(nowMs - keptDays * dayMs);
    sweptMs = nowMs;
  }

  async function planRound(): Promise<void> {
    const settings = await deps.configuration.read();
    if (settings.service_mode) return;
    const isMadeForOffline = settings.create_new_task_if_client_offline === 'yes';
    const rows = await store.strategies();
    // After the strategies: of one that is changed meanwhile what held before is known.
    const changes = await createScheduleChangesStore(db).all();
    const nowMs = clock.now();
    const look = { nowMs, isMadeForOffline, isFullDueAt: fullTimes(rows) };
    const pending: Pending[] = [];
    for (const [index, row] of rows.entries()) {
      if (index % looksAtOnce === looksAtOnce - 1) await nextTurn();
      if (isStopping) return;
      if (strategyTroubles.isPaused(row.id)) continue;
      try {
        const one = await lookAt(row, changes.get(row.id) ?? [], nowMs);
        if (one === null) strategyTroubles.worked(row.id);
        else pending.push(one);
      } catch (error) {
        strategyTroubles.failed(row.id, error);
      }
    }
    // Full copies come before the others of their moment.
    const isFull = ({ due }: Pending): boolean => due.runs.some(({ backupType }) => backupType === 'full');
    await planSome(pending.filter(isFull), look);
    await planSome(
      pending.filter((one) => !isFull(one)),
      look,
    );
  }

  /** Together, and each alone when that fails. */
  async function planSome(pending: readonly Pending[], look: Parameters<typeof planAll>[1]): Promise<void> {
    if (pending.length > 1) {
      try {
        return await planAll(pending, look);
      } catch (error) {
        // Told for the strategy that fails alone too.
        log.debug('strategies cannot be planned together; each is planned alone', { error });
      }
    }
    for (const one of pending) {
      if (isStopping) return;
      try {
        await planAll([one], look);
      } catch (error) {
        strategyTroubles.failed(one.row.id, error);
      }
    }
  }

  async function verifyRound(): Promise<void> {
    const nowMs = clock.now();
    if (!isOver(verifiedMs, minuteMs, nowMs) || (await deps.configuration.read()).service_mode) return;
    await planVerifications(deps, nowMs);
    verifiedMs = nowMs;
  }

  /** One that fails (the database is away, say) holds up no other. */
  const rounds = [planRound, verifyRound, sweep];
  const look = async (): Promise<void> => {
    for (const [index, round] of rounds.entries()) {
      if (isStopping) return;
      if (roundTroubles.isPaused(index)) continue;
      try {
        await round();
        roundTroubles.worked(index);
      } catch (error) {
        roundTroubles.failed(index, error);
      }
    }
  };
  /** One look at the calendar; a second one that is asked for meanwhile is the same. */
  const lookNow = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  };

  return {
    look: lookNow,
    start: async (): Promise<void> => {
      await store.beginOldRules(clock.now());
      timer = setInterval(() => void lookNow(), lookEveryMs);
      void lookNow();
    },
    /** What is planned is committed; the rest is made up for after the next start. */
    stop: async (): Promise<void> => {
      isStopping = true;
      if (timer !== null) clearInterval(timer);
      timer = null;
      await looking;
    },
  };
}

/** Null: it went well. */
type Outcome = { readonly error: unknown } | null;

/** Of work that goes on while something else is waited for: its error is not lost, and is nobody's until it is asked for. */
function outcomeOf(work: Promise<void>): Promise<Outcome> {
  return work.then(
    () => null,
    (error: unknown) => ({ error }),
  );
}

/** Since the last time, in either direction of a clock that jumps. */
function isOver(lastMs: number | null, periodMs: number, nowMs: number): boolean {
  return lastMs === null || Math.abs(nowMs - lastMs) >= periodMs;
}
