import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RuleRun } from '../../../contract/strategy-rules/rule-run.ts';
import type {
  StrategyRule,
  StrategyRuleDraft,
  StrategyRulePatch,
} from '../../../contract/strategy-rules/strategy-rule.ts';
import {
  BackupCommonParameters,
  backupCommonParameters,
  completeParameters,
} from '../../../contract/tasks/module-parameters.ts';
import type { Db, Dialect, ListRequest, Page } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Announce } from '../announce.ts';
import { moduleValuesOf, type RuleParameters, requireResourceType } from '../backup-extension.ts';
import { distinctIds, requireAllFound } from '../bulk.ts';
import type { Groups } from '../own-clients-store.ts';
import { unknownReference } from '../references.ts';
import { resourceRefusal } from '../resource-types.ts';
import { createScheduleChangesStore } from '../schedule-changes-store.ts';
import { schedulesOf } from '../strategies/strategy-service.ts';
import { createRuleRunStore, type OverdueRow } from './rule-run-store.ts';
import { longestTaskMs, silentReason, silentRun } from './silence-rules.ts';
import { parametersIn, toRecord } from './strategy-rule-record.ts';
import { createStrategyRuleStore, type RuleValues, type StoredRule } from './strategy-rule-store.ts';

export { overdueReason } from './silence-rules.ts';
export type StrategyRuleService = ReturnType<typeof createStrategyRuleService>;

/** Strategies of which it is worked out at a stretch whether a run is due. */
const looksAtOnce = 50;
/** Of a rule that has no strategy either. */
const usualPriority = 100;

