import type { BlockDevice } from '../../../contract/block-devices/block-device.ts';
import { call } from '../../bridge.ts';
import { poolChoices } from '../../shell/choices.ts';
import { flagOf, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import { DetailsHead, Facts } from '../../shell/list-screen.tsx';
import { tellNotTaken } from '../../shell/saved.ts';
import { openDialog, showNotice } from '../../shell/shell-store.ts';
import { type ListSource, listInput } from '../../shell/use-list.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import {
  type Column,
  formatBytes,
  type ListStore,
  PathText,
  StatusBadge,
  showHidden,
  thinDash,
} from '../../ui/index.ts';

const words = textsOf('storages');
const common = textsOf('common');

export const blockDeviceSource: ListSource<BlockDevice> = {
  name: 'Block devices',
  kinds: ['pool'],
  pollMs: 30_000,
  idOf: (device) => device.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'blockDevices.list', listInput(request), signal),
};

export const blockDeviceColumns: readonly Column<BlockDevice>[] = [
  {
    id: 'device',
    header: words.columns.device,
    widthPx: 280,
    cell: (device) => <PathText text={device.device} />,
    title: (device) => showHidden(device.device),
  },
  {
    id: 'status',
    header: common.status,
    widthPx: 110,
    cell: (device) => (
      <StatusBadge
        meaning={device.status === 'Online' ? 'ok' : 'error'}
        word={showHidden(wordFor(words.statuses, device.status))}
      />
    ),
  },
  { id: 'pool', header: common.pool, widthPx: 150, cell: (device) => showHidden(device.pool) },
  {
    id: 'size',
    header: common.size,
    widthPx: 96,
    align: 'right',
    cell: (device) => formatBytes(device.size),
  },
  {
    id: 'used',
    header: words.columns.used,
    widthPx: 96,
    align: 'right',
    cell: (device) => formatBytes(device.used),
  },
  {
    id: 'parallel_workers',
    header: words.columns.workers,
    widthPx: 90,
    align: 'right',
    cell: (device) => device.parallel_workers,
  },
  {
    id: 'media_server',
    header: words.columns.mediaServer,
    widthPx: 150,
    cell: (device) => showHidden(device.media_server),
  },
  {
    id: 'description',
    header: common.description,
    widthPx: 200,
    cell: (device) => showHidden(device.description ?? thinDash),
  },
];

export function BlockDeviceDetails(props: { readonly device: BlockDevice }) {
  const { device } = props;
  return (
    <section aria-label={words.block.details} className="page-section">
      <DetailsHead isMono>{showHidden(device.device)}</DetailsHead>
      <Facts
        facts={[
          [common.status, showHidden(wordFor(words.statuses, device.status))],
          [common.pool, showHidden(device.pool)],
          [words.columns.mediaServer, showHidden(device.media_server)],
          [
            words.space,
            t('storages.block.space', { used: formatBytes(device.used), total: formatBytes(device.size) }),
          ],
          [words.block.hashTable, formatBytes(device.hash_table_size)],
          [words.block.workers, String(device.parallel_workers)],
          [common.description, device.description === null ? null : showHidden(device.description)],
        ]}
      />
    </section>
  );
}

export async function openNewBlockDevice(connectionId: string, list: ListStore<BlockDevice>): Promise<void> {
  const pools = await poolChoices(connectionId, 'Block device');
  if (pools.choices.length === 0 && pools.search === undefined) {
    showNotice({ level: 'info', message: words.block.poolFirst });
    return;
  }
  openDialog({
    kind: 'form',
    form: {
      title: words.block.newTitle,
      submitLabel: words.block.add,
      summary: words.block.newSummary,
      fields: [
        {
          name: 'device',
          label: words.columns.device,
          type: 'text',
          help: words.block.deviceHelp,
        },
        { name: 'pool', label: common.pool, type: 'select', ...pools },
        {
          name: 'overwrite_file_system',
          label: words.block.overwrite,
          type: 'checkbox',
          help: words.block.overwriteHelp,
        },
        { name: 'description', label: common.description, type: 'text' },
      ],
      initial: {
        device: '',
        pool: pools.choices[0]?.value ?? '',
        overwrite_file_system: false,
        description: '',
      },
      submit: async (values) => {
        const body = {
          device: textOf(values, 'device'),
          pool: textOf(values, 'pool'),
          overwrite_file_system: flagOf(values, 'overwrite_file_system'),
          description: textOrNull(values, 'description'),
        };
        await call(connectionId, 'blockDevices.create', { body });
        await list.refresh();
      },
    },
  });
}

const editFields = [
  { name: 'parallel_workers', label: words.block.workers, type: 'number', help: words.block.workersHelp },
  { name: 'description', label: common.description, type: 'text' },
] as const;

export function openEditBlockDevice(
  connectionId: string,
  device: BlockDevice,
  list: ListStore<BlockDevice>,
): void {
  openDialog({
    kind: 'form',
    form: {
      title: words.block.editTitle,
      submitLabel: common.save,
      summary: showHidden(device.device),
      fields: editFields,
      initial: {
        parallel_workers: String(device.parallel_workers),
        description: device.description ?? '',
      },
      submit: async (values) => {
        const body = {
          parallel_workers: numberOrNull(values, 'parallel_workers'),
          description: textOrNull(values, 'description'),
        };
        const params = { id: device.id };
        await call(connectionId, 'blockDevices.update', { params, body });
        const now = await call(connectionId, 'blockDevices.get', { params });
        await list.refresh();
        tellNotTaken(t('storages.block.named', { device: device.device }), editFields, body, now);
      },
    },
  });
}
