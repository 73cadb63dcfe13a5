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
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { Button, type Column, type ListStore, StatusBadge, showHidden, thinDash } from '../../ui/index.ts';

const words = textsOf('users');
const common = textsOf('common');

const roleWord = (role: string): string => showHidden(wordFor(words.roles, role));
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

export function UsersScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  const reasonFor = useRights(connectionId);
  return (
    <ListScreen
      title={words.title}
      list={list}
      columns={columns}
      empty={words.empty}
      newAction={
        <Button
          kind="primary"
          onClick={() => openNew(connectionId, list)}
          disabledBecause={reasonFor('users.write')}
        >
          <Plus size={16} aria-hidden />
          {words.newUser}
        </Button>
      }
      actionsLabel={words.actions}
      actions={<Actions connectionId={connectionId} list={list} />}
      details={(user) => (
        <section aria-label={words.details} className="page-section">
          <div className="details-head">
            <h2>{showHidden(user.user_name)}</h2>
          </div>
          <Facts
            facts={[
              [words.columns.roles, user.roles.map(roleWord).join(', ')],
              [words.columns.state, stateWord(user)],
              [words.columns.groups, groupsText(user)],
              [
                words.columns.lastLogin,
                user.last_success_login === null ? thinDash : serverTime(user.last_success_login),
              ],
              [common.created, serverTime(user.created)],
            ]}
          />
        </section>
      )}
    />
  );
}

const fields = [
  {
    name: 'role',
    label: words.form.role,
    type: 'select',
    choices: roles.map((value) => ({ value, label: roleWord(value) })),
  },
  {
    name: 'client_groups',
    label: words.columns.groups,
    type: 'text',
    help: words.form.groupsHelp,
  },
  { name: 'enabled', label: words.form.enabled, type: 'checkbox' },
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
      title: words.form.newTitle,
      submitLabel: words.form.create,
      fields: [
        { name: 'user_name', label: words.columns.name, type: 'text' },
        { name: 'password', label: words.form.password, type: 'password', help: words.form.passwordHelp },
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
        title: t('users.form.editTitle', { name: showHidden(user.user_name) }),
        submitLabel: common.save,
        summary: words.form.editSummary,
        fields: [
          {
            name: 'password',
            label: words.form.newPassword,
            type: 'password',
            help: words.form.newPasswordHelp,
          },
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
          tellNotTaken(
            t('users.named', { name: user.user_name }),
            [...fields, { name: 'roles', label: words.form.role }],
            body,
            now,
          );
        },
      },
    });
  const remove = () =>
    openDialog({
      kind: 'remove',
      title: words.removeTitle,
      removal: {
        items: users.map((user) => `${user.user_name} (${user.roles.map(roleWord).join(', ')})`),
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
        disabledBecause={(users.length === 1 ? null : words.selectOne) ?? reasonFor('users.write')}
      >
        {common.edit}
      </Button>
      <Button
        onClick={remove}
        disabledBecause={(users.length === 0 ? words.selectFirst : null) ?? reasonFor('users.delete')}
      >
        {common.deleteAsk}
      </Button>
    </>
  );
}
