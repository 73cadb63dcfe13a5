import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../../db/index.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Run } from '../strategies/strategy-service.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { DueRuns } from './due-runs.ts';
import { lateReason, planRule, type RulePlan } from './planner.ts';
import { createParameterCheck, whySkipped } from './rule-task.ts';
import {
  createRunStore,
  type NewRun,
  type RuleClient,
  type RuleParameters,
  type RuleRow,
} from './run-store.ts';
import type { StandingTroubles } from './standing-troubles.ts';

/** What of a strategy fell due since it was looked at last. */
export interface DueStrategy {
  readonly due: DueRuns;
  /** The last look. */
  readonly fromMs: number;
}

export interface Batch {
  /** By id. A rule of another one is left alone: it was moved there a moment ago. */
  readonly strategies: ReadonlyMap<number, DueStrategy>;
  /** The earliest of their last looks. */
  readonly fromMs: number;
  readonly ruleIds: readonly number[];
  readonly nowMs: number;
  readonly isMadeForOffline: boolean;
  /** Whether any strategy makes full copies at this moment. */
  readonly isFullDueAt: (timeMs: number) => boolean;
}

export interface PlanDeps {
  readonly db: Db;
  readonly tasks: Pick<TaskService, 'insertOfRules' | 'tellPlanned'>;
  readonly troubles: StandingTroubles;
}

/** Rules whose run of one moment becomes a task. */
interface Planned {
  readonly run: Run;
  readonly reason: string | null;
  readonly ruleIds: number[];
}

interface Decisions {
  readonly planned: readonly Planned[];
  /** Of runs that no task is made of. */
  readonly notes: readonly NewRun[];
}

/**
 * Tasks and notes of some rules, in one transaction: a run is noted exactly when its task is there. A rule that cannot
 * be made a task of is noted as skipped and holds up no other.
 */
export async function planBatch(deps: PlanDeps, batch: Batch): Promise<void> {
  const made = await deps.db.transaction().execute(async (tx) => {
    const inside = createRunStore(tx);
    const facts = await factsOf(inside, batch);
    const decided = decideAll(deps.troubles, { ...batch, ...facts });
    const { planned, notes } = await withoutCovered(inside, decided, batch);
    // What was missed comes first: the last note of a look is the one that counts.
    await inside.addRuns(notes);
    const tasks = new Map<number, number>();
    for (const [backupType, ruleIds] of byType(planned)) {
      for (const task of await deps.tasks.insertOfRules(tx, { backupType, ruleIds })) {
        tasks.set(task.ruleId, task.id);
      }
      // Who reads is served between the long steps; who writes waits for the whole.
      await nextTurn();
    }
    const runs = planned.map(({ run, reason, ruleIds }) => {
      return { ...run, reason, ruleIds, taskIds: ruleIds.map((id) => tasks.get(id) ?? -1) };
    });
    await inside.addPlanned(runs, batch.nowMs);
    await nextTurn();
    return facts.rules.flatMap((rule) => {
      const id = tasks.get(rule.id);
      if (id === undefined) return [];
      return [{ id, clientGroupId: facts.clients.get(rule.client_id)?.client_group_id ?? null }];
    });
  });
  if (made.length > 0) deps.tasks.tellPlanned(made);
}

/** What is known of the rules of a batch. */
interface Facts {
  readonly rules: readonly RuleRow[];
  readonly clients: ReadonlyMap<number, RuleClient>;
  /** Of rules with the parameters of most others. */
  readonly usual: RuleParameters;
  readonly noted: ReadonlyMap<number, ReadonlySet<number>>;
  readonly activeTasks: ReadonlyMap<string, number>;
}

async function factsOf(
  inside: ReturnType<typeof createRunStore>,
  { ruleIds, fromMs }: Pick<Batch, 'ruleIds' | 'fromMs'>,
): Promise<Facts> {
  const usual = (await inside.parameters(ruleIds[0] ?? 0)) ?? noParameters;
  const rules = await inside.rules(ruleIds, { usual, afterMs: fromMs });
  const idsWith = (fact: 'is_noted' | 'is_active') => rules.filter((rule) => rule[fact]).map(({ id }) => id);
  const clients = await inside.clients([...new Set(rules.map((rule) => rule.client_id))]);
  const noted = await inside.notedAfter(idsWith('is_noted'), fromMs);
  const activeTasks = await inside.activeTasks(idsWith('is_active'));
  return { rules, clients, usual, noted, activeTasks };
}

/**
 * Of a full copy and another one of the same resource that fall due together only the full one is made, also when they
 * are of two rules. Full ones come first, so they are noted by now.
 */
