import type { Auditor } from '../../../contract/auditors/auditor.ts';
import { call } from '../../bridge.ts';
import { textOf } from '../../shell/form-values.ts';
import { DetailsHead, Facts, ListScreen } from '../../shell/list-screen.tsx';
import { NewButton } from '../../shell/new-button.tsx';
import type { FormField } from '../../shell/open-dialog.ts';
import { ResourceActions } from '../../shell/resource-actions.tsx';
import { hasExtension } from '../../shell/rights.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { openDialog } from '../../shell/shell-store.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { textsOf } from '../../texts/index.ts';
import { type Column, type ListStore, showHidden, thinDash } from '../../ui/index.ts';

const { auditors: words } = textsOf('users');
const common = textsOf('common');

const source: ListSource<Auditor> = {
  name: 'Auditors',
  kinds: ['configuration'],
  pollMs: 30_000,
  idOf: (auditor) => auditor.id,
  load: (connectionId, request, signal) => call(connectionId, 'auditors.list', listInput(request), signal),
};

const columns: readonly Column<Auditor>[] = [
  { id: 'auditor', header: words.user, widthPx: 220, cell: (auditor) => showHidden(auditor.auditor) },
  {
    id: 'assigned_by',
    header: words.givenBy,
    widthPx: 220,
    cell: (auditor) => showHidden(auditor.assigned_by ?? thinDash),
  },
  { id: 'created', header: words.since, widthPx: 172, cell: (auditor) => serverTime(auditor.created) },
  { id: 'id', header: common.id, widthPx: 60, align: 'right', cell: (auditor) => auditor.id },
];

/** Users with the role to read everything and start nothing, which may be held beside another one. */
export function AuditorsView(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ListScreen
      title={words.title}
      list={list}
      columns={columns}
      empty={words.none}
      newAction={
        <NewButton
          connectionId={connectionId}
          permission="auditors.write"
          label={words.create}
          open={() => openNew(connectionId, list)}
        />
      }
      actionsLabel={words.actions}
      actions={
        <ResourceActions
          connectionId={connectionId}
          list={list}
          words={{ one: 'auditor', many: 'auditors' }}
          nameOf={(auditor) => auditor.auditor}
          remove={{
            permission: 'auditors.delete',
            run: (ids) => call(connectionId, 'auditors.deleteMany', { body: { ids } }),
            consequences: async () => [words.userStays],
          }}
        />
      }
      details={(auditor) => (
        <section aria-label={words.details} className="page-section">
          <DetailsHead>{showHidden(auditor.auditor)}</DetailsHead>
          <Facts
            facts={[
              [words.givenBy, auditor.assigned_by === null ? null : showHidden(auditor.assigned_by)],
              [words.since, serverTime(auditor.created)],
            ]}
          />
        </section>
      )}
    />
  );
}

/** Where the server lists its users those are offered who may get the role; else a name is typed. */
async function userField(connectionId: string): Promise<FormField> {
  const field = { name: 'auditor', label: words.user } as const;
  if (!hasExtension(connectionId, 'users')) return { ...field, type: 'text' };
  const users = await call(connectionId, 'users.list', { query: { page: 1, limit: 500 } });
  const able = users.items.filter(({ roles }) => !roles.includes('auditor') && !roles.includes('superuser'));
  const isWhole = users.total === users.items.length && able.length > 0;
  if (!isWhole) return { ...field, type: 'text' };
  const choices = able.map(({ user_name: name }) => ({ value: name, label: showHidden(name) }));
  return { ...field, type: 'select', choices };
}

async function openNew(connectionId: string, list: ListStore<Auditor>): Promise<void> {
  const field = await userField(connectionId);
  openDialog({
    kind: 'form',
    form: {
      title: words.create,
      submitLabel: words.createNow,
      summary: words.summary,
      fields: [field],
      initial: { auditor: field.choices?.[0]?.value ?? '' },
      submit: async (values) => {
        await call(connectionId, 'auditors.create', { body: { auditor: textOf(values, 'auditor') } });
        await list.refresh();
      },
    },
  });
}
