import { type Role, roles } from '../../../contract/permissions.ts';
import type { User } from '../../../contract/users/user.ts';
import { call } from '../../bridge.ts';
import { clientGroupChoices } from '../../shell/choices.ts';
import { type FormValues, flagOf, textOf } from '../../shell/form-values.ts';
import type { FormField } from '../../shell/open-dialog.ts';
import { saveChange } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { type Choice, type ListStore, showHidden } from '../../ui/index.ts';

const words = textsOf('users');
const common = textsOf('common');

export const roleWord = (role: string): string => showHidden(wordFor(words.roles, role));

/** More than these are typed: nobody looks through so many boxes. */
const mostTicked = 24;

/** A list in one value of a form, which has commas between: names may have commas too, so each goes by its place. */
interface GroupsField {
  readonly field: FormField;
  readonly valueOf: (groups: readonly string[]) => string;
  readonly groupsOf: (values: FormValues) => readonly string[];
}

const typedGroups: GroupsField = {
  field: { name: 'client_groups', label: words.columns.groups, type: 'text', help: words.form.groupsHelp },
  valueOf: (groups) => groups.join(', '),
  groupsOf: (values) =>
    textOf(values, 'client_groups')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
};

function tickedGroups(choices: readonly Choice[]): GroupsField {
  return {
    field: {
      name: 'client_groups',
      label: words.columns.groups,
      type: 'checks',
      help: words.form.groupsTickHelp,
      choices: choices.map(({ label }, place) => ({ value: String(place), label })),
    },
    valueOf: (groups) =>
      choices.flatMap(({ value }, place) => (groups.includes(value) ? [String(place)] : [])).join(','),
    groupsOf: (values) => {
      const ticked = textOf(values, 'client_groups').split(',');
      return choices.filter((_, place) => ticked.includes(String(place))).map(({ value }) => value);
    },
  };
}

async function groupsField(connectionId: string, own: readonly string[]): Promise<GroupsField> {
  const offer = await clientGroupChoices(connectionId);
  if (offer === null || offer.search !== undefined || offer.choices.length > mostTicked) return typedGroups;
  const isWhole = own.every((name) => offer.choices.some(({ value }) => value === name));
  return isWhole ? tickedGroups(offer.choices) : typedGroups;
}

const nameField = { name: 'user_name', label: words.columns.name, type: 'text' } as const;
const rolesField = {
  name: 'roles',
  label: words.columns.roles,
  type: 'checks',
  help: words.form.rolesHelp,
  choices: roles.map((value) => ({ value, label: roleWord(value) })),
} as const;
const enabledField = { name: 'enabled', label: words.form.enabled, type: 'checkbox' } as const;

function rolesOf(values: FormValues): Role[] {
  const ticked = textOf(values, 'roles').split(',');
  return roles.filter((role) => ticked.includes(role));
}

export async function openNewUser(connectionId: string, list: ListStore<User>): Promise<void> {
  const groups = await groupsField(connectionId, []);
  openDialog({
    kind: 'form',
    form: {
      title: words.form.newTitle,
      submitLabel: words.form.create,
      fields: [
        nameField,
        { name: 'password', label: words.form.password, type: 'password', help: words.form.passwordHelp },
        rolesField,
        groups.field,
        enabledField,
      ],
      initial: { user_name: '', password: '', roles: 'administrator', client_groups: '', enabled: true },
      submit: async (values) => {
        const body = {
          user_name: textOf(values, 'user_name'),
          password: String(values.password),
          roles: rolesOf(values),
          client_groups: [...groups.groupsOf(values)],
          enabled: flagOf(values, 'enabled'),
        };
        await call(connectionId, 'users.create', { body });
        await list.refresh();
      },
    },
  });
}

export async function openEditUser(connectionId: string, user: User, list: ListStore<User>): Promise<void> {
  const groups = await groupsField(connectionId, user.client_groups);
  const fields = [nameField, rolesField, groups.field, enabledField];
  const before = {
    user_name: user.user_name,
    roles: roles.filter((role) => user.roles.includes(role)).join(','),
    client_groups: groups.valueOf(user.client_groups),
  };
  openDialog({
    kind: 'form',
    form: {
      title: t('users.form.editTitle', { name: showHidden(user.user_name) }),
      submitLabel: common.save,
      summary: words.form.editSummary,
      fields: [
        nameField,
        {
          name: 'password',
          label: words.form.newPassword,
          type: 'password',
          help: words.form.newPasswordHelp,
        },
        rolesField,
        groups.field,
        enabledField,
      ],
      initial: { ...before, password: '', enabled: user.enabled },
      submit: async (values) => {
        // What was left as it is is not sent: a role that this program does not know stays.
        const body = {
          ...(textOf(values, 'user_name') === before.user_name
            ? {}
            : { user_name: textOf(values, 'user_name') }),
          ...(values.password === '' ? {} : { password: String(values.password) }),
          ...(values.roles === before.roles ? {} : { roles: rolesOf(values) }),
          ...(values.client_groups === before.client_groups
            ? {}
            : { client_groups: [...groups.groupsOf(values)] }),
          enabled: flagOf(values, 'enabled'),
        };
        const params = { id: user.id };
        await saveChange({
          what: t('users.named', { name: user.user_name }),
          fields,
          body,
          update: (asked) => call(connectionId, 'users.update', { params, body: asked }),
          get: () => call(connectionId, 'users.get', { params }),
          refresh: list.refresh,
        });
      },
    },
  });
}