async function withoutCovered(
  inside: Pick<ReturnType<typeof createRunStore>, 'coveredAt'>,
  { planned, notes }: Decisions,
  batch: Pick<Batch, 'isFullDueAt' | 'nowMs'>,
): Promise<Decisions> {
  const left: Planned[] = [];
  const covered: NewRun[] = [];
  for (const group of planned) {
    const { timeMs: due_ms, backupType: backup_type } = group.run;
    const isAlone = backup_type === 'full' || !batch.isFullDueAt(due_ms);
    const others = isAlone ? new Map<number, number>() : await inside.coveredAt(group.ruleIds, due_ms);
    const ruleIds = group.ruleIds.filter((id) => !others.has(id));
    if (ruleIds.length > 0) left.push({ ...group, ruleIds });
    for (const [rule_id, by] of others) {
      const run = { rule_id, due_ms, backup_type, task_id: null, noted_ms: batch.nowMs };
      covered.push({ ...run, outcome: 'covered', reason: coveredReason(by) });
    }
  }
  return { planned: left, notes: [...notes, ...covered] };
}

function coveredReason(ruleId: number): string {
  return `Rule ${ruleId} makes a full copy of the same resource at the same moment; of the two only the full one is made.`;
}

function byType(planned: readonly Planned[]): ReadonlyMap<Run['backupType'], readonly number[]> {
  const types = new Map<Run['backupType'], number[]>();
  for (const { run, ruleIds } of planned) {
    types.set(run.backupType, (types.get(run.backupType) ?? []).concat(ruleIds));
  }
  return types;
}

const none: ReadonlySet<number> = new Set();
/** Every rule has others. */
const noParameters: RuleParameters = { module_extensions: '', common_modules_extensions: '' };

function decideAll(troubles: StandingTroubles, batch: Batch & Facts): Decisions {
  const { nowMs, isMadeForOffline } = batch;
  const planned = createPlannedGroups();
  const notes: NewRun[] = [];
  const check = createParameterCheck(batch.usual);
  const planOf = createRulePlans(batch);
  for (const rule of batch.rules) {
    const plan = planOf(rule, batch.noted.get(rule.id) ?? none);
    const client = batch.clients.get(rule.client_id);
    if (plan === null || plan.run === null || client === undefined) continue;
    const { run, missed } = plan;
    const note = (made: Run, outcome: string, reason: string): void => {
      const { timeMs: due_ms, backupType: backup_type } = made;
      notes.push({ rule_id: rule.id, due_ms, backup_type, outcome, reason, task_id: null, noted_ms: nowMs });
    };
    for (const miss of missed) note(miss, 'missed', miss.reason);
    const activeTaskId = activeTaskOf(batch.activeTasks, rule.id, run);
    const skipped = whySkipped(client, run, { activeTaskId, isMadeForOffline });
    if (skipped !== null) {
      note(run, 'skipped', skipped);
      continue;
    }
    try {
      check({ module_extensions: rule.other_module, common_modules_extensions: rule.other_common });
      troubles.worked(rule.id);
    } catch (error) {
      troubles.failed(rule.id, error);
      note(run, 'skipped', `No task could be made: ${messageOf(error)}.`);
      continue;
    }
    planned.of(plan, run).ruleIds.push(rule.id);
  }
  return { planned: planned.all(), notes };
}

/** Rules by the run that is made. Most have the very same plan as others, so that no text is made of it for each. */
function createPlannedGroups() {
  const byPlan = new Map<RulePlan, Planned>();
  const byRun = new Map<string, Planned>();
  return {
    of: (plan: RulePlan, run: Run): Planned => {
      const known = byPlan.get(plan);
      if (known) return known;
      const { lateSinceMs } = plan;
      const key = `${run.timeMs} ${run.backupType} ${lateSinceMs}`;
      const reason = lateSinceMs === null ? null : lateReason(lateSinceMs);
      const group = byRun.get(key) ?? { run, reason, ruleIds: [] };
      byRun.set(key, group);
      byPlan.set(plan, group);
      return group;
    },
    all: (): readonly Planned[] => [...byRun.values()],
  };
}

function activeTaskOf(tasks: ReadonlyMap<string, number>, ruleId: number, run: Run): number | null {
  return tasks.size === 0 ? null : (tasks.get(`${ruleId} ${run.backupType}`) ?? null);
}

/** The plan of each rule; null for one of another strategy. Most rules of a strategy have the same. */
function createRulePlans({ strategies, nowMs }: Pick<Batch, 'strategies' | 'nowMs'>) {
  const usual = new Map<number, RulePlan>();
  return (rule: RuleRow, noted: ReadonlySet<number>): RulePlan | null => {
    const strategyId = rule.strategy_id ?? 0;
    const strategy = strategies.get(strategyId);
    if (strategy === undefined) return null;
    const begunMs = rule.runs_since_ms ?? nowMs;
    // One that lies ahead was noted before the clock was set back: the rule runs already.
    const sinceMs = begunMs > nowMs ? strategy.fromMs : begunMs;
    const isUsual = noted.size === 0 && sinceMs <= strategy.fromMs;
    const known = isUsual ? usual.get(strategyId) : undefined;
    if (known) return known;
    const plan = planRule(strategy.due, { sinceMs, noted }, nowMs);
    if (isUsual) usual.set(strategyId, plan);
    return plan;
  };
}
