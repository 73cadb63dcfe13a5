import type { Insertable } from 'kysely';
import type { CopiesTable, Db } from '../../../backend/db/index.ts';

let counter = 0;

/** Puts objects into the database that no endpoint makes. Each answers the new id. */
export function rowsOf(db: Db) {
  return {
    client: async (
      client: {
        readonly hostname?: string;
        readonly groupId?: number;
        readonly authorized?: boolean;
        readonly poolId?: number;
        readonly lastActivityMs?: number;
      } = {},
    ): Promise<number> => {
      counter += 1;
      const row = await db
        .insertInto('clients')
        .values({
          hwid: counter.toString(16).padStart(16, '0'),
          hostname: client.hostname ?? `host-${counter}`,
          os_type: 'linux',
          client_group_id: client.groupId ?? 1,
          authorized: client.authorized === false ? 0 : 1,
          is_local: 0,
          modules: '["File system"]',
          lsf_flag: 0,
          lrl_flag: 0,
          storage_capacity: 0,
          client_side_backup: 0,
          client_side_restore: 0,
          created_ms: counter,
          ls_pool_id: client.poolId ?? null,
          last_activity_ms: client.lastActivityMs ?? null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    task: async (task: {
      readonly status: string;
      readonly clientId?: number;
      readonly poolId?: number;
      readonly copyId?: number;
      readonly startedMs?: number;
      readonly finishedMs?: number;
      readonly transferred?: number;
    }) => {
      const row = await db
        .insertInto('tasks')
        .values({
          task_type: 'backup_urgent',
          status: task.status,
          client_id: task.clientId ?? null,
          pool_id: task.poolId ?? null,
          copy_id: task.copyId ?? null,
          media_server_id: 1,
          progress: 0,
          priority: 100,
          archiving: 0,
          created_ms: 0,
          attempt: 1,
          claim: 0,
          started_ms: task.startedMs ?? null,
          finished_ms: task.finishedMs ?? null,
          transferred: task.transferred ?? 0,
          speed: 0,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    /** `columns`: anything else, by the names of the table. */
    copy: async (
      copy: {
        readonly poolId?: number;
        readonly storageId?: number;
        readonly clientId?: number;
        readonly realSize?: number;
      },
      columns: Partial<Insertable<CopiesTable>> = {},
    ) => {
      counter += 1;
      const row = await db
        .insertInto('copies')
        .values({
          uuid: `copy-${counter}`,
          resource_type: 'File system',
          resource: '/srv',
          client_text: 'host (0123456789abcdef)',
          client_hwid: '0123456789abcdef',
          client_id: copy.clientId ?? null,
          pool_id: copy.poolId ?? null,
          storage_id: copy.storageId ?? null,
          backup_type: 'full',
          status: 'Not Verified',
          crypto: 'nocrypt',
          signed: 0,
          size: copy.realSize ?? 0,
          real_size: copy.realSize ?? 0,
          created_ms: 0,
          archiving: 0,
          file_list_available: 1,
          deleting: 0,
          ...columns,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    mediaServer: async (name: string) => {
      const row = await db
        .insertInto('media_servers')
        .values({ name, name_key: name.toLowerCase(), role: 'media', is_local: 0, created_ms: 0 })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },
  };
}
