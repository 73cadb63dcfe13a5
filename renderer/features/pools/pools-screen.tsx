import { Plus } from 'lucide-react';
import { useStore } from 'zustand';
import { compressionTypes, type Pool } from '../../../contract/pools/pool.ts';
import { call } from '../../bridge.ts';
import { Facts, ListScreen } from '../../shell/list-screen.tsx';
import { removeRows } from '../../shell/remove-rows.ts';
import { useRights } from '../../shell/rights.ts';
import { tellNotTaken } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { tellFailure } from '../../shell/tell.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import {
  Button,
  type Column,
  formatBytes,
  formatServerTime,
  type ListStore,
  Progress,
  showHidden,
  thinDash,
} from '../../ui/index.ts';

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
  const reasonFor = useRights(connectionId);
  return (
    <ListScreen
      title="Pools"
      list={list}
      columns={columns}
      empty="There is no pool. Copies need one to go to."
      newAction={
        <Button
          kind="primary"
          onClick={() => tellFailure(openNew(connectionId, list))}
          disabledBecause={reasonFor('pools.write')}
        >
          <Plus size={16} aria-hidden />
          New pool
        </Button>
      }
      actionsLabel="Pool actions"
      actions={<Actions connectionId={connectionId} list={list} />}
      details={(pool) => <PoolDetails pool={pool} />}
    />
  );
}

function Actions(props: { readonly connectionId: string; readonly list: ListStore<Pool> }) {
  const { connectionId, list } = props;
  useStore(list.store);
  const reasonFor = useRights(connectionId);
  const pools = list.selectedRows();
  const [only] = pools;
  return (
    <>
      <Button
        onClick={() => only !== undefined && openEdit(connectionId, only, list)}
        disabledBecause={(pools.length === 1 ? null : 'Select one pool') ?? reasonFor('pools.write')}
      >
        Edit…
      </Button>
      <Button
        onClick={() => openRemove(connectionId, pools, list)}
        disabledBecause={(pools.length === 0 ? 'Select a pool first' : null) ?? reasonFor('pools.delete')}
      >
        Delete…
      </Button>
    </>
  );
}

const shared = [
  {
    name: 'compression_type',
    label: 'Compression',
    type: 'select',
    choices: compressionTypes.map((value) => ({ value, label: value })),
  },
  {
    name: 'retention_period',
    label: 'Retention',
    type: 'text',
    help: 'How long copies are kept unless told otherwise: a number and day, week, month or year. Empty for no default.',
  },
  {
    name: 'ignore_free_space_check',
    label: 'Start backups even when space may not suffice',
    type: 'checkbox',
  },
  { name: 'description', label: 'Description', type: 'text' },
] as const;

type Values = Readonly<Record<string, string | boolean>>;

const nameField = { name: 'pool_name', label: 'Name', type: 'text' } as const;

/** Compression belongs to some types only; for the others the field is neither shown nor sent. */
function fieldsFor(poolType: string) {
  const isFitting = !['Block device', 'Client defined'].includes(poolType);
  return shared.filter((field) => isFitting || field.name !== 'compression_type');
}

function bodyOf(values: Values, poolType: string) {
  const text = (name: string) =>
    String(values[name] ?? '').trim() === '' ? null : String(values[name]).trim();
  const isCompressed = fieldsFor(poolType).some((field) => field.name === 'compression_type');
  return {
    pool_name: String(values.pool_name ?? '').trim(),
    ...(isCompressed ? { compression_type: values.compression_type } : {}),
    retention_period: text('retention_period'),
    ignore_free_space_check: values.ignore_free_space_check === true,
    description: text('description'),
  };
}

const newPoolType = 'File system';

async function openNew(connectionId: string, list: ListStore<Pool>): Promise<void> {
  const servers = await call(connectionId, 'mediaServers.list', { query: { page: 1, limit: 500 } });
  openDialog({
    kind: 'form',
    form: {
      title: 'New pool',
      submitLabel: 'Create pool',
      summary: 'After this the pool needs a storage before copies can go to it.',
      fields: [
        nameField,
        {
          name: 'media_server',
          label: 'Media server',
          type: 'select',
          choices: servers.items.map((one) => ({ value: one.name, label: showHidden(one.name) })),
        },
        ...fieldsFor(newPoolType),
      ],
      initial: {
        pool_name: '',
        media_server: servers.items[0]?.name ?? '',
        compression_type: 'Optimal',
        retention_period: '',
        ignore_free_space_check: false,
        description: '',
      },
      submit: async (values) => {
        const body = {
          ...bodyOf(values, newPoolType),
          pool_type: newPoolType,
          media_server: String(values.media_server),
        };
        await call(connectionId, 'pools.create', { body });
        await list.refresh();
      },
    },
  });
}

function openEdit(connectionId: string, pool: Pool, list: ListStore<Pool>): void {
  const fields = [nameField, ...fieldsFor(pool.pool_type)];
  openDialog({
    kind: 'form',
    form: {
      title: `Edit pool ${showHidden(pool.pool_name)}`,
      submitLabel: 'Save',
      fields,
      initial: {
        pool_name: pool.pool_name,
        compression_type: pool.compression_type ?? 'None',
        retention_period: pool.retention_period ?? '',
        ignore_free_space_check: pool.ignore_free_space_check,
        description: pool.description ?? '',
      },
      submit: async (values) => {
        const params = { id: pool.id };
        const body = bodyOf(values, pool.pool_type);
        await call(connectionId, 'pools.update', { params, body });
        const now = await call(connectionId, 'pools.get', { params });
        await list.refresh();
        tellNotTaken(`Pool ${pool.pool_name}`, fields, body, now);
      },
    },
  });
}

function openRemove(connectionId: string, pools: readonly Pool[], list: ListStore<Pool>): void {
  openDialog({
    kind: 'remove',
    title: 'Delete pools',
    removal: {
      items: pools.map((pool) => `${pool.pool_name} (${pool.pool_type})`),
      remove: removeRows({
        rows: pools,
        nameOf: (pool) => pool.pool_name,
        list,
        remove: (ids) => call(connectionId, 'pools.deleteMany', { body: { ids } }),
      }),
    },
  });
}

function PoolDetails(props: { readonly pool: Pool }) {
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
          ['Retention', pool.retention_period],
          ['Used', `${formatBytes(pool.used_space)} of ${formatBytes(pool.total_space)}`],
          ['Free', formatBytes(pool.free_space)],
          ['Space check', pool.ignore_free_space_check ? 'ignored' : 'backups wait for space'],
          ['Storages', String(pool.storages_count)],
          ['Copies', String(pool.backups_count)],
          ['Created', formatServerTime(pool.created)],
          ['Description', pool.description === null ? null : showHidden(pool.description)],
        ]}
      />
    </section>
  );
}
