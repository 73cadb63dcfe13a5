import { sql } from 'kysely';
import { createIndex, createTable, type Migration } from './migration.ts';

/** Every change of a strategy's schedules that the scheduler has not planned past yet, not only the last one. */
export const scheduleChanges: Migration = {
  version: 33,
  name: 'schedule changes',
  async up(tools) {
    const { db } = tools;
    await createTable(tools, 'strategy_schedule_changes', {
      id: { type: 'identity' },
      strategy_id: { type: 'integer', references: 'strategies.id', onDelete: 'cascade' },
      until_ms: { type: 'integer' },
      schedules: { type: 'text' },
    });
    await createIndex(tools, 'strategy_schedule_changes', ['strategy_id']);
    await sql`insert into strategy_schedule_changes (strategy_id, until_ms, schedules)
      select strategies.id, strategies.changed_ms, strategy_plans.schedules
      from strategies join strategy_plans on strategy_plans.strategy_id = strategies.id
      where strategies.changed_ms > strategy_plans.planned_until_ms`.execute(db);
    // What held before their last change is not known.
    await sql`insert into strategy_plans (strategy_id, planned_until_ms, schedules)
      select id, changed_ms, '{}' from strategies
      where id not in (select strategy_id from strategy_plans)`.execute(db);
    await db.schema.alterTable('strategy_plans').dropColumn('schedules').execute();
  },
};
