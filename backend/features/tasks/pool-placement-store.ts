import { sql } from 'kysely';
import type { Db } from '../../db/index.ts';
import { working } from '../active-tasks.ts';
import type { GroupLimits } from './pool-placement-rules.ts';

/**
 * Work that has begun and is not over; a task that waits for its (next) begin takes no place anywhere. Written so that
 * an index of pool and status is looked into for these statuses alone.
 */
const hasBegun = sql<boolean>`tasks.status in (${sql.join([...working, 'suspended'])})
  and (tasks.status <> 'suspended' or coalesce(tasks.paused_status, 'new') <> 'new')`;

export interface StoredMember {
  readonly poolId: number;
  readonly poolName: string;
  readonly mediaServerId: number;
  readonly mediaServerName: string;
  /** The media server is this host. */
  readonly isLocal: boolean;
  readonly isEnabled: boolean;
  readonly ignoresFreeSpace: boolean;
  readonly poolTasks: number;
  readonly mediaServerTasks: number;
}

export interface StoredGroup {
  readonly limits: GroupLimits;
  readonly calculationPeriodSeconds: number;
  readonly members: readonly StoredMember[];
}

/** Reads what the choice of a pool is decided by. */
export function createPoolPlacementStore(db: Db) {
  const tasksOn = (column: 'pool_id' | 'media_server_id', of: 'pools.id' | 'pools.media_server_id') =>
    sql<number>`(select count(*) from tasks
      where ${sql.ref(`tasks.${column}`)} = ${sql.ref(of)} and ${hasBegun})`;

  return {
    /** The dynamic group that the pool is in; null for a pool that stands alone. */
    groupOf: async (poolId: number): Promise<StoredGroup | null> => {
      const group = await db
        .selectFrom('dynamic_pool_groups')
        .innerJoin('dynamic_pool_members', 'dynamic_pool_members.group_id', 'dynamic_pool_groups.id')
        .selectAll('dynamic_pool_groups')
        .where('dynamic_pool_members.pool_id', '=', poolId)
        .executeTakeFirst();
      if (group === undefined) return null;
      const rows = await db
        .selectFrom('dynamic_pool_members')
        .innerJoin('pools', 'pools.id', 'dynamic_pool_members.pool_id')
        .innerJoin('media_servers', 'media_servers.id', 'pools.media_server_id')
        .select([
          'pools.id as poolId',
          'pools.name as poolName',
          'pools.ignore_free_space_check as ignores',
          'media_servers.id as mediaServerId',
          'media_servers.name as mediaServerName',
          'media_servers.is_local as local',
          'dynamic_pool_members.enabled',
          tasksOn('pool_id', 'pools.id').as('poolTasks'),
          tasksOn('media_server_id', 'pools.media_server_id').as('mediaServerTasks'),
        ])
        .where('dynamic_pool_members.group_id', '=', group.id)
        .orderBy('pools.id')
        .execute();
      return {
        limits: {
          name: group.name,
          maxPoolTasks: group.max_pool_tasks,
          maxMediaServerTasks: group.max_media_server_tasks,
          maxCpuUsage: group.max_cpu_usage,
          maxReads: group.max_in_block_operations,
          maxWrites: group.max_out_block_operations,
        },
        calculationPeriodSeconds: group.calculation_period,
        members: rows.map(({ local, enabled, ignores, ...row }) => ({
          ...row,
          isLocal: local === 1,
          isEnabled: enabled === 1,
          ignoresFreeSpace: ignores === 1,
          poolTasks: Number(row.poolTasks),
          mediaServerTasks: Number(row.mediaServerTasks),
        })),
      };
    },

    /** Folders and devices that the pool's data lie on. */
    pathsOf: async (
      poolId: number,
    ): Promise<{ readonly folders: readonly string[]; readonly devices: readonly string[] }> => {
      const [folders, devices] = await Promise.all([
        db.selectFrom('storages').select('path').where('pool_id', '=', poolId).execute(),
        db.selectFrom('block_devices').select('device').where('pool_id', '=', poolId).execute(),
      ]);
      return { folders: folders.map((row) => row.path), devices: devices.map((row) => row.device) };
    },
  };
}
