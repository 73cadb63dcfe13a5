import { sql } from 'kysely';
import { createIndex, createTable, type Migration } from './migration.ts';

/** What the scheduler has planned, missed and skipped, and when copies were verified last. */
export const strategyRuns: Migration = {
  version: 12,
  name: 'strategy runs',
  async up(tools) {
    const integer = sql.raw(tools.dialect.types.integer);
    await createTable(tools, 'strategy_plans', {
      strategy_id: { type: 'integer', unique: true, references: 'strategies.id', onDelete: 'cascade' },
      planned_until_ms: { type: 'integer' },
      schedules: { type: 'text' },
    });
    await createTable(
      tools,
      'strategy_rule_runs',
      {
        id: { type: 'identity' },
        rule_id: { type: 'integer', references: 'strategy_rules.id', onDelete: 'cascade' },
        due_ms: { type: 'integer' },
        backup_type: { type: 'text' },
        outcome: { type: 'text' },
        reason: { type: 'text', null: true },
        task_id: { type: 'integer', null: true },
        task_end: { type: 'text', null: true },
        noted_ms: { type: 'integer' },
      },
      // Whatever happens to the process or the clock: no run of a rule is made twice.
      { unique: [['rule_id', 'due_ms']] },
    );
    await createIndex(tools, 'strategy_rule_runs', ['rule_id', 'id']);
    await createIndex(tools, 'strategy_rule_runs', ['task_id']);
    await createIndex(tools, 'strategy_rule_runs', ['noted_ms']);
    // Rules from before the scheduler count from its first start, so that years are not made up for.
    await sql`alter table strategy_rules add column runs_since_ms ${integer}`.execute(tools.db);
    await sql`alter table copies add column verified_ms ${integer}`.execute(tools.db);
  },
};
