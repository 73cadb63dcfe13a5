import { CompiledQuery } from 'kysely';
import { vi } from 'vitest';
import type { OpenDatabase } from '../../backend/db/index.ts';

interface Executor {
  executeQuery(query: CompiledQuery): Promise<unknown>;
}

export interface QueryPlans {
  /** How the database goes about the selects from `table` that were run since `from`; `begin`: how else they begin. */
  since(from: number, table: string, begin?: string): Promise<readonly string[]>;
  /** How many statements were run so far. */
  count(): number;
}

/** Writes down what the database is asked, until `vi.restoreAllMocks()`. */
export function watchPlans({ db, dialect }: OpenDatabase): QueryPlans {
  const asked: CompiledQuery[] = [];
  const explain = dialect.kind === 'sqlite' ? 'explain query plan' : 'explain';
  let executor: object = db.getExecutor();
  while (!Object.hasOwn(executor, 'executeQuery')) executor = Object.getPrototypeOf(executor) as object;
  const { executeQuery } = executor as Executor;
  vi.spyOn(executor as Executor, 'executeQuery').mockImplementation(function (this: unknown, query) {
    asked.push(query);
    return executeQuery.call(this, query);
  });
  return {
    count: () => asked.length,
    since: async (from, table, begin = 'select') => {
      const plans: string[] = [];
      for (const { sql: text, parameters } of asked.slice(from)) {
        if (!new RegExp(`from "?${table}"?(?!_)`).test(text) || !text.trimStart().startsWith(begin)) continue;
        const query = CompiledQuery.raw(`${explain} ${text}`, [...parameters]);
        const { rows } = await db.executeQuery<Readonly<Record<string, unknown>>>(query);
        plans.push(...rows.map((row) => `${row.detail ?? row['QUERY PLAN']} <- ${text}`));
      }
      return plans;
    },
  };
}
