import { Plus } from 'lucide-react';
import { useStore } from 'zustand';
import { roles } from '../../../contract/permissions.ts';
import type { User } from '../../../contract/users/user.ts';
import { call } from '../../bridge.ts';
import { Facts, ListScreen } from '../../shell/list-screen.tsx';
import { removeRows } from '../../shell/remove-rows.ts';
import { useRights } from '../../shell/rights.ts';
import { tellNotTaken } from '../../shell/saved.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { openDialog } from '../../shell/shell-store.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { Button, type Column, type ListStore, StatusBadge, showHidden, thinDash } from '../../ui/index.ts';

const source: ListSource<User> = {
  name: 'Users',
  kinds: ['configuration'],
  pollMs: 30_000,
  idOf: (user) => user.id,
  load: (connectionId, request, signal) => call(connectionId, 'users.list', listInput(request), signal),
};

const columns: readonly Column<User>[] = [
  { id: 'user_name', header: 'User name', widthPx: 200, cell: (user) => showHidden(user.user_name) },
  {
    id: 'roles',
    header: 'Roles',
    widthPx: 200,
    sortable: false,
    cell: (user) => user.roles.map(showHidden).join(', '),
  },
  {
    id: 'enabled',
    header: 'State',
    widthPx: 110,
    cell: (user) => (
      <StatusBadge meaning={user.enabled ? 'ok' : 'idle'} word={user.enabled ? 'enabled' : 'disabled'} />
    ),
  },
  {
    id: 'client_groups',
    header: 'Client groups',
    widthPx: 200,
    sortable: false,
    cell: (user) => (user.client_groups.length === 0 ? 'all' : user.client_groups.map(showHidden).join(', ')),
  },
  {
    id: 'last_success_login',
    header: 'Last login',
    widthPx: 172,
    cell: (user) => serverTime(user.last_success_login),
  },
  {
    id: 'last_fail_login',
    header: 'Last failure',
    widthPx: 172,
    cell: (user) => serverTime(user.last_fail_login),
  },
  { id: 'id', header: 'Id', widthPx: 60, align: 'right', cell: (user) => user.id },
];

export function UsersScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  const reasonFor = useRights(connectionId);
  return (
    <ListScreen
      title="Users"
      list={list}
      columns={columns}
      empty="There is no user."
      newAction={
        <Button
          kind="primary"
          onClick={() => openNew(connectionId, list)}
          disabledBecause={reasonFor('users.write')}
        >
          <Plus size={16} aria-hidden />
          New user
        </Button>
      }
      actionsLabel="User actions"
      actions={<Actions connectionId={connectionId} list={list} />}
      details={(user) => (
        <section aria-label="User details" className="page-section">
          <div className="details-head">
            <h2>{showHidden(user.user_name)}</h2>
          </div>
          <Facts
            facts={[
              ['Roles', user.roles.map(showHidden).join(', ')],
              ['State', user.enabled ? 'enabled' : 'disabled'],
              [
                'Client groups',
                user.client_groups.length === 0 ? 'all' : user.client_groups.map(showHidden).join(', '),
              ],
              [
                'Last login',
                user.last_success_login === null ? thinDash : serverTime(user.last_success_login),
              ],
              ['Created', serverTime(user.created)],
            ]}
          />
        </section>
      )}
    />
  );
}

const fields = [
  { name: 'role', label: 'Role', type: 'select', choices: roles.map((value) => ({ value, label: value })) },
  {
    name: 'client_groups',
    label: 'Client groups',
    type: 'text',
    help: 'Names with commas between, to limit an administrator to them. Empty for all.',
  },
  { name: 'enabled', label: 'May sign in', type: 'checkbox' },
] as const;

const joined = (groups: readonly string[]) => groups.join(', ');

function groupsOf(text: string | boolean | undefined): string[] {
  return String(text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function openNew(connectionId: string, list: ListStore<User>): void {
  openDialog({
    kind: 'form',
    form: {
      title: 'New user',
      submitLabel: 'Create user',
      fields: [
        { name: 'user_name', label: 'User name', type: 'text' },
        { name: 'password', label: 'Password', type: 'password', help: '8 characters at least.' },
        ...fields,
      ],
      initial: { user_name: '', password: '', role: 'administrator', client_groups: '', enabled: true },
      submit: async (values) => {
        const body = {
          user_name: String(values.user_name).trim(),
          password: String(values.password),
          roles: [String(values.role) as (typeof roles)[number]],
          client_groups: groupsOf(values.client_groups),
          enabled: values.enabled === true,
        };
        await call(connectionId, 'users.create', { body });
        await list.refresh();
      },
    },
  });
}

function Actions(props: { readonly connectionId: string; readonly list: ListStore<User> }) {
  const { connectionId, list } = props;
  useStore(list.store);
  const reasonFor = useRights(connectionId);
  const users = list.selectedRows();
  const [only] = users;
  const edit = (user: User) =>
    openDialog({
      kind: 'form',
      form: {
        title: `Edit user ${showHidden(user.user_name)}`,
        submitLabel: 'Save',
        summary: 'A new password ends the other sessions of this user.',
        fields: [
          { name: 'password', label: 'New password', type: 'password', help: 'Empty keeps the present one.' },
          ...fields,
        ],
        initial: {
          password: '',
          role: user.roles[0] ?? 'administrator',
          client_groups: joined(user.client_groups),
          enabled: user.enabled,
        },
        submit: async (values) => {
          const role = String(values.role) as (typeof roles)[number];
          const body = {
            ...(values.password === '' ? {} : { password: String(values.password) }),
            // Further roles stay unless the first one was changed.
            ...(role === user.roles[0] ? {} : { roles: [role] }),
            ...(values.client_groups === joined(user.client_groups)
              ? {}
              : { client_groups: groupsOf(values.client_groups) }),
            enabled: values.enabled === true,
          };
          const params = { id: user.id };
          await call(connectionId, 'users.update', { params, body });
          const now = await call(connectionId, 'users.get', { params });
          await list.refresh();
          tellNotTaken(`User ${user.user_name}`, [...fields, { name: 'roles', label: 'Role' }], body, now);
        },
      },
    });
  const remove = () =>
    openDialog({
      kind: 'remove',
      title: 'Delete users',
      removal: {
        items: users.map((user) => `${user.user_name} (${user.roles.join(', ')})`),
        remove: removeRows({
          rows: users,
          nameOf: (user) => user.user_name,
          list,
          remove: (ids) => call(connectionId, 'users.deleteMany', { body: { ids } }),
        }),
      },
    });
  return (
    <>
      <Button
        onClick={() => only !== undefined && edit(only)}
        disabledBecause={(users.length === 1 ? null : 'Select one user') ?? reasonFor('users.write')}
      >
        Edit…
      </Button>
      <Button
        onClick={remove}
        disabledBecause={(users.length === 0 ? 'Select a user first' : null) ?? reasonFor('users.delete')}
      >
        Delete…
      </Button>
    </>
  );
}
