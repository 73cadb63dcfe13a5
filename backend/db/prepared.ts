import type { CompiledQuery } from 'kysely';
import type { Db, Tx } from './database.ts';
import type { DirectRead } from './sqlite.ts';

type Parameter = string | number | null;

/** Of the databases that answer a select outside a transaction at once. */
const directReads = new WeakMap<Db | Tx, DirectRead>();

/** What is prepared on `db` itself (not in a transaction of it) is read by `read`. */
export function readDirectly(db: Db, read: DirectRead): void {
  directReads.set(db, read);
}

/**
 * A select that is asked for very often: built and compiled at its first call, then only run with other parameters.
 * Building it and the way through kysely cost more than twice what SQLite takes for a row by its id (measured with
 * the API's benchmark: 15 µs of 57 per request). `build` has to use each parameter once and in their order;
 * otherwise the first call throws.
 */
export function preparedQuery<P extends readonly Parameter[], R>(
  db: Db | Tx,
  build: (...parameters: P) => { compile(): CompiledQuery<R> },
): (...parameters: P) => Promise<readonly R[]> {
  let compiled: CompiledQuery<R> | undefined;
  const direct = directReads.get(db);
  return async (...parameters) => {
    compiled ??= inOrder(build(...parameters).compile(), parameters);
    const query = { ...compiled, parameters } as CompiledQuery<R>;
    return direct ? direct(query) : (await db.executeQuery(query)).rows;
  };
}

function inOrder<R>(compiled: CompiledQuery<R>, parameters: readonly Parameter[]): CompiledQuery<R> {
  const isInOrder =
    compiled.parameters.length === parameters.length &&
    parameters.every((parameter, index) => parameter === compiled.parameters[index]);
  if (!isInOrder) throw new Error(`the statement has other parameters than were given: ${compiled.sql}`);
  return compiled;
}
