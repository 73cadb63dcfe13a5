import type { BlockDevice } from '../../../contract/block-devices/block-device.ts';
import { call } from '../../bridge.ts';
import { poolChoices } from '../../shell/choices.ts';
import { flagOf, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import { Facts } from '../../shell/list-screen.tsx';
import { tellNotTaken } from '../../shell/saved.ts';
import { openDialog, showNotice } from '../../shell/shell-store.ts';
import { type ListSource, listInput } from '../../shell/use-list.ts';
import {
  type Column,
  formatBytes,
  type ListStore,
  StatusBadge,
  showHidden,
  thinDash,
} from '../../ui/index.ts';

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
    header: 'Device',
    widthPx: 280,
    cell: (device) => <span className="mono">{showHidden(device.device)}</span>,
    title: (device) => showHidden(device.device),
  },
  {
    id: 'status',
    header: 'Status',
    widthPx: 110,
    cell: (device) => (
      <StatusBadge meaning={device.status === 'Online' ? 'ok' : 'error'} word={showHidden(device.status)} />
    ),
  },
  { id: 'pool', header: 'Pool', widthPx: 150, cell: (device) => showHidden(device.pool) },
  { id: 'size', header: 'Size', widthPx: 96, align: 'right', cell: (device) => formatBytes(device.size) },
  { id: 'used', header: 'Used', widthPx: 96, align: 'right', cell: (device) => formatBytes(device.used) },
  {
    id: 'parallel_workers',
    header: 'Workers',
    widthPx: 90,
    align: 'right',
    cell: (device) => device.parallel_workers,
  },
  {
    id: 'media_server',
    header: 'Media server',
    widthPx: 150,
    cell: (device) => showHidden(device.media_server),
  },
  {
    id: 'description',
    header: 'Description',
    widthPx: 200,
    cell: (device) => showHidden(device.description ?? thinDash),
  },
];

export function BlockDeviceDetails(props: { readonly device: BlockDevice }) {
  const { device } = props;
  return (
    <section aria-label="Block device details" className="page-section">
      <div className="details-head">
        <h2 className="mono">{showHidden(device.device)}</h2>
      </div>
      <Facts
        facts={[
          ['Status', showHidden(device.status)],
          ['Pool', showHidden(device.pool)],
          ['Media server', showHidden(device.media_server)],
          ['Space', `${formatBytes(device.used)} of ${formatBytes(device.size)} used`],
          ['Hash table', formatBytes(device.hash_table_size)],
          ['Parallel workers', String(device.parallel_workers)],
          ['Description', device.description === null ? null : showHidden(device.description)],
        ]}
      />
    </section>
  );
}

export async function openNewBlockDevice(connectionId: string, list: ListStore<BlockDevice>): Promise<void> {
  const pools = await poolChoices(connectionId, (type) => type === 'Block device');
  if (pools.length === 0) {
    showNotice({ level: 'info', message: 'Make a pool of type Block device first.' });
    return;
  }
  openDialog({
    kind: 'form',
    form: {
      title: 'New block device',
      submitLabel: 'Add block device',
      summary: 'The pool takes the whole device for itself.',
      fields: [
        {
          name: 'device',
          label: 'Device',
          type: 'text',
          help: 'Like /dev/sdb, on the media server of the pool.',
        },
        { name: 'pool', label: 'Pool', type: 'select', choices: pools },
        {
          name: 'overwrite_file_system',
          label: 'Overwrite what is on the device',
          type: 'checkbox',
          help: 'All data on the device are lost for good. Without this a device that is not empty is refused.',
        },
        { name: 'description', label: 'Description', type: 'text' },
      ],
      initial: { device: '', pool: pools[0]?.value ?? '', overwrite_file_system: false, description: '' },
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
  { name: 'parallel_workers', label: 'Parallel workers', type: 'number', help: '1 to 64.' },
  { name: 'description', label: 'Description', type: 'text' },
] as const;

export function openEditBlockDevice(
  connectionId: string,
  device: BlockDevice,
  list: ListStore<BlockDevice>,
): void {
  openDialog({
    kind: 'form',
    form: {
      title: 'Edit block device',
      submitLabel: 'Save',
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
        tellNotTaken(`Device ${device.device}`, editFields, body, now);
      },
    },
  });
}
