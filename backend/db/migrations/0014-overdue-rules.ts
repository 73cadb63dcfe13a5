import { createTable, type Migration } from './migration.ts';

/** Rules that were told to be overdue, so that a restart does not tell it again. */
export const overdueRules: Migration = {
  version: 14,
  name: 'overdue rules',
  async up(tools) {
    await createTable(tools, 'overdue_rules', {
      rule_id: { type: 'integer', unique: true, references: 'strategy_rules.id', onDelete: 'cascade' },
      due_ms: { type: 'integer' },
      noted_ms: { type: 'integer' },
    });
  },
};
