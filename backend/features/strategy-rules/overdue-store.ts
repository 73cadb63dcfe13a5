import { sql } from 'kysely';
import type { Db, Tx } from '../../db/index.ts';
import { active } from '../active-tasks.ts';

export interface WatchedRule {
  readonly client_id: number | null;
  readonly client_group_id: number | null;
}

const atOnce = 500;

/** Which rules were told to be overdue. */
export function createOverdueStore(db: Db | Tx) {
  return {
    known: async (): Promise<ReadonlySet<number>> => {
      const rows = await db.selectFrom('overdue_rules').select('rule_id').execute();
      return new Set(rows.map((row) => row.rule_id));
    },

    add: async (
      rules: readonly { readonly rule_id: number; readonly due_ms: number }[],
      nowMs: number,
    ): Promise<void> => {
      for (const some of parts(rules)) {
        await db
          .insertInto('overdue_rules')
          .values(some.map(({ rule_id, due_ms }) => ({ rule_id, due_ms, noted_ms: nowMs })))
          .onConflict((conflict) => conflict.column('rule_id').doNothing())
          .execute();
      }
    },

    remove: async (ruleIds: readonly number[]): Promise<void> => {
      for (const some of parts(ruleIds)) {
        await db
          .deleteFrom('overdue_rules')
          .where('rule_id', 'in', [...some, -1])
          .execute();
      }
    },

    /** Rules that still run and whose newest task has not ended: nobody knows yet how it will. */
    unfinished: async (ruleIds: readonly number[]): Promise<ReadonlySet<number>> => {
      const found = new Set<number>();
      for (const some of parts(ruleIds)) {
        const rows = await db
          .selectFrom('strategy_rules')
          .innerJoin('strategies', 'strategies.id', 'strategy_rules.strategy_id')
          .innerJoin('strategy_rule_runs as runs', 'runs.rule_id', 'strategy_rules.id')
          .innerJoin('tasks', 'tasks.id', 'runs.task_id')
          .select('strategy_rules.id')
          .where('strategy_rules.id', 'in', [...some, -1])
          .where('strategy_rules.status', '=', 'run')
          .where('strategies.enabled', '=', 1)
          .where(
            'runs.id',
            '=',
            sql<number>`(select max(last.id) from strategy_rule_runs as last where last.rule_id = strategy_rules.id)`,
          )
          .where('tasks.status', 'in', active)
          .execute();
        for (const { id } of rows) found.add(id);
      }
      return found;
    },

    rules: async (ruleIds: readonly number[]) => {
      const found = [];
      for (const some of parts(ruleIds)) {
        found.push(
          ...(await db
            .selectFrom('strategy_rules')
            .leftJoin('clients', 'clients.id', 'strategy_rules.client_id')
            .select(['strategy_rules.id', 'strategy_rules.resource', 'strategy_rules.client_id'])
            .select(['clients.hostname', 'clients.client_group_id'])
            .where('strategy_rules.id', 'in', [...some, -1])
            .orderBy('strategy_rules.id')
            .execute()),
        );
      }
      return found;
    },
  };
}

function parts<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / atOnce) }, (_, index) =>
    all.slice(index * atOnce, (index + 1) * atOnce),
  );
}
