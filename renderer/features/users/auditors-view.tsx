import type { Auditor } from '../../../contract/auditors/auditor.ts';
import { call } from '../../bridge.ts';
import { offerOf } from '../../shell/choices.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { textOf } from '../../shell/form-values.ts';
import type { FormField } from '../../shell/open-dialog.ts';
import { ResourceScreen } from '../../shell/resource-screen.tsx';
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
export function AuditorsView(props: { readonly connectionId: string; readonly title: string }) {
  const { connectionId, title } = props;
  const list = useList(connectionId, source);
  return (
    <ResourceScreen
      connectionId={connectionId}
      list={list}
      columns={columns}
      title={title}
      empty={words.none}
      actionsLabel={words.actions}
      area="auditors"
      object="auditor"
      nameOf={(auditor) => auditor.auditor}
      create={{ label: words.create, open: () => openNew(connectionId, list) }}
      remove={(ids) => call(connectionId, 'auditors.deleteMany', { body: { ids } })}
      consequences={async () => [words.userStays]}
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
  const offer = await offerOf(
    (query, signal) => call(connectionId, 'users.list', { query }, signal),
    (users) =>
      users
        .filter(({ roles }) => !roles.includes('auditor') && !roles.includes('superuser'))
        .map(({ user_name: name }) => ({ value: name, label: showHidden(name) })),
  );
  const isNobody = offer.choices.length === 0 && offer.search === undefined;
  return isNobody ? { ...field, type: 'text' } : { ...field, type: 'select', ...offer };
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
