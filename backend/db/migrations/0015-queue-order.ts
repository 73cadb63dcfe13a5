import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** As they are called today; a later status that counts as active needs a new index. */
const active = [
  'new',
  'assigned',
  'at_client',
  'execution',
  'transmission',
  'at_server',
  'suspended',
  'restarting',
];

/** The task that is next in turn without sorting those that wait, and the active tasks of a rule without its old ones. */
export const queueOrder: Migration = {
  version: 15,
  name: 'order of the queue',
  async up({ db }) {
    await db.schema.dropIndex('tasks_status_priority_index').execute();
    await db.schema
      .createIndex('tasks_in_turn')
      .on('tasks')
      .columns(['status', 'priority desc', 'id'])
      .execute();
    await db.schema
      .createIndex('tasks_active_of_rule')
      .on('tasks')
      .columns(['strategy_rule_id', 'task_type', 'backup_type'])
      .where(sql<boolean>`status in (${sql.join(active.map((status) => sql.lit(status)))})`)
      .execute();
  },
};
