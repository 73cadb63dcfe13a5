import type { Db, Tx } from '../db/index.ts';
import type { ScheduleChange, Schedules } from './strategies/strategy-service.ts';

/** Changes of the schedules of strategies that are not planned past yet; there are few. */
export function createScheduleChangesStore(db: Db | Tx) {
  return {
    /** By strategy, oldest first. */
    all: async (): Promise<ReadonlyMap<number, readonly ScheduleChange[]>> => {
      const rows = await db.selectFrom('strategy_schedule_changes').selectAll().orderBy('id').execute();
      const found = new Map<number, ScheduleChange[]>();
      for (const { id, strategy_id, until_ms: untilMs, schedules } of rows) {
        const change = { id, untilMs, schedules: JSON.parse(schedules) as Schedules };
        found.set(strategy_id, [...(found.get(strategy_id) ?? []), change]);
      }
      return found;
    },

    add: async (strategyId: number, change: Omit<ScheduleChange, 'id'>): Promise<void> => {
      const schedules = JSON.stringify(change.schedules);
      await db
        .insertInto('strategy_schedule_changes')
        .values({ strategy_id: strategyId, until_ms: change.untilMs, schedules })
        .execute();
    },

    /** Those up to one that was planned past; later ones stay. */
    forget: async (strategyId: number, lastId: number): Promise<void> => {
      await db
        .deleteFrom('strategy_schedule_changes')
        .where('strategy_id', '=', strategyId)
        .where('id', '<=', lastId)
        .execute();
    },
  };
}