/** `groups`: the client groups that the caller is limited to; null = all. */
export function createStrategyRuleService(deps: {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly announce: Announce;
  readonly secrets: Pick<SecretBox, 'seal'>;
}) {
  const { clock } = deps;
  const store = createStrategyRuleStore(deps.db);
  const ruleRuns = createRuleRunStore(deps.db);
  const changed = (clientGroupId: number | null) =>
    deps.announce({ kind: 'client', action: 'changed', id: null, clientGroupId });

  const load = async (id: number, groups: Groups): Promise<StoredRule> => {
    const rule = await store.get(id, groups);
    if (!rule) throw notFound('Strategy rule', id);
    return rule;
  };

  const clientIdOf = async (text: string | null, groups: Groups): Promise<number | null> => {
    if (text === null && groups !== null) {
      // Somebody who sees own groups only would make a rule that is never seen again.
      throw invalidField('client_id', 'is required: name a client of your groups');
    }
    if (text === null) return null;
    const client = await store.clientByText(text, groups);
    if (!client) throw unknownReference('client_id', `client \`${text}\``);
    return client.id;
  };

  const strategyIdOf = async (name: string | null): Promise<number | null> => {
    if (name === null) return null;
    const id = await store.strategyIdByName(name);
    if (id === null) throw unknownReference('strategy_id', `strategy named \`${name}\``);
    return id;
  };

  /** As it was sent; of a rule that is given none it is that of its strategy. */
  const priorityOf = async (sent: number | null, strategyId: number | null): Promise<number> =>
    sent ?? (strategyId === null ? null : await store.priorityOfStrategy(strategyId)) ?? usualPriority;

  /** Rules of strategies that nothing is planned of, though it is due. */
  const unplanned = async (groups: Groups): Promise<readonly OverdueRow[]> => {
    const found: OverdueRow[] = [];
    const strategies = await ruleRuns.plans();
    // After them: of one that is changed meanwhile what held before is known.
    const changes = await createScheduleChangesStore(deps.db).all();
    for (const [index, strategy] of strategies.entries()) {
      // Of many strategies: others are served in between.
      if (index % looksAtOnce === looksAtOnce - 1) await nextTurn();
      const nowMs = clock.now();
      const run = silentRun(
        {
          schedules: schedulesOf(strategy),
          changes: changes.get(strategy.id) ?? [],
          fromMs: strategy.planned_until_ms ?? strategy.created_ms,
        },
        nowMs,
      );
      if (run === null) continue;
      const rows = await ruleRuns.lacking({ strategyId: strategy.id, dueMs: run.timeMs, nowMs, groups });
      const lacks = {
        strategy_name: strategy.name,
        due_ms: run.timeMs,
        backup_type: run.backupType,
        outcome: 'unplanned',
        reason: silentReason,
        task_id: null,
        error_message: null,
        task_status: null,
      };
      for (const row of rows) found.push({ ...row, ...lacks });
    }
    return found;
  };

  return {
    list: async (list: ListRequest, groups: Groups): Promise<Page<StrategyRule>> => {
      const { rows, total } = await store.list(list, groups, deps.dialect);
      return { rows: rows.map(toRecord), total };
    },

    get: async (id: number, groups: Groups): Promise<StrategyRule> => toRecord(await load(id, groups)),

    create: async (draft: StrategyRuleDraft, groups: Groups): Promise<{ readonly id: number }> => {
      const { strategy_rule: rule } = draft;
      requireResourceType(rule.resource_type);
      requireNamed(rule.resource_type, rule.resource);
      const clientId = await clientIdOf(rule.client_id ?? null, groups);
      const strategyId = await strategyIdOf(rule.strategy_id ?? null);
      const nowMs = clock.now();
      const module = moduleValuesOf(rule.resource_type, draft.module_extensions?.parameters, deps.secrets);
      const common = completeParameters(backupCommonParameters, draft.common_modules_extensions?.parameters);
      const id = await store.insert({
        client_id: clientId,
        strategy_id: strategyId,
        resource_type: rule.resource_type,
        resource: rule.resource,
        priority: await priorityOf(rule.priority ?? null, strategyId),
        status: statusOf(rule.status ?? 'run', clientId, strategyId),
        normal_execution_script: rule.normal_execution_script ?? '',
        exception_execution_script: rule.exception_execution_script ?? '',
        restore_script: rule.restore_script ?? '',
        module_extensions: JSON.stringify(module),
        common_modules_extensions: JSON.stringify(common),
        created_ms: nowMs,
        changed_ms: nowMs,
        runs_since_ms: nowMs,
      });
      changed((await store.get(id, null))?.client_group_id ?? null);
      return { id };
    },

    update: async (id: number, patch: StrategyRulePatch, groups: Groups): Promise<StrategyRule> => {
      const before = await load(id, groups);
      const rule = patch.strategy_rule ?? {};
      if (rule.resource_type !== undefined) requireResourceType(rule.resource_type);
      if (rule.resource_type !== undefined || rule.resource !== undefined) {
        requireNamed(rule.resource_type ?? before.resource_type, rule.resource ?? before.resource);
      }
      const clientId =
        rule.client_id === undefined ? before.client_id : await clientIdOf(rule.client_id, groups);
      const strategyId =
        rule.strategy_id === undefined ? before.strategy_id : await strategyIdOf(rule.strategy_id);
      // A rule that waited only for its client or strategy runs as soon as it has both.
      const wasComplete = before.client_id !== null && before.strategy_id !== null;
      const wished = rule.status ?? (wasComplete ? before.status : 'run');
      const nowMs = clock.now();
      const status = statusOf(wished, clientId, strategyId);
      // What fell due while it waited, or for another strategy, is not made up for.
      const isBegun =
        (status === 'run' && before.status !== 'run') ||
        strategyId !== before.strategy_id ||
        clientId !== before.client_id;
      await store.update(id, {
        ...plainValues(rule),
        ...(rule.priority === undefined ? {} : { priority: await priorityOf(rule.priority, strategyId) }),
        client_id: clientId,
        strategy_id: strategyId,
        status,
        ...parameterValues(patch, before, deps.secrets),
        changed_ms: nowMs,
        ...(isBegun ? { runs_since_ms: nowMs } : {}),
      });
      const after = await load(id, groups);
      // Those who saw it before must learn that it went to a client of another group.
      for (const group of new Set([before.client_group_id, after.client_group_id])) changed(group);
      return toRecord(after);
    },

    /** All or nothing. */
    remove: async (given: readonly number[], groups: Groups): Promise<{ readonly ids: number[] }> => {
      const ids = distinctIds(given);
      const removed = await deps.db.transaction().execute(async (tx) => {
        const inside = createStrategyRuleStore(tx);
        const found = await inside.getMany(ids, groups);
        requireAllFound(
          'Strategy rule',
          ids,
          found.map(({ id }) => id),
        );
        await inside.remove(ids);
        return found;
      });
      for (const group of new Set(removed.map(({ client_group_id }) => client_group_id))) changed(group);
      return { ids: [...ids] };
    },

    /** What became of the runs that fell due. */
    runs: async (id: number, list: ListRequest, groups: Groups): Promise<Page<RuleRun>> => {
      await load(id, groups);
      return ruleRuns.list(id, list, deps.dialect);
    },

    /** Rules whose last run that fell due did not end well, has not ended for long, or was never planned; the longest first. */
    overdue: async (groups: Groups): Promise<readonly OverdueRow[]> => {
      const ended = await ruleRuns.overdue(groups, clock.now() - longestTaskMs);
      const known = new Set(ended.map((row) => row.rule_id));
      const rows = [...ended, ...(await unplanned(groups)).filter((row) => !known.has(row.rule_id))];
      // To put very many in order takes some milliseconds too.
      await nextTurn();
      return inOrderOfTime(rows);
    },

    /** The values of a rule, for the `extension` calls. */
    parametersOf: async (id: number, groups: Groups): Promise<RuleParameters> => {
      const rule = await load(id, groups);
      return {
        module: parametersIn(rule.module_extensions),
        common: parametersIn(rule.common_modules_extensions),
      };
    },
  };
}

