import type { Db } from '../../db/index.ts';
import { messageOf } from '../../platform/errors.ts';
import type { NewTask, TaskService } from '../tasks/task-service.ts';
import type { DueRuns } from './due-runs.ts';
import { lateReason, planRule, type RulePlan } from './planner.ts';
import { taskOf, whySkipped } from './rule-task.ts';
import { createRunStore, type NewRun, type PlanRow, type RuleRow } from './run-store.ts';
import type { StandingTroubles } from './standing-troubles.ts';

export interface Batch {
  readonly strategy: PlanRow;
  readonly rules: readonly RuleRow[];
  readonly due: DueRuns;
  /** The last look. */
  readonly fromMs: number;
  readonly nowMs: number;
  readonly isMadeForOffline: boolean;
}

interface Decision {
  readonly rule: RuleRow;
  readonly task: NewTask | null;
  readonly notes: readonly NewRun[];
}

/**
 * Tasks and notes of some rules of a strategy, in one transaction: a run is noted exactly when its task is there.
 * A rule that cannot be made a task of is noted as skipped and holds up no other.
 */
export async function planBatch(
  deps: {
    readonly db: Db;
    readonly tasks: Pick<TaskService, 'insertPlanned' | 'tellPlanned'>;
    readonly troubles: StandingTroubles;
  },
  batch: Batch,
): Promise<void> {
  const ids = batch.rules.map(({ id }) => id);
  const made = await deps.db.transaction().execute(async (tx) => {
    const inside = createRunStore(tx);
    const noted = await inside.notedAfter(ids, batch.fromMs);
    const activeTasks = await inside.activeTasks(ids);
    const decisions = batch.rules.flatMap((rule) => {
      const known = { sinceMs: rule.runs_since_ms ?? batch.nowMs, noted: noted.get(rule.id) ?? none };
      const plan = planRule(batch.due, known, batch.nowMs);
      return plan.run === null ? [] : [decide(deps.troubles, batch, { rule, plan, activeTasks })];
    });
    const withTask = decisions.flatMap(({ rule, task }) => (task === null ? [] : [{ rule, task }]));
    const taskIds = await deps.tasks.insertPlanned(
      tx,
      withTask.map(({ task }) => task),
    );
    const idOf = new Map(withTask.map(({ rule }, index) => [rule.id, taskIds[index] ?? null]));
    await inside.addRuns(
      decisions.flatMap(({ notes }) =>
        notes.map((note) =>
          note.outcome === 'planned' ? { ...note, task_id: idOf.get(note.rule_id) ?? null } : note,
        ),
      ),
    );
    return withTask.map(({ rule }, index) => ({
      id: taskIds[index] ?? 0,
      clientGroupId: rule.client_group_id,
    }));
  });
  if (made.length > 0) deps.tasks.tellPlanned(made);
}

const none: ReadonlySet<number> = new Set();

function decide(
  troubles: StandingTroubles,
  batch: Batch,
  one: {
    readonly rule: RuleRow;
    readonly plan: RulePlan;
    readonly activeTasks: ReadonlyMap<string, number>;
  },
): Decision {
  const { rule, plan } = one;
  const { run } = plan;
  if (run === null) return { rule, task: null, notes: [] };
  const note = (more: Pick<NewRun, 'due_ms' | 'backup_type' | 'outcome' | 'reason'>): NewRun => ({
    rule_id: rule.id,
    task_id: null,
    noted_ms: batch.nowMs,
    ...more,
  });
  const missed = plan.missed.map(({ timeMs, backupType, reason }) =>
    note({ due_ms: timeMs, backup_type: backupType, outcome: 'missed', reason }),
  );
  // The last note of a look is the one that counts: what was missed is made up for by it.
  const notesWith = (outcome: string, reason: string | null): readonly NewRun[] => [
    ...missed,
    note({ due_ms: run.timeMs, backup_type: run.backupType, outcome, reason }),
  ];
  const skipped = whySkipped(rule, run, {
    activeTaskId: one.activeTasks.get(`${rule.id} ${run.backupType}`) ?? null,
    isMadeForOffline: batch.isMadeForOffline,
  });
  if (skipped !== null) return { rule, task: null, notes: notesWith('skipped', skipped) };
  try {
    const task = taskOf(batch.strategy, rule, run);
    troubles.worked(rule.id);
    const reason = plan.lateSinceMs === null ? null : lateReason(plan.lateSinceMs);
    return { rule, task, notes: notesWith('planned', reason) };
  } catch (error) {
    troubles.failed(rule.id, error);
    return { rule, task: null, notes: notesWith('skipped', `No task could be made: ${messageOf(error)}.`) };
  }
}
