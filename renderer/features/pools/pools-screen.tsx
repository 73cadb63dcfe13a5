import type { Pool } from '../../../contract/pools/pool.ts';
import { call } from '../../bridge.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { periodWords } from '../../shell/period-words.ts';
import { PoolFillPicture } from '../../shell/pool-fill.tsx';
import { ResourceScreen } from '../../shell/resource-screen.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { type Column, formatBytes, Progress, showHidden, thinDash } from '../../ui/index.ts';
import { openEditPool, openNewPool } from './pool-form.ts';

const words = textsOf('pools');
const common = textsOf('common');

const source: ListSource<Pool> = {
  name: 'Pools',
  kinds: ['pool', 'repository'],
  pollMs: 30_000,
  idOf: (pool) => pool.id,
  load: (connectionId, request, signal) => call(connectionId, 'pools.list', listInput(request), signal),
};

const columns: readonly Column<Pool>[] = [
  { id: 'pool_name', header: common.name, widthPx: 200, cell: (pool) => showHidden(pool.pool_name) },
  {
    id: 'pool_type',
    header: common.type,
    widthPx: 160,
    cell: (pool) => showHidden(wordFor(words.types, pool.pool_type)),
  },
  {
    id: 'fill',
    header: words.columns.used,
    widthPx: 190,
    sortable: false,
    cell: (pool) => <Fill pool={pool} />,
  },
  {
    id: 'free_space',
    header: words.columns.free,
    widthPx: 96,
    align: 'right',
    cell: (pool) => formatBytes(pool.free_space),
  },
  {
    id: 'backups_count',
    header: words.columns.copies,
    widthPx: 80,
    align: 'right',
    cell: (pool) => pool.backups_count,
  },
  {
    id: 'storages_count',
    header: words.columns.storages,
    widthPx: 90,
    align: 'right',
    cell: (pool) => pool.storages_count,
  },
  {
    id: 'compression_type',
    header: words.columns.compression,
    widthPx: 110,
    cell: (pool) => compressionWord(pool) ?? thinDash,
  },
  {
    id: 'retention_period',
    header: words.columns.retention,
    widthPx: 110,
    cell: ({ retention_period: keptFor }) => (keptFor ? periodWords(keptFor) : thinDash),
  },
  {
    id: 'media_server',
    header: words.columns.mediaServer,
    widthPx: 150,
    cell: (pool) => showHidden(pool.media_server),
  },
  { id: 'id', header: common.id, widthPx: 60, align: 'right', cell: (pool) => pool.id },
];

function compressionWord({ compression_type: compression }: Pool): string | null {
  return compression === null ? null : showHidden(wordFor(words.compressions, compression));
}

/** Null for one that takes any cartridge of its library, and for what is no tape pool. */
function mediaSetWords({ media_set_name: name, takes_scratch: takes }: Pool): string | null {
  if (name == null) return null;
  return takes ? t('pools.facts.setAndScratch', { name: showHidden(name) }) : showHidden(name);
}

function Fill(props: { readonly pool: Pool }) {
  const { pool } = props;
  if (pool.total_space === 0) return thinDash;
  const percent = (pool.used_space / pool.total_space) * 100;
  return (
    <span style={{ display: 'flex', alignItems: 'center', gap: 8, height: '100%' }}>
      <span style={{ flex: 1 }}>
        <Progress label={t('pools.usedOf', { pool: pool.pool_name })} percent={percent} />
      </span>
      <span style={{ width: 40, textAlign: 'right' }}>{Math.round(percent)} %</span>
    </span>
  );
}

export function PoolsScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ResourceScreen
      connectionId={connectionId}
      list={list}
      columns={columns}
      title={words.title}
      empty={words.empty}
      actionsLabel={words.actions}
      area="pools"
      object="pool"
      nameOf={(pool) => pool.pool_name}
      create={{ label: words.newPool, open: () => openNewPool(connectionId, list) }}
      edit={(pool) => openEditPool(connectionId, pool, list)}
      remove={(ids) => call(connectionId, 'pools.deleteMany', { body: { ids } })}
      details={(pool) => <PoolDetails connectionId={connectionId} pool={pool} />}
    />
  );
}

function PoolDetails(props: { readonly connectionId: string; readonly pool: Pool }) {
  const { pool } = props;
  return (
    <section aria-label={words.details} className="page-section">
      <DetailsHead>{showHidden(pool.pool_name)}</DetailsHead>
      <Facts
        facts={[
          [common.type, showHidden(wordFor(words.types, pool.pool_type))],
          [words.columns.mediaServer, showHidden(pool.media_server)],
          [words.columns.compression, compressionWord(pool)],
          [
            words.facts.blocks,
            pool.block_size === null
              ? null
              : `${formatBytes(pool.block_size)}, ${pool.algorithm} ${pool.hash_length}`,
          ],
          [words.facts.metadata, pool.meta_data_pool === null ? null : showHidden(pool.meta_data_pool)],
          [words.form.mediaSet, mediaSetWords(pool)],
          [words.columns.retention, pool.retention_period && periodWords(pool.retention_period)],
          [
            words.columns.used,
            t('pools.spaceOf', { used: formatBytes(pool.used_space), total: formatBytes(pool.total_space) }),
          ],
          [words.columns.free, formatBytes(pool.free_space)],
          [words.facts.spaceCheck, pool.ignore_free_space_check ? words.facts.ignored : words.facts.waits],
          [words.columns.storages, String(pool.storages_count)],
          [words.columns.copies, String(pool.backups_count)],
          [common.created, serverTime(pool.created)],
          [common.description, pool.description === null ? null : showHidden(pool.description)],
        ]}
      />
      <PoolFillPicture connectionId={props.connectionId} pool={pool} />
    </section>
  );
}
