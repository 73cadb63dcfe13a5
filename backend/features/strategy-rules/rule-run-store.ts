import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { RuleRun } from '../../../contract/strategy-rules/rule-run.ts';
import {
  type Db,
  type Dialect,
  type ListColumns,
  type ListRequest,
  listPage,
  type Page,
} from '../../db/index.ts';
import { toUtcTime, toWireTime } from '../../platform/wire-time.ts';
import { active } from '../active-tasks.ts';
import type { Groups } from '../own-clients-store.ts';

const taskStatus = sql<string | null>`coalesce(tasks.status, strategy_rule_runs.task_end)`;

const columns: ListColumns = {
  id: { column: 'strategy_rule_runs.id', kind: 'integer' },
  due: { column: 'strategy_rule_runs.due_ms', kind: 'time' },
  utc: { column: 'strategy_rule_runs.due_ms', kind: 'time' },
  backup_type: { column: 'strategy_rule_runs.backup_type', kind: 'text', search: true },
  outcome: { column: 'strategy_rule_runs.outcome', kind: 'text', search: true },
  reason: { column: 'strategy_rule_runs.reason', kind: 'text', search: true },
  task_id: { column: 'strategy_rule_runs.task_id', kind: 'integer' },
  task_status: { column: taskStatus, kind: 'text' },
  skipped_items: { column: 'tasks.skipped_items', kind: 'integer' },
  noted: { column: 'strategy_rule_runs.noted_ms', kind: 'time' },
};

/** The last run of a rule that did not end well. */
export type OverdueRow = Awaited<ReturnType<ReturnType<typeof createRuleRunStore>['overdue']>>[number];

/** Ids looked at by one statement. */
const atOnce = 1_000;
/** What is covered is made, by another rule. */
const notMade = ['missed', 'skipped'];
const bad = ['error', 'killed', 'broken'];
/** How the task of a run ended, or stands; also once the task itself is gone. */
const endOfRun = sql<string | null>`coalesce(tasks.status, runs.task_end)`;

const ofRun = [
  'runs.due_ms',
  'runs.backup_type',
  'runs.outcome',
  'runs.reason',
  'runs.task_id',
  'tasks.error_message',
] as const;