/**
 * By the moment they were due, then by rule. Very many rules have few moments, and come in the order of rules nearly: so
 * this takes a fraction of what comparing them all does.
 */
function inOrderOfTime(rows: readonly OverdueRow[]): readonly OverdueRow[] {
  const byTime = new Map<number, OverdueRow[]>();
  for (const row of rows) {
    const some = byTime.get(row.due_ms);
    if (some) some.push(row);
    else byTime.set(row.due_ms, [row]);
  }
  return [...byTime]
    .sort(([left], [right]) => left - right)
    .flatMap(([, some]) => some.sort((left, right) => left.rule_id - right.rule_id));
}

function requireNamed(resourceType: string, resource: string): void {
  const refusal = resourceRefusal(resourceType, resource);
  if (refusal !== null) throw invalidField('resource', refusal);
}

/** A rule without a client or a strategy cannot make tasks. */
function statusOf(wished: string, clientId: number | null, strategyId: number | null): string {
  return clientId === null || strategyId === null ? 'wait' : wished;
}

function plainValues(rule: NonNullable<StrategyRulePatch['strategy_rule']>): Partial<RuleValues> {
  const scripts = ['normal_execution_script', 'exception_execution_script', 'restore_script'] as const;
  const sent = scripts.filter((field) => rule[field] !== undefined);
  return {
    ...Object.fromEntries(sent.map((field) => [field, rule[field] ?? ''])),
    ...(rule.resource_type === undefined ? {} : { resource_type: rule.resource_type }),
    ...(rule.resource === undefined ? {} : { resource: rule.resource }),
  };
}

/** What was sent goes over what the rule has; null puts one parameter back to its default. */
function parameterValues(
  patch: StrategyRulePatch,
  before: StoredRule,
  secrets: Pick<SecretBox, 'seal'>,
): Partial<RuleValues> {
  const resourceType = patch.strategy_rule?.resource_type ?? before.resource_type;
  const kept = parametersIn(before.module_extensions);
  const common = {
    ...parametersIn(before.common_modules_extensions),
    ...patch.common_modules_extensions?.parameters,
  };
  const checked = BackupCommonParameters.safeParse(common);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    throw invalidField(String(issue?.path.at(-1) ?? 'parameters'), issue?.message ?? 'is not valid');
  }
  return {
    module_extensions: JSON.stringify(
      moduleValuesOf(resourceType, patch.module_extensions?.parameters, secrets, kept),
    ),
    common_modules_extensions: JSON.stringify(completeParameters(backupCommonParameters, common)),
  };
}
