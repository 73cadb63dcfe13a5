import { setImmediate as nextTurn } from 'node:timers/promises';
import { type NotNull, type Selectable, sql } from 'kysely';
import { type Db, idList, type StrategyRuleRunsTable, type Tx } from '../../db/index.ts';
import { active } from '../active-tasks.ts';
import type { Run } from '../strategies/strategy-service.ts';

export type StoredRun = Selectable<StrategyRuleRunsTable>;
export type NewRun = Omit<StoredRun, 'id' | 'task_end'>;

/** A strategy with how far it is planned; `planned_until_ms` is null before the first look. */
export type PlanRow = Awaited<ReturnType<ReturnType<typeof createRunStore>['strategies']>>[number];
export interface RuleParameters {
  /** JSON objects. */
  readonly module_extensions: string;
  readonly common_modules_extensions: string;
}
export interface RuleClient {
  readonly hostname: string;
  readonly is_local: number;
  readonly client_group_id: number | null;
}
/** A rule that runs, with what decides over its task. */
export type RuleRow = Awaited<ReturnType<ReturnType<typeof createRunStore>['rules']>>[number];

/** The run of one moment, and the rules whose task is made of it. */
export interface PlannedRuns extends Run {
  readonly reason: string | null;
  readonly ruleIds: readonly number[];
  /** In the order of the rules. */
  readonly taskIds: readonly number[];
}

/** With the words themselves in the statement the index of active tasks is used: a rule has many old ones. */
const isActiveRun = sql<boolean>`tasks.task_type = 'backup_strategy'
  and tasks.status in (${sql.join(active.map((status) => sql.lit(status)))})`;

/** Reading so many takes some milliseconds. */
const idsAtOnce = 10_000;
/** To remove so many takes some milliseconds too. */
const oldAtOnce = 1_000;

