import type { BlockDevice } from '../../../contract/block-devices/block-device.ts';
import { call } from '../../bridge.ts';
import { poolChoices } from '../../shell/choices.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { flagOf, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import { saveChange } from '../../shell/saved.ts';
import { openDialog, showNotice } from '../../shell/shell-store.ts';
import { type ListSource, listInput } from '../../shell/use-list.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { type Column, formatBytes, type ListStore, PathText, showHidden } from '../../ui/index.ts';
import {
  bytesColumn,
  descriptionColumn,
  mediaServerColumn,
  poolColumn,
  statusColumn,
} from './place-columns.tsx';

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
  statusColumn,
  poolColumn,
  bytesColumn('size', common.size),
  bytesColumn('used', words.columns.used),
  {
    id: 'parallel_workers',
    header: words.columns.workers,
    widthPx: 90,
    align: 'right',
    cell: (device) => device.parallel_workers,
  },
  mediaServerColumn,
  descriptionColumn,
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
        await saveChange({
          what: t('storages.block.named', { device: device.device }),
          fields: editFields,
          body,
          update: (asked) => call(connectionId, 'blockDevices.update', { params, body: asked }),
          get: () => call(connectionId, 'blockDevices.get', { params }),
          refresh: list.refresh,
        });
      },
    },
  });
}
