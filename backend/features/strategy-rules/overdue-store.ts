import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../db/index.ts';
import { active } from '../active-tasks.ts';

export interface WatchedRule {
  readonly client_id: number | null;
  readonly client_group_id: number | null;
}

const atOnce = 500;
const knownAtOnce = 10_000;

/** Which rules were told to be overdue. Of very many others are served between the parts. */
export function createOverdueStore(db: Db) {
  return {
    known: async (): Promise<ReadonlySet<number>> => {
      const known = new Set<number>();
      let afterId = 0;
      for (;;) {
        const rows = await db
          .selectFrom('overdue_rules')
          .select('rule_id')
          .where('rule_id', '>', afterId)
          .orderBy('rule_id')
          .limit(knownAtOnce)
          .execute();
        for (const row of rows) known.add(row.rule_id);
        if (rows.length < knownAtOnce) return known;
        afterId = rows.at(-1)?.rule_id ?? afterId;
        await nextTurn();
      }
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
        await nextTurn();
      }
    },

    remove: async (ruleIds: readonly number[]): Promise<void> => {
      for (const some of parts(ruleIds)) {
        await db
          .deleteFrom('overdue_rules')
          .where('rule_id', 'in', [...some, -1])
          .execute();
        await nextTurn();
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
        await nextTurn();
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
        await nextTurn();
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
