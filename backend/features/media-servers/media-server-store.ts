import { sql } from 'kysely';
import type { MediaServer } from '../../../contract/media-servers/media-server.ts';
import type { Db, Dialect, ListColumns, ListRequest, Page, Tx } from '../../db/index.ts';
import { listPage, removeRows } from '../../db/index.ts';
import { active } from '../active-tasks.ts';
import type { MediaServerUse } from './media-server-rules.ts';

/** A media server that was heard of within this time is online. */
const onlineWithinMs = 90_000;

const poolsCount = sql<number>`(select count(*) from pools where pools.media_server_id = media_servers.id)`;
const activeTasks = sql<number>`(select count(*) from tasks
  where tasks.media_server_id = media_servers.id and tasks.status in (${sql.join(active)}))`;

export function createMediaServerStore(db: Db | Tx, now: () => number) {
  const online = () => sql<number>`case when media_servers.is_local = 1
    or coalesce(media_servers.last_activity_ms, 0) > ${now() - onlineWithinMs} then 1 else 0 end`;
  const selection = () =>
    db
      .selectFrom('media_servers')
      .select([
        'media_servers.id',
        'media_servers.name',
        'media_servers.ip',
        'media_servers.role',
        'media_servers.version',
        'media_servers.description',
      ])
      .select([poolsCount.as('pools_count'), activeTasks.as('active_tasks'), online().as('online')]);
  type Row = Awaited<ReturnType<ReturnType<typeof selection>['execute']>>[number];
  const toRecord = (row: Row): MediaServer => ({
    ...row,
    online: Number(row.online) === 1,
    pools_count: Number(row.pools_count),
    active_tasks: Number(row.active_tasks),
  });

  return {
    list: async (list: ListRequest, dialect: Dialect): Promise<Page<MediaServer>> => {
      const columns: ListColumns = {
        id: { column: 'media_servers.id', kind: 'integer' },
        name: { column: 'media_servers.name', kind: 'text', search: true },
        ip: { column: 'media_servers.ip', kind: 'text', search: true },
        role: { column: 'media_servers.role', kind: 'text', search: true },
        version: { column: 'media_servers.version', kind: 'text', search: true },
        online: { column: online(), kind: 'boolean' },
        description: { column: 'media_servers.description', kind: 'text', search: true },
        pools_count: { column: poolsCount, kind: 'integer' },
        active_tasks: { column: activeTasks, kind: 'integer' },
      };
      const page = await listPage(selection(), { list, columns, dialect, tieBreaker: 'media_servers.id' });
      return { rows: page.rows.map(toRecord), total: page.total };
    },

    get: async (id: number): Promise<MediaServer | null> => {
      const row = await selection().where('media_servers.id', '=', id).executeTakeFirst();
      return row ? toRecord(row) : null;
    },

    describe: async (id: number, description: string | null): Promise<void> => {
      await db.updateTable('media_servers').set({ description }).where('id', '=', id).execute();
    },

    uses: async (ids: readonly number[]): Promise<readonly MediaServerUse[]> => {
      const rows = await db
        .selectFrom('media_servers')
        .select(['media_servers.id', 'media_servers.name', 'media_servers.role'])
        .select(poolsCount.as('pools'))
        .where('media_servers.id', 'in', [...ids])
        .execute();
      return rows.map((row) => ({ ...row, pools: Number(row.pools) }));
    },

    remove: (ids: readonly number[]) => removeRows(db, 'media_servers', ids),
  };
}
