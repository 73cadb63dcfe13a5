import type { ClientBandwidth } from '../../../contract/client-bandwidth/client-bandwidth.ts';
import { call } from '../../bridge.ts';
import { clientChoices } from '../../shell/choices.ts';
import { type FormValues, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import { Facts, ListScreen } from '../../shell/list-screen.tsx';
import { NewButton } from '../../shell/new-button.tsx';
import { ResourceActions } from '../../shell/resource-actions.tsx';
import { tellNotTaken } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { tellFailure } from '../../shell/tell.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { type Column, type ListStore, showHidden } from '../../ui/index.ts';

const source: ListSource<ClientBandwidth> = {
  name: 'Bandwidth',
  kinds: ['client'],
  pollMs: 30_000,
  idOf: (limit) => limit.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'clientBandwidth.list', listInput(request), signal),
};

const speed = (kbPerSecond: number): string =>
  kbPerSecond === 0 ? 'unlimited' : `${kbPerSecond.toLocaleString('en')} KB/s`;

/** In words, and whether it goes over midnight. */
function windowOf({ window_start: start, window_end: end }: ClientBandwidth): string {
  if (start === end) return 'all day';
  const [from, to] = [start ?? '00:00:00', end ?? '24:00:00'];
  return `${from} – ${to}${to < from ? ' of the next day' : ''}`;
}

const columns: readonly Column<ClientBandwidth>[] = [
  { id: 'client', header: 'Client', widthPx: 300, cell: (limit) => showHidden(limit.client) },
  {
    id: 'backup_bandwidth',
    header: 'Backup',
    widthPx: 120,
    align: 'right',
    cell: (limit) => speed(limit.backup_bandwidth),
  },
  {
    id: 'restore_bandwidth',
    header: 'Restore',
    widthPx: 120,
    align: 'right',
    cell: (limit) => speed(limit.restore_bandwidth),
  },
  { id: 'window_start', header: 'Every day', widthPx: 260, cell: windowOf },
  { id: 'id', header: 'Id', widthPx: 60, align: 'right', cell: (limit) => limit.id },
];

export function BandwidthScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ListScreen
      title="Bandwidth"
      list={list}
      columns={columns}
      empty="No client has a limit: backups and restores take what the network gives."
      newAction={
        <NewButton
          connectionId={connectionId}
          permission="client_bandwidth.write"
          label="New limit"
          open={() => openForm(connectionId, list, null)}
        />
      }
      actionsLabel="Bandwidth actions"
      actions={
        <ResourceActions
          connectionId={connectionId}
          list={list}
          words={{ one: 'limit', many: 'limits' }}
          nameOf={(limit) => `${limit.client}, ${windowOf(limit)}`}
          edit={{
            permission: 'client_bandwidth.write',
            open: (limit) => tellFailure(openForm(connectionId, list, limit)),
          }}
          remove={{
            permission: 'client_bandwidth.delete',
            run: (ids) => call(connectionId, 'clientBandwidth.deleteMany', { body: { ids } }),
          }}
        />
      }
      details={(limit) => (
        <section aria-label="Limit details" className="page-section">
          <div className="details-head">
            <h2>{showHidden(limit.client)}</h2>
          </div>
          <Facts
            facts={[
              ['Backup', speed(limit.backup_bandwidth)],
              ['Restore', speed(limit.restore_bandwidth)],
              ['Every day', windowOf(limit)],
              ['Time', 'of the server, on its local clock'],
              ['Shared by', 'all running tasks of the client'],
            ]}
          />
        </section>
      )}
    />
  );
}

const limitFields = [
  { name: 'backup_bandwidth', label: 'Backup (KB/s)', type: 'number', help: '0 for no limit.' },
  { name: 'restore_bandwidth', label: 'Restore (KB/s)', type: 'number', help: '0 for no limit.' },
  {
    name: 'window_start',
    label: 'From',
    type: 'text',
    help: 'HH:MM:SS. Empty together with the end: all day.',
  },
  {
    name: 'window_end',
    label: 'Until',
    type: 'text',
    help: 'HH:MM:SS. Earlier than the start means: on the next day.',
  },
] as const;

async function openForm(
  connectionId: string,
  list: ListStore<ClientBandwidth>,
  limit: ClientBandwidth | null,
): Promise<void> {
  const clients = limit === null ? await clientChoices(connectionId) : [];
  const bodyOf = (values: FormValues) => ({
    backup_bandwidth: numberOrNull(values, 'backup_bandwidth') ?? 0,
    restore_bandwidth: numberOrNull(values, 'restore_bandwidth') ?? 0,
    window_start: textOrNull(values, 'window_start'),
    window_end: textOrNull(values, 'window_end'),
  });
  openDialog({
    kind: 'form',
    form: {
      title: limit === null ? 'New limit' : 'Edit limit',
      submitLabel: limit === null ? 'Create limit' : 'Save',
      summary:
        limit === null
          ? 'Several limits of one client may not overlap in time.'
          : `Client: ${showHidden(limit.client)}`,
      fields: [
        ...(limit === null
          ? [{ name: 'client', label: 'Client', type: 'select', choices: clients } as const]
          : []),
        ...limitFields,
      ],
      initial: {
        client: clients[0]?.value ?? '',
        backup_bandwidth: String(limit?.backup_bandwidth ?? 0),
        restore_bandwidth: String(limit?.restore_bandwidth ?? 0),
        window_start: limit?.window_start ?? '',
        window_end: limit?.window_end ?? '',
      },
      submit: async (values) => {
        const body = bodyOf(values);
        if (limit === null) {
          await call(connectionId, 'clientBandwidth.create', {
            body: { client: textOf(values, 'client'), ...body },
          });
          await list.refresh();
          return;
        }
        const params = { id: limit.id };
        await call(connectionId, 'clientBandwidth.update', { params, body });
        const now = await call(connectionId, 'clientBandwidth.get', { params });
        await list.refresh();
        tellNotTaken('Limit', limitFields, body, now);
      },
    },
  });
}
