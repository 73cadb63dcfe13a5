import { useState } from 'react';
import type { Storage } from '../../../contract/storages/storage.ts';
import { call } from '../../bridge.ts';
import { Facts, ListScreen } from '../../shell/list-screen.tsx';
import { NewButton } from '../../shell/new-button.tsx';
import { ResourceActions } from '../../shell/resource-actions.tsx';
import { tellNotTaken } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import {
  type Column,
  formatBytes,
  type ListStore,
  StatusBadge,
  showHidden,
  Tabs,
  thinDash,
} from '../../ui/index.ts';
import {
  BlockDeviceDetails,
  blockDeviceColumns,
  blockDeviceSource,
  openEditBlockDevice,
  openNewBlockDevice,
} from './block-devices.tsx';

const source: ListSource<Storage> = {
  name: 'Storages',
  kinds: ['pool', 'repository'],
  pollMs: 30_000,
  idOf: (storage) => storage.id,
  load: (connectionId, request, signal) => call(connectionId, 'storages.list', listInput(request), signal),
};

const columns: readonly Column<Storage>[] = [
  {
    id: 'path',
    header: 'Path',
    widthPx: 340,
    cell: (storage) => <span className="mono">{showHidden(storage.path)}</span>,
    title: (storage) => showHidden(storage.path),
  },
  {
    id: 'status',
    header: 'Status',
    widthPx: 110,
    cell: (storage) => (
      <StatusBadge meaning={storage.status === 'Online' ? 'ok' : 'error'} word={storage.status} />
    ),
  },
  { id: 'pool', header: 'Pool', widthPx: 150, cell: (storage) => showHidden(storage.pool) },
  {
    id: 'free_space',
    header: 'Free',
    widthPx: 96,
    align: 'right',
    cell: (storage) => formatBytes(storage.free_space),
  },
  {
    id: 'used_space',
    header: 'Used',
    widthPx: 96,
    align: 'right',
    cell: (storage) => formatBytes(storage.used_space),
  },
  {
    id: 'total_space',
    header: 'Total',
    widthPx: 96,
    align: 'right',
    cell: (storage) => formatBytes(storage.total_space),
  },
  {
    id: 'media_server',
    header: 'Media server',
    widthPx: 150,
    cell: (storage) => showHidden(storage.media_server),
  },
  {
    id: 'description',
    header: 'Description',
    widthPx: 200,
    cell: (storage) => showHidden(storage.description ?? thinDash),
  },
  { id: 'id', header: 'Id', widthPx: 60, align: 'right', cell: (storage) => storage.id },
];

const kinds = [
  { id: 'local', label: 'Local folders' },
  { id: 'block', label: 'Block devices' },
] as const;

/** Where the copies of pools lie: folders, and whole devices of deduplicating pools. */
export function StoragesScreen(props: { readonly connectionId: string }) {
  const [kind, setKind] = useState<string>('local');
  const { connectionId } = props;
  return (
    <div style={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0, paddingTop: 8 }}>
      <Tabs label="Kinds of storage" tabs={kinds} current={kind} onChange={setKind}>
        {kind === 'block' ? (
          <BlockDevices connectionId={connectionId} />
        ) : (
          <LocalStorages connectionId={connectionId} />
        )}
      </Tabs>
    </div>
  );
}

function BlockDevices(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, blockDeviceSource);
  return (
    <ListScreen
      title="Block devices"
      list={list}
      columns={blockDeviceColumns}
      empty="There is no block device. Pools of type Block device keep their blocks on one."
      newAction={
        <NewButton
          connectionId={connectionId}
          permission="block_devices.write"
          label="New block device"
          open={() => openNewBlockDevice(connectionId, list)}
        />
      }
      actionsLabel="Block device actions"
      actions={
        <ResourceActions
          connectionId={connectionId}
          list={list}
          words={{ one: 'device', many: 'block devices' }}
          nameOf={(device) => `${device.device} (pool ${device.pool})`}
          edit={{
            permission: 'block_devices.write',
            open: (device) => openEditBlockDevice(connectionId, device, list),
          }}
          remove={{
            permission: 'block_devices.delete',
            run: (ids) => call(connectionId, 'blockDevices.deleteMany', { body: { ids } }),
          }}
        />
      }
      details={(device) => <BlockDeviceDetails device={device} />}
    />
  );
}

