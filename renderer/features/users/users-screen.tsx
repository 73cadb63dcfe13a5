import type { User } from '../../../contract/users/user.ts';
import { call } from '../../bridge.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { ResourceScreen } from '../../shell/resource-screen.tsx';
import { useExtension } from '../../shell/rights.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { TabbedScreen } from '../../shell/tabbed-screen.tsx';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { textsOf } from '../../texts/index.ts';
import { type Column, StatusBadge, showHidden } from '../../ui/index.ts';
import { AuditorsView } from './auditors-view.tsx';
import { openEditUser, openNewUser, roleWord } from './user-form.ts';

const words = textsOf('users');
const common = textsOf('common');

const stateWord = (user: User): string => (user.enabled ? words.enabled : words.disabled);
const groupsText = ({ client_groups: groups }: User): string =>
  groups.length === 0 ? words.allGroups : groups.map(showHidden).join(', ');

const source: ListSource<User> = {
  name: 'Users',
  kinds: ['configuration'],
  pollMs: 30_000,
  idOf: (user) => user.id,
  load: (connectionId, request, signal) => call(connectionId, 'users.list', listInput(request), signal),
};

/** The first three are seen beside open details in a window of 1,280 pixels. */
const columns: readonly Column<User>[] = [
  { id: 'user_name', header: words.columns.name, widthPx: 166, cell: (user) => showHidden(user.user_name) },
  {
    id: 'roles',
    header: words.columns.roles,
    widthPx: 184,
    sortable: false,
    cell: (user) => user.roles.map(roleWord).join(', '),
    title: (user) => user.roles.map(roleWord).join(', '),
  },
  {
    id: 'enabled',
    header: words.columns.state,
    widthPx: 110,
    cell: (user) => <StatusBadge meaning={user.enabled ? 'ok' : 'idle'} word={stateWord(user)} />,
  },
  {
    id: 'client_groups',
    header: words.columns.groups,
    widthPx: 200,
    sortable: false,
    cell: groupsText,
  },
  {
    id: 'last_success_login',
    header: words.columns.lastLogin,
    widthPx: 172,
    cell: (user) => serverTime(user.last_success_login),
  },
  {
    id: 'last_fail_login',
    header: words.columns.lastFailure,
    widthPx: 172,
    cell: (user) => serverTime(user.last_fail_login),
  },
  { id: 'id', header: common.id, widthPx: 60, align: 'right', cell: (user) => user.id },
];

/** Who may sign in, and who of them may look at everything. */
export function UsersScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const hasUsers = useExtension(connectionId, 'users');
  // Of the users of other servers those who are auditors are all that is told.
  if (!hasUsers) return <AuditorsView connectionId={connectionId} title={words.title} />;
  const { title } = words.auditors;
  const auditors = {
    id: 'auditors',
    label: title,
    draw: () => <AuditorsView connectionId={connectionId} title={title} />,
  };
  const users = { id: 'users', label: words.title, draw: () => <UsersView connectionId={connectionId} /> };
  return <TabbedScreen label={words.views} views={[users, auditors]} />;
}

function UsersView(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ResourceScreen
      connectionId={connectionId}
      list={list}
      columns={columns}
      title={words.title}
      empty={words.empty}
      actionsLabel={words.actions}
      area="users"
      object="user"
      nameOf={(user) => `${user.user_name} (${user.roles.map(roleWord).join(', ')})`}
      create={{ label: words.newUser, open: () => openNewUser(connectionId, list) }}
      edit={(user) => openEditUser(connectionId, user, list)}
      remove={(ids) => call(connectionId, 'users.deleteMany', { body: { ids } })}
      details={(user) => (
        <section aria-label={words.details} className="page-section">
          <DetailsHead>{showHidden(user.user_name)}</DetailsHead>
          <Facts
            facts={[
              [words.columns.roles, user.roles.map(roleWord).join(', ')],
              [words.columns.state, stateWord(user)],
              [words.columns.groups, groupsText(user)],
              [words.columns.lastLogin, serverTime(user.last_success_login)],
              [words.columns.lastFailure, serverTime(user.last_fail_login)],
              [common.created, serverTime(user.created)],
            ]}
          />
        </section>
      )}
    />
  );
}
