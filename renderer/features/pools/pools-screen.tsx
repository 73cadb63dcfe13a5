import type { Pool } from '../../../contract/pools/pool.ts';
import { call } from '../../bridge.ts';
import { Facts, ListScreen } from '../../shell/list-screen.tsx';
import { NewButton } from '../../shell/new-button.tsx';
import { PoolFillPicture } from '../../shell/pool-fill.tsx';
import { ResourceActions } from '../../shell/resource-actions.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { tellFailure } from '../../shell/tell.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { type Column, formatBytes, Progress, showHidden, thinDash } from '../../ui/index.ts';
import { openEditPool, openNewPool } from './pool-form.ts';

const source: ListSource<Pool> = {
  name: 'Pools',
  kinds: ['pool', 'repository'],
  pollMs: 30_000,
  idOf: (pool) => pool.id,
  load: (connectionId, request, signal) => call(connectionId, 'pools.list', listInput(request), signal),
};

const columns: readonly Column<Pool>[] = [
  { id: 'pool_name', header: 'Name', widthPx: 200, cell: (pool) => showHidden(pool.pool_name) },
  { id: 'pool_type', header: 'Type', widthPx: 110, cell: (pool) => showHidden(pool.pool_type) },
  { id: 'fill', header: 'Used', widthPx: 190, sortable: false, cell: (pool) => <Fill pool={pool} /> },
  {
    id: 'free_space',
    header: 'Free',
    widthPx: 96,
    align: 'right',
    cell: (pool) => formatBytes(pool.free_space),
  },
  { id: 'backups_count', header: 'Copies', widthPx: 80, align: 'right', cell: (pool) => pool.backups_count },
  {
    id: 'storages_count',
    header: 'Storages',
    widthPx: 90,
    align: 'right',
    cell: (pool) => pool.storages_count,
  },
  {
    id: 'compression_type',
    header: 'Compression',
    widthPx: 110,
    cell: (pool) => pool.compression_type ?? thinDash,
  },
  {
    id: 'retention_period',
    header: 'Retention',
    widthPx: 110,
    cell: (pool) => pool.retention_period ?? thinDash,
  },
  { id: 'media_server', header: 'Media server', widthPx: 150, cell: (pool) => showHidden(pool.media_server) },
  { id: 'id', header: 'Id', widthPx: 60, align: 'right', cell: (pool) => pool.id },
];

function Fill(props: { readonly pool: Pool }) {
  const { pool } = props;
  if (pool.total_space === 0) return thinDash;
  const percent = (pool.used_space / pool.total_space) * 100;
  return (
    <span style={{ display: 'flex', alignItems: 'center', gap: 8, height: '100%' }}>
      <span style={{ flex: 1 }}>
        <Progress label={`Used of ${pool.pool_name}`} percent={percent} />
      </span>
      <span style={{ width: 40, textAlign: 'right' }}>{Math.round(percent)} %</span>
    </span>
  );
}

export function PoolsScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ListScreen
      title="Pools"
      list={list}
      columns={columns}
      empty="There is no pool. Copies need one to go to."
      newAction={
        <NewButton
          connectionId={connectionId}
          permission="pools.write"
          label="New pool"
          open={() => openNewPool(connectionId, list)}
        />
      }
      actionsLabel="Pool actions"
      actions={
        <ResourceActions
          connectionId={connectionId}
          list={list}
          words={{ one: 'pool', many: 'pools' }}
          nameOf={(pool) => pool.pool_name}
          edit={{
            permission: 'pools.write',
            open: (pool) => tellFailure(openEditPool(connectionId, pool, list)),
          }}
          remove={{
            permission: 'pools.delete',
            run: (ids) => call(connectionId, 'pools.deleteMany', { body: { ids } }),
          }}
        />
      }
      details={(pool) => <PoolDetails connectionId={connectionId} pool={pool} />}
    />
  );
}

function PoolDetails(props: { readonly connectionId: string; readonly pool: Pool }) {
  const { pool } = props;
  return (
    <section aria-label="Pool details" className="page-section">
      <div className="details-head">
        <h2>{showHidden(pool.pool_name)}</h2>
      </div>
      <Facts
        facts={[
          ['Type', showHidden(pool.pool_type)],
          ['Media server', showHidden(pool.media_server)],
          ['Compression', pool.compression_type],
          [
            'Blocks',
            pool.block_size === null
              ? null
              : `${formatBytes(pool.block_size)}, ${pool.algorithm} ${pool.hash_length}`,
          ],
          ['Metadata in', pool.meta_data_pool === null ? null : showHidden(pool.meta_data_pool)],
          ['Retention', pool.retention_period],
          ['Used', `${formatBytes(pool.used_space)} of ${formatBytes(pool.total_space)}`],
          ['Free', formatBytes(pool.free_space)],
          ['Space check', pool.ignore_free_space_check ? 'ignored' : 'backups wait for space'],
          ['Storages', String(pool.storages_count)],
          ['Copies', String(pool.backups_count)],
          ['Created', serverTime(pool.created)],
          ['Description', pool.description === null ? null : showHidden(pool.description)],
        ]}
      />
      <PoolFillPicture connectionId={props.connectionId} pool={pool} />
    </section>
  );
}
