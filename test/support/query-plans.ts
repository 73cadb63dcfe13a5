import { type CompiledQuery, sql } from 'kysely';
import { vi } from 'vitest';
import type { OpenDatabase } from '../../backend/db/index.ts';

interface Executor {
  executeQuery(query: CompiledQuery): Promise<unknown>;
}

export interface QueryPlans {
  /** How the database goes about the selects from `table` that were run since `from`. */
  since(from: number, table: string): Promise<readonly string[]>;
  /** How many statements were run so far. */
  count(): number;
}

/** Writes down what the database is asked, until `vi.restoreAllMocks()`. */
export function watchPlans({ db }: OpenDatabase): QueryPlans {
  const asked: string[] = [];
  let executor: object = db.getExecutor();
  while (!Object.hasOwn(executor, 'executeQuery')) executor = Object.getPrototypeOf(executor) as object;
  const { executeQuery } = executor as Executor;
  vi.spyOn(executor as Executor, 'executeQuery').mockImplementation(function (this: unknown, query) {
    asked.push(query.sql);
    return executeQuery.call(this, query);
  });
  return {
    count: () => asked.length,
    since: async (from, table) => {
      const plans: string[] = [];
      for (const text of asked.slice(from)) {
        if (!new RegExp(`from "?${table}"?(?!_)`).test(text) || !text.startsWith('select')) continue;
        const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(text)}`.execute(db);
        plans.push(...rows.map(({ detail }) => `${detail} <- ${text}`));
      }
      return plans;
    },
  };
}
