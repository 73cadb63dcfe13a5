import type { Migration } from './migration.ts';

/**
 * The active tasks of a pool are counted whenever a task is placed in a dynamic group, and for the lists of pools. With
 * the status in the index that looks into none of the pool's old ones.
 */
export const tasksOnPools: Migration = {
  version: 30,
  name: 'tasks on pools by status',
  async up({ db }) {
    await db.schema.createIndex('tasks_on_pool').on('tasks').columns(['pool_id', 'status']).execute();
    await db.schema.dropIndex('tasks_pool_id_index').execute();
  },
};