function LocalStorages(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ListScreen
      title="Storages"
      list={list}
      columns={columns}
      empty="There is no local file storage. Add a folder that copies may fill."
      newAction={
        <NewButton
          connectionId={connectionId}
          permission="storages.write"
          label="New storage"
          open={() => openNew(connectionId, list)}
        />
      }
      actionsLabel="Storage actions"
      actions={
        <ResourceActions
          connectionId={connectionId}
          list={list}
          words={{ one: 'storage', many: 'storages' }}
          nameOf={(storage) => `${storage.path} (pool ${storage.pool})`}
          edit={{
            permission: 'storages.write',
            open: (storage) => openEdit(connectionId, storage, list),
          }}
          remove={{
            permission: 'storages.delete',
            run: (ids) => call(connectionId, 'storages.deleteMany', { body: { ids } }),
          }}
        />
      }
      details={(storage) => (
        <section aria-label="Storage details" className="page-section">
          <div className="details-head">
            <h2 className="mono">{showHidden(storage.path)}</h2>
          </div>
          <Facts
            facts={[
              ['Status', showHidden(storage.status)],
              ['Pool', showHidden(storage.pool)],
              ['Media server', showHidden(storage.media_server)],
              [
                'Space',
                `${formatBytes(storage.used_space)} of ${formatBytes(storage.total_space)} used, ${formatBytes(storage.free_space)} free`,
              ],
              ['Description', storage.description === null ? null : showHidden(storage.description)],
            ]}
          />
        </section>
      )}
    />
  );
}

const descriptionField = { name: 'description', label: 'Description', type: 'text' } as const;

function textOrNull(value: string | boolean | undefined): string | null {
  const text = String(value ?? '').trim();
  return text === '' ? null : text;
}

async function openNew(connectionId: string, list: ListStore<Storage>): Promise<void> {
  const pools = await call(connectionId, 'pools.list', { query: { page: 1, limit: 500 } });
  const fitting = pools.items.filter((pool) => pool.pool_type === 'File system');
  openDialog({
    kind: 'form',
    form: {
      title: 'New storage',
      submitLabel: 'Add storage',
      summary: 'Copies of the pool may fill the free space of this folder.',
      fields: [
        { name: 'path', label: 'Path', type: 'text', help: 'Absolute path of a folder on the media server.' },
        {
          name: 'pool',
          label: 'Pool',
          type: 'select',
          choices: fitting.map((one) => ({ value: one.pool_name, label: showHidden(one.pool_name) })),
        },
        descriptionField,
      ],
      initial: { path: '', pool: fitting[0]?.pool_name ?? '', description: '' },
      submit: async (values) => {
        const body = {
          path: String(values.path).trim(),
          pool: String(values.pool),
          description: textOrNull(values.description),
        };
        await call(connectionId, 'storages.create', { body });
        await list.refresh();
      },
    },
  });
}

function openEdit(connectionId: string, storage: Storage, list: ListStore<Storage>): void {
  openDialog({
    kind: 'form',
    form: {
      title: 'Edit storage',
      submitLabel: 'Save',
      fields: [descriptionField],
      initial: { description: storage.description ?? '' },
      submit: async (values) => {
        const body = { description: textOrNull(values.description) };
        const params = { id: storage.id };
        await call(connectionId, 'storages.update', { params, body });
        const now = await call(connectionId, 'storages.get', { params });
        await list.refresh();
        tellNotTaken(`Storage ${storage.path}`, [descriptionField], body, now);
      },
    },
  });
}