/** What became of the runs that fell due. */
export function createRuleRunStore(db: Db) {
  /** Some rules in state run of strategies that are on, in order. */
  const runsOfRules = (afterId: number, groups: Groups) =>
    db
      .selectFrom('strategy_rules')
      .innerJoin('strategies', 'strategies.id', 'strategy_rules.strategy_id')
      .innerJoin('clients', 'clients.id', 'strategy_rules.client_id')
      .select([
        'strategy_rules.id as rule_id',
        'strategy_rules.resource',
        'strategies.name as strategy_name',
        'clients.id as client_id',
        'clients.client_group_id',
        'clients.hostname',
        'clients.hwid',
      ])
      .where('strategy_rules.status', '=', 'run')
      .where('strategies.enabled', '=', 1)
      .$if(groups !== null, (query) => query.where('clients.client_group_id', 'in', [...(groups ?? []), -1]))
      .where('strategy_rules.id', '>', afterId)
      .where('strategy_rules.id', '<=', afterId + atOnce)
      .orderBy('strategy_rules.id');

  const overdueAfter = (afterId: number, groups: Groups) =>
    runsOfRules(afterId, groups)
      .innerJoin('strategy_rule_runs as runs', (join) =>
        join.on(
          'runs.id',
          '=',
          // The last note of a look says what was made of all that it found due.
          sql<number>`(select max(last.id) from strategy_rule_runs as last where last.rule_id = strategy_rules.id)`,
        ),
      )
      .leftJoin('tasks', 'tasks.id', 'runs.task_id')
      .select(ofRun)
      .select(endOfRun.as('task_status'))
      .where(({ eb, or }) => or([eb('runs.outcome', 'in', notMade), eb(endOfRun, 'in', bad)]));

  /** Tasks of rules that were made long ago and have not ended. */
  const stuckAfter = (afterId: number, groups: Groups, madeBeforeMs: number) =>
    runsOfRules(afterId, groups)
      .innerJoin('tasks', 'tasks.strategy_rule_id', 'strategy_rules.id')
      .innerJoin('strategy_rule_runs as runs', 'runs.task_id', 'tasks.id')
      .select(ofRun)
      .select(endOfRun.as('task_status'))
      .where('tasks.task_type', '=', 'backup_strategy')
      // The words themselves, so that the index of active tasks is used: a rule has many old ones.
      .where(sql<boolean>`tasks.status in (${sql.join(active.map((status) => sql.lit(status)))})`)
      .where('tasks.created_ms', '<', madeBeforeMs)
      .orderBy('tasks.id');

  const lackingAfter = (
    afterId: number,
    of: {
      readonly strategyId: number;
      readonly dueMs: number;
      readonly nowMs: number;
      readonly groups: Groups;
    },
  ) =>
    db
      .selectFrom('strategy_rules')
      .innerJoin('clients', 'clients.id', 'strategy_rules.client_id')
      .select([
        'strategy_rules.id as rule_id',
        'strategy_rules.resource',
        'clients.id as client_id',
        'clients.client_group_id',
        'clients.hostname',
        'clients.hwid',
      ])
      .where('strategy_rules.strategy_id', '=', of.strategyId)
      .where('strategy_rules.status', '=', 'run')
      // What lies ahead was noted before the clock was set back: such a rule runs already.
      .where(({ eb, or }) =>
        or([
          eb('strategy_rules.runs_since_ms', '<', of.dueMs),
          eb('strategy_rules.runs_since_ms', '>', of.nowMs),
        ]),
      )
      .where('strategy_rules.id', '>', afterId)
      .$if(of.groups !== null, (query) =>
        query.where('clients.client_group_id', 'in', [...(of.groups ?? []), -1]),
      )
      .orderBy('strategy_rules.id')
      .limit(atOnce);

  return {
    list: async (ruleId: number, list: ListRequest, dialect: Dialect): Promise<Page<RuleRun>> => {
      const query = db
        .selectFrom('strategy_rule_runs')
        .leftJoin('tasks', 'tasks.id', 'strategy_rule_runs.task_id')
        .selectAll('strategy_rule_runs')
        .select([taskStatus.as('task_status'), 'tasks.skipped_items'])
        .where('strategy_rule_runs.rule_id', '=', ruleId);
      const page = await listPage(query, { list, columns, dialect, tieBreaker: 'strategy_rule_runs.id' });
      const rows = page.rows.map((row) => ({
        id: row.id,
        due: toWireTime(row.due_ms),
        utc: toUtcTime(row.due_ms),
        backup_type: row.backup_type,
        outcome: row.outcome,
        reason: row.reason,
        task_id: row.task_id,
        task_status: row.task_status,
        skipped_items: row.skipped_items,
        noted: toWireTime(row.noted_ms),
      }));
      return { rows, total: page.total };
    },

    /**
     * Rules in state run of strategies that are on whose last run that fell due was skipped, or whose task ended badly,
     * or any of whose tasks was made before `madeBeforeMs` and has not ended. A later one counts as good.
     */
    overdue: async (groups: Groups, madeBeforeMs: number) => {
      const last = await db
        .selectFrom('strategy_rules')
        .select(({ fn }) => fn.max<number | null>('id').as('id'))
        .executeTakeFirst();
      const found = [];
      for (let afterId = 0; afterId < Number(last?.id ?? 0); afterId += atOnce) {
        const some = await overdueAfter(afterId, groups).execute();
        const known = new Set(some.map((row) => row.rule_id));
        await nextTurn();
        for (const row of await stuckAfter(afterId, groups, madeBeforeMs).execute()) {
          if (known.has(row.rule_id)) continue;
          known.add(row.rule_id);
          some.push(row);
        }
        found.push(...some);
        // Others are served in between.
        await nextTurn();
      }
      return found;
    },

    /** Strategies that are on, with how far they are planned. */
    plans: () =>
      db
        .selectFrom('strategies')
        .leftJoin('strategy_plans', 'strategy_plans.strategy_id', 'strategies.id')
        .selectAll('strategies')
        .select('strategy_plans.planned_until_ms')
        .where('strategies.enabled', '=', 1)
        .execute(),

    /** The rules of a strategy that run since before a moment: those that lack the run of that moment. */
    lacking: async (of: Parameters<typeof lackingAfter>[1]) => {
      const found = await lackingAfter(0, of).execute();
      for (let more = found.length; more === atOnce; ) {
        await nextTurn();
        const some = await lackingAfter(found.at(-1)?.rule_id ?? 0, of).execute();
        for (const row of some) found.push(row);
        more = some.length;
      }
      return found;
    },
  };
}
