import type { ClientGroup } from '../../../contract/client-groups/client-group.ts';
import { call } from '../../bridge.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { type FormValues, flagOf, textOf } from '../../shell/form-values.ts';
import { ResourceScreen } from '../../shell/resource-screen.tsx';
import { saveChange } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { t, textsOf } from '../../texts/index.ts';
import { type Column, type ListStore, showHidden } from '../../ui/index.ts';

const { groups: words } = textsOf('clients');
const common = textsOf('common');

const source: ListSource<ClientGroup> = {
  name: 'Client groups',
  kinds: ['client'],
  pollMs: 30_000,
  idOf: (group) => group.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'clientGroups.list', listInput(request), signal),
};

const sharedWord = ({ shared }: ClientGroup): string => (shared ? common.yes : common.no);

const columns: readonly Column<ClientGroup>[] = [
  { id: 'name', header: common.name, widthPx: 260, cell: (group) => showHidden(group.name) },
  {
    id: 'clients_total',
    header: words.members,
    widthPx: 100,
    align: 'right',
    cell: (group) => group.clients_total,
  },
  { id: 'shared', header: words.shared, widthPx: 260, cell: sharedWord },
  { id: 'id', header: common.id, widthPx: 60, align: 'right', cell: (group) => group.id },
];

/** The groups of clients: between the members of a shared one copies may be restored. */
export function ClientGroupsView(props: { readonly connectionId: string }) {
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
      area="client_groups"
      object="clientGroup"
      nameOf={(group) => group.name}
      create={{ label: words.create, open: async () => openForm(connectionId, list, null) }}
      edit={async (group) => openForm(connectionId, list, group)}
      remove={(ids) => call(connectionId, 'clientGroups.deleteMany', { body: { ids } })}
      details={(group) => (
        <section aria-label={words.details} className="page-section">
          <DetailsHead>{showHidden(group.name)}</DetailsHead>
          <Facts
            facts={[
              [words.members, String(group.clients_total)],
              [words.shared, sharedWord(group)],
            ]}
          />
        </section>
      )}
    />
  );
}

const fields = [
  { name: 'name', label: common.name, type: 'text' },
  { name: 'shared', label: words.shared, type: 'checkbox', help: words.sharedHelp },
] as const;

function openForm(connectionId: string, list: ListStore<ClientGroup>, group: ClientGroup | null): void {
  const bodyOf = (values: FormValues) => ({
    name: textOf(values, 'name'),
    shared: flagOf(values, 'shared'),
  });
  openDialog({
    kind: 'form',
    form: {
      title: group === null ? words.create : t('clients.groups.editTitle', { name: showHidden(group.name) }),
      submitLabel: group === null ? words.createNow : common.save,
      ...(group === null ? { summary: words.membersLater } : {}),
      fields,
      initial: { name: group?.name ?? '', shared: group?.shared ?? false },
      submit: async (values) => {
        const body = bodyOf(values);
        if (group === null) {
          await call(connectionId, 'clientGroups.create', { body });
          await list.refresh();
          return;
        }
        const params = { id: group.id };
        await saveChange({
          what: t('clients.groups.named', { name: group.name }),
          fields,
          body,
          update: (asked) => call(connectionId, 'clientGroups.update', { params, body: asked }),
          get: () => call(connectionId, 'clientGroups.get', { params }),
          refresh: list.refresh,
        });
      },
    },
  });
}
