import { type CompiledQuery, DefaultQueryExecutor } from 'kysely';

/** What the scheduler asks of the database while it plans. */
const planning = /"strategy_rule_runs"|"strategy_plans"|insert into "tasks"/;

/** A connection of the backend's driver for SQLite. */
interface Connection {
  executeQuery(query: CompiledQuery): Promise<unknown>;
  end(how: 'commit' | 'rollback'): void;
}

/**
 * Ends this process as `kill -9` does, at a step of the planning: before and after each statement of it, and before and
 * after its commits. A moment that is counted so is the same on a quick machine and on a slow one.
 */
export function watchFatalSteps(): { arm(step: number | null): void } {
  let left: number | null = null;
  const planningIn = new WeakSet<Connection>();
  const pass = (): void => {
    if (left === null) return;
    left -= 1;
    if (left <= 0) dieNow();
  };

  function watch(connections: Connection): void {
    const { executeQuery, end } = connections;
    connections.executeQuery = async function (this: Connection, query) {
      if (!planning.test(query.sql)) return executeQuery.call(this, query);
      planningIn.add(this);
      pass();
      const result = await executeQuery.call(this, query);
      pass();
      return result;
    };
    connections.end = function (this: Connection, how) {
      const isPlanning = planningIn.has(this);
      if (isPlanning) pass();
      end.call(this, how);
      if (isPlanning) pass();
    };
  }

  // The class of the connections is first seen when one is handed out.
  const { provideConnection } = DefaultQueryExecutor.prototype;
  let isWatching = false;
  DefaultQueryExecutor.prototype.provideConnection = function (this: DefaultQueryExecutor, consumer) {
    return provideConnection.call(this, (connection) => {
      if (!isWatching) watch(Object.getPrototypeOf(connection) as Connection);
      isWatching = true;
      return consumer(connection);
    }) as ReturnType<typeof consumer>;
  };
  return {
    arm: (step) => {
      left = step;
    },
  };
}

/** Nothing of this process runs after this. */
export function dieNow(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('this process was to end at once');
}
