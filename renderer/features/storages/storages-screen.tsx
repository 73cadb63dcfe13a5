import type { Storage } from '../../../contract/storages/storage.ts';
import { call } from '../../bridge.ts';
import { poolChoices } from '../../shell/choices.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { textOf, textOrNull } from '../../shell/form-values.ts';
import { ResourceScreen } from '../../shell/resource-screen.tsx';
import { saveChange } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { TabbedScreen } from '../../shell/tabbed-screen.tsx';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { type Column, formatBytes, type ListStore, PathText, showHidden } from '../../ui/index.ts';
import {
  BlockDeviceDetails,
  blockDeviceColumns,
  blockDeviceSource,
  openEditBlockDevice,
  openNewBlockDevice,
} from './block-devices.tsx';
import {
  bytesColumn,
  descriptionColumn,
  mediaServerColumn,
  poolColumn,
  statusColumn,
} from './place-columns.tsx';

const words = textsOf('storages');
const common = textsOf('common');

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
    header: words.columns.path,
    widthPx: 340,
    cell: (storage) => <PathText text={storage.path} />,
    title: (storage) => showHidden(storage.path),
  },
  statusColumn,
  poolColumn,
  bytesColumn('free_space', words.columns.free),
  bytesColumn('used_space', words.columns.used),
  bytesColumn('total_space', words.columns.total),
  mediaServerColumn,
  descriptionColumn,
  { id: 'id', header: common.id, widthPx: 60, align: 'right', cell: (storage) => storage.id },
];

/** Where the copies of pools lie: folders, and whole devices of deduplicating pools. */
export function StoragesScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const views = [
    { id: 'local', label: words.kinds.local, draw: () => <LocalStorages connectionId={connectionId} /> },
    { id: 'block', label: words.kinds.block, draw: () => <BlockDevices connectionId={connectionId} /> },
  ];
  return <TabbedScreen label={words.kinds.label} views={views} />;
}

function BlockDevices(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, blockDeviceSource);
  return (
    <ResourceScreen
      connectionId={connectionId}
      list={list}
      columns={blockDeviceColumns}
      title={words.block.title}
      empty={words.block.empty}
      actionsLabel={words.block.actions}
      area="block_devices"
      object="device"
      nameOf={(device) => t('storages.inPool', { what: device.device, pool: device.pool })}
      create={{ label: words.block.newDevice, open: () => openNewBlockDevice(connectionId, list) }}
      edit={async (device) => openEditBlockDevice(connectionId, device, list)}
      remove={(ids) => call(connectionId, 'blockDevices.deleteMany', { body: { ids } })}
      details={(device) => <BlockDeviceDetails device={device} />}
    />
  );
}

function LocalStorages(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ResourceScreen
      connectionId={connectionId}
      list={list}
      columns={columns}
      title={words.local.title}
      empty={words.local.empty}
      actionsLabel={words.local.actions}
      area="storages"
      object="storage"
      nameOf={(storage) => t('storages.inPool', { what: storage.path, pool: storage.pool })}
      create={{ label: words.local.newStorage, open: () => openNew(connectionId, list) }}
      edit={async (storage) => openEdit(connectionId, storage, list)}
      remove={(ids) => call(connectionId, 'storages.deleteMany', { body: { ids } })}
      details={(storage) => (
        <section aria-label={words.local.details} className="page-section">
          <DetailsHead isMono>{showHidden(storage.path)}</DetailsHead>
          <Facts
            facts={[
              [common.status, showHidden(wordFor(words.statuses, storage.status))],
              [common.pool, showHidden(storage.pool)],
              [words.columns.mediaServer, showHidden(storage.media_server)],
              [
                words.space,
                t('storages.local.space', {
                  used: formatBytes(storage.used_space),
                  total: formatBytes(storage.total_space),
                  free: formatBytes(storage.free_space),
                }),
              ],
              [common.description, storage.description === null ? null : showHidden(storage.description)],
            ]}
          />
        </section>
      )}
    />
  );
}

const descriptionField = { name: 'description', label: common.description, type: 'text' } as const;

async function openNew(connectionId: string, list: ListStore<Storage>): Promise<void> {
  const pools = await poolChoices(connectionId, 'File system');
  openDialog({
    kind: 'form',
    form: {
      title: words.local.newTitle,
      submitLabel: words.local.add,
      summary: words.local.newSummary,
      fields: [
        { name: 'path', label: words.columns.path, type: 'text', help: words.local.pathHelp },
        {
          name: 'pool',
          label: common.pool,
          type: 'select',
          ...pools,
        },
        descriptionField,
      ],
      initial: { path: '', pool: pools.choices[0]?.value ?? '', description: '' },
      submit: async (values) => {
        const body = {
          path: textOf(values, 'path'),
          pool: textOf(values, 'pool'),
          description: textOrNull(values, 'description'),
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
      title: words.local.editTitle,
      summary: showHidden(storage.path),
      submitLabel: common.save,
      fields: [descriptionField],
      initial: { description: storage.description ?? '' },
      submit: async (values) => {
        const body = { description: textOrNull(values, 'description') };
        const params = { id: storage.id };
        await saveChange({
          what: t('storages.local.named', { path: storage.path }),
          fields: [descriptionField],
          body,
          update: (asked) => call(connectionId, 'storages.update', { params, body: asked }),
          get: () => call(connectionId, 'storages.get', { params }),
          refresh: list.refresh,
        });
      },
    },
  });
}