export function createRunStore(db: Db | Tx) {
  return {
    strategies: () =>
      db
        .selectFrom('strategies')
        .innerJoin('pools', 'pools.id', 'strategies.pool_id')
        .innerJoin('media_servers', 'media_servers.id', 'pools.media_server_id')
        .leftJoin('strategy_plans', 'strategy_plans.strategy_id', 'strategies.id')
        .selectAll('strategies')
        .select([
          'pools.name as pool_name',
          'pools.retention_period',
          'media_servers.id as media_server_id',
          'media_servers.name as media_server_name',
          'strategy_plans.planned_until_ms',
        ])
        .orderBy('strategies.id')
        .execute(),

    /** The rules of a strategy that are to run, in order. */
    ruleIds: async (strategyId: number): Promise<readonly number[]> => {
      const found: number[] = [];
      for (;;) {
        const some = await db
          .selectFrom('strategy_rules')
          .select('id')
          .where('strategy_id', '=', strategyId)
          .where('status', '=', 'run')
          .where('id', '>', found.at(-1) ?? 0)
          .orderBy('id')
          .limit(idsAtOnce)
          .execute();
        for (const { id } of some) found.push(id);
        if (some.length < idsAtOnce) return found;
        // Others are served in between.
        await nextTurn();
      }
    },

    /**
     * Those of these rules that are to run and are there still, in the order of their ids. Most rules of a server have
     * the same parameters, and these are long: they are told where they are others than `usual`. Most have no noted
     * moment after `afterMs` and no task that has not ended: which have is told, `notedAfter` and `activeTasks` tell more.
     */
    rules: (
      ids: readonly number[],
      { usual, afterMs }: { readonly usual: RuleParameters; readonly afterMs: number },
    ) => {
      const unlessUsual = (column: keyof RuleParameters) => {
        const ref = sql.ref(`strategy_rules.${column}`);
        return sql<string | null>`case when ${ref} = ${usual[column]} then null else ${ref} end`;
      };
      return (
        db
          .selectFrom('strategy_rules')
          .select(['id', 'strategy_id', 'client_id', 'runs_since_ms'])
          .select([
            unlessUsual('module_extensions').as('other_module'),
            unlessUsual('common_modules_extensions').as('other_common'),
            sql<number | boolean>`exists (select 1 from strategy_rule_runs as runs
            where runs.rule_id = strategy_rules.id and runs.due_ms > ${afterMs})`.as('is_noted'),
            sql<number | boolean>`exists (select 1 from tasks
            where tasks.strategy_rule_id = strategy_rules.id and ${isActiveRun})`.as('is_active'),
          ])
          .where('id', 'in', idList(ids))
          .where('status', '=', 'run')
          // One whose client was deleted makes no tasks.
          .where('client_id', 'is not', null)
          .$narrowType<{ client_id: NotNull }>()
          .orderBy('id')
          .execute()
      );
    },

    parameters: (ruleId: number) =>
      db
        .selectFrom('strategy_rules')
        .select(['module_extensions', 'common_modules_extensions'])
        .where('id', '=', ruleId)
        .executeTakeFirst(),

    /** What of these clients decides over tasks, by id. */
    clients: async (ids: readonly number[]): Promise<ReadonlyMap<number, RuleClient>> => {
      const rows = await db
        .selectFrom('clients')
        .select(['id', 'hostname', 'is_local', 'client_group_id'])
        .where('id', 'in', idList(ids))
        .execute();
      return new Map(rows.map((row) => [row.id, row]));
    },

    /** Rules from before the scheduler count from now. */
    beginOldRules: async (nowMs: number): Promise<void> => {
      await db
        .updateTable('strategy_rules')
        .set({ runs_since_ms: nowMs })
        .where('runs_since_ms', 'is', null)
        .execute();
    },

    /** Moments after `afterMs` that are noted, by rule. */
    notedAfter: async (
      ruleIds: readonly number[],
      afterMs: number,
    ): Promise<ReadonlyMap<number, ReadonlySet<number>>> => {
      const rows = await db
        .selectFrom('strategy_rule_runs')
        .select(['rule_id', 'due_ms'])
        .where('rule_id', 'in', idList(ruleIds))
        .where('due_ms', '>', afterMs)
        .execute();
      const noted = new Map<number, Set<number>>();
      for (const { rule_id: rule, due_ms: dueMs } of rows) {
        const times = noted.get(rule) ?? new Set();
        noted.set(rule, times.add(dueMs));
      }
      return noted;
    },

    /**
     * Those of these rules of whose resource another rule makes a full copy that fell due at the same moment, with that
     * other rule.
     */
    coveredAt: async (ruleIds: readonly number[], dueMs: number): Promise<ReadonlyMap<number, number>> => {
      const rows = await db
        .selectFrom('strategy_rules as rules')
        .innerJoin('strategy_rules as others', (join) =>
          join
            .onRef('others.client_id', '=', 'rules.client_id')
            // The index has the beginning alone.
            .on(sql<boolean>`substr(others.resource, 1, 200) = substr(rules.resource, 1, 200)`)
            .onRef('others.resource', '=', 'rules.resource')
            .onRef('others.resource_type', '=', 'rules.resource_type'),
        )
        .innerJoin('strategy_rule_runs as runs', 'runs.rule_id', 'others.id')
        .select(['rules.id', 'others.id as by'])
        .where('rules.id', 'in', idList(ruleIds))
        .whereRef('others.id', '!=', 'rules.id')
        .where('runs.due_ms', '=', dueMs)
        .where('runs.backup_type', '=', 'full')
        .where('runs.outcome', '=', 'planned')
        .orderBy('others.id', 'desc')
        .execute();
      return new Map(rows.map((row) => [row.id, row.by]));
    },

    /** Tasks of these rules that have not ended: `<rule> <type>` to the id of the task. */
    activeTasks: async (ruleIds: readonly number[]): Promise<ReadonlyMap<string, number>> => {
      const rows = await db
        // Rule by rule, in this order: SQLite would rather read all active tasks than look up so many rules.
        .selectFrom('strategy_rules')
        .crossJoin('tasks')
        .select(['tasks.id', 'tasks.strategy_rule_id', 'tasks.backup_type'])
        .where('strategy_rules.id', 'in', idList(ruleIds))
        .whereRef('tasks.strategy_rule_id', '=', 'strategy_rules.id')
        .where(isActiveRun)
        .execute();
      return new Map(rows.map((row) => [`${row.strategy_rule_id} ${row.backup_type}`, row.id]));
    },

    /** A run that is noted already stays as it is. For those without a task. */
    addRuns: async (runs: readonly NewRun[]): Promise<void> => {
      const atOnce = 500;
      for (let from = 0; from < runs.length; from += atOnce) {
        await db
          .insertInto('strategy_rule_runs')
          .values(runs.slice(from, from + atOnce).map((run) => ({ ...run, task_end: null })))
          .onConflict((conflict) => conflict.columns(['rule_id', 'due_ms']).doNothing())
          .execute();
      }
    },

    /**
     * Runs that tasks were made of: of each moment the rules with their tasks. One statement for them all, since a
     * batch has rules of many strategies. Of one that is noted already all is refused.
     */
    addPlanned: async (planned: readonly PlannedRuns[], notedMs: number): Promise<void> => {
      if (planned.length === 0) return;
      const text = `{${planned.map((runs, index) => `"${index}":${runsText(runs)}`).join()}}`;
      await sql`
        with moments as materialized (
          select cast(value ->> 'due' as bigint) as due_ms, value ->> 'type' as backup_type,
            value ->> 'reason' as reason, value -> 'made' as made
          from json_each(${text}))
        insert into strategy_rule_runs
          (rule_id, due_ms, backup_type, outcome, reason, task_id, noted_ms)
        select cast(made.key as bigint), moments.due_ms, moments.backup_type, 'planned', moments.reason,
          cast(cast(made.value as text) as bigint), cast(${notedMs} as bigint)
        from moments, json_each(moments.made) as made`.execute(db);
    },

    /** What was noted for a time that is ahead again, except where a task was made. */
    forgetAhead: async (strategyId: number, nowMs: number): Promise<void> => {
      await db
        .deleteFrom('strategy_rule_runs')
        .where('due_ms', '>', nowMs)
        .where('outcome', '!=', 'planned')
        .where('rule_id', 'in', (inner) =>
          inner.selectFrom('strategy_rules').select('id').where('strategy_id', '=', strategyId),
        )
        .execute();
    },

    savePlan: async (strategyId: number, plannedUntilMs: number): Promise<void> => {
      const plan = { planned_until_ms: plannedUntilMs };
      await db
        .insertInto('strategy_plans')
        .values({ strategy_id: strategyId, ...plan })
        .onConflict((conflict) => conflict.column('strategy_id').doUpdateSet(plan))
        .execute();
    },

    /** Old runs go, but of each rule the last one stays. */
    removeBefore: async (notedBeforeMs: number): Promise<void> => {
      let after = { id: 0, notedMs: Number.MIN_SAFE_INTEGER };
      for (;;) {
        const old = await db
          .selectFrom('strategy_rule_runs as runs')
          .select(['runs.id', 'runs.noted_ms'])
          .select(
            sql<number>`(select max(last.id) from strategy_rule_runs as last where last.rule_id = runs.rule_id)`.as(
              'last_id',
            ),
          )
          .where(sql<boolean>`(runs.noted_ms, runs.id) > (${after.notedMs}, ${after.id})`)
          .where('runs.noted_ms', '<', notedBeforeMs)
          .orderBy('runs.noted_ms')
          .orderBy('runs.id')
          .limit(oldAtOnce)
          .execute();
        const ids = old.filter((run) => run.id !== run.last_id).map(({ id }) => id);
        if (ids.length > 0)
          await db.deleteFrom('strategy_rule_runs').where('id', 'in', idList(ids)).execute();
        const end = old.at(-1);
        if (end === undefined || old.length < oldAtOnce) return;
        after = { id: end.id, notedMs: end.noted_ms };
        // Others are served in between.
        await nextTurn();
      }
    },
  };
}

/** A text of many ids is put together in a third of the time that JSON.stringify takes. */
function runsText({ timeMs, backupType, reason, ruleIds, taskIds }: PlannedRuns): string {
  const run = JSON.stringify({ due: timeMs, type: backupType, reason });
  const made = ruleIds.map((id, index) => `"${id}":${taskIds[index]}`).join();
  return `${run.slice(0, -1)},"made":{${made}}}`;
}
