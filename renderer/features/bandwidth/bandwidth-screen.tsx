import type { ClientBandwidth } from '../../../contract/client-bandwidth/client-bandwidth.ts';
import { call } from '../../bridge.ts';
import { clientChoices } from '../../shell/choices.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { type FormValues, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import { ResourceScreen } from '../../shell/resource-screen.tsx';
import { saveChange } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { t, textsOf } from '../../texts/index.ts';
import { type Column, type ListStore, showHidden } from '../../ui/index.ts';

const words = textsOf('bandwidth');

const source: ListSource<ClientBandwidth> = {
  name: 'Bandwidth',
  kinds: ['client'],
  pollMs: 30_000,
  idOf: (limit) => limit.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'clientBandwidth.list', listInput(request), signal),
};

const speed = (kbPerSecond: number): string =>
  kbPerSecond === 0 ? words.unlimited : t('bandwidth.speed', { kilobytes: kbPerSecond });

/** In words, and whether it goes over midnight. */
function windowOf({ window_start: start, window_end: end }: ClientBandwidth): string {
  if (start === end) return words.allDay;
  const [from, to] = [start ?? '00:00:00', end ?? '24:00:00'];
  return t(to < from ? 'bandwidth.windowOverMidnight' : 'bandwidth.window', { from, to });
}

const columns: readonly Column<ClientBandwidth>[] = [
  { id: 'client', header: t('common.client'), widthPx: 210, cell: (limit) => showHidden(limit.client) },
  {
    id: 'backup_bandwidth',
    header: words.backup,
    widthPx: 130,
    align: 'right',
    cell: (limit) => speed(limit.backup_bandwidth),
  },
  {
    id: 'restore_bandwidth',
    header: words.restore,
    widthPx: 130,
    align: 'right',
    cell: (limit) => speed(limit.restore_bandwidth),
  },
  { id: 'window_start', header: words.everyDay, widthPx: 260, cell: windowOf },
  { id: 'id', header: t('common.id'), widthPx: 60, align: 'right', cell: (limit) => limit.id },
];

export function BandwidthScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ResourceScreen
      connectionId={connectionId}
      list={list}
      columns={columns}
      title={words.title}
      empty={words.none}
      actionsLabel={words.actions}
      area="client_bandwidth"
      object="limit"
      nameOf={(limit) => t('bandwidth.nameOf', { client: limit.client, window: windowOf(limit) })}
      create={{ label: words.create, open: () => openForm(connectionId, list, null) }}
      edit={(limit) => openForm(connectionId, list, limit)}
      remove={(ids) => call(connectionId, 'clientBandwidth.deleteMany', { body: { ids } })}
      details={(limit) => (
        <section aria-label={words.details} className="page-section">
          <DetailsHead>{showHidden(limit.client)}</DetailsHead>
          <Facts
            facts={[
              [words.backup, speed(limit.backup_bandwidth)],
              [words.restore, speed(limit.restore_bandwidth)],
              [words.everyDay, windowOf(limit)],
              [words.time, words.timeOfServer],
              [words.sharedBy, words.sharedByTasks],
            ]}
          />
        </section>
      )}
    />
  );
}

const limitFields = [
  { name: 'backup_bandwidth', label: words.form.backup, type: 'number', help: words.form.noLimitHelp },
  { name: 'restore_bandwidth', label: words.form.restore, type: 'number', help: words.form.noLimitHelp },
  {
    name: 'window_start',
    label: words.form.from,
    type: 'text',
    help: words.form.fromHelp,
  },
  {
    name: 'window_end',
    label: words.form.until,
    type: 'text',
    help: words.form.untilHelp,
  },
] as const;

async function openForm(
  connectionId: string,
  list: ListStore<ClientBandwidth>,
  limit: ClientBandwidth | null,
): Promise<void> {
  const clients = limit === null ? await clientChoices(connectionId) : null;
  const bodyOf = (values: FormValues) => ({
    backup_bandwidth: numberOrNull(values, 'backup_bandwidth') ?? 0,
    restore_bandwidth: numberOrNull(values, 'restore_bandwidth') ?? 0,
    window_start: textOrNull(values, 'window_start'),
    window_end: textOrNull(values, 'window_end'),
  });
  openDialog({
    kind: 'form',
    form: {
      title: limit === null ? words.create : words.form.editTitle,
      submitLabel: limit === null ? words.form.create : t('common.save'),
      summary:
        limit === null
          ? words.form.overlap
          : t('bandwidth.form.ofClient', { client: showHidden(limit.client) }),
      fields: [
        ...(clients !== null
          ? [{ name: 'client', label: t('common.client'), type: 'select', ...clients } as const]
          : []),
        ...limitFields,
      ],
      initial: {
        client: clients?.choices[0]?.value ?? '',
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
        // The specification marks the client as required here too.
        await saveChange({
          what: words.form.saved,
          fields: limitFields,
          body,
          update: (asked) =>
            call(connectionId, 'clientBandwidth.update', {
              params,
              body: { client: limit.client, ...asked },
            }),
          get: () => call(connectionId, 'clientBandwidth.get', { params }),
          refresh: list.refresh,
        });
      },
    },
  });
}
