import { Ellipsis } from 'lucide-react';
import { type Connection, connectionColours } from '../../../contract/desktop/connection.ts';
import { command, problemOf } from '../../bridge.ts';
import { flagOf, textOf } from '../../shell/form-values.ts';
import type { FormRequest } from '../../shell/open-dialog.ts';
import { goTo, openDialog, shell, showNotice } from '../../shell/shell-store.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Menu, type MenuAction, showHidden } from '../../ui/index.ts';

const { add, menu: words, tls } = textsOf('connections');

/** What can be done with the chosen connection itself. */
export function ConnectionMenu(props: { readonly connection: Connection }) {
  const { connection } = props;
  const actions = actionsOf[connection.kind](connection);
  return <Menu label={words.label} trigger={<Ellipsis size={16} aria-hidden />} actions={actions} />;
}

const actionsOf: Readonly<Record<Connection['kind'], (connection: Connection) => readonly MenuAction[]>> = {
  local: localActions,
  remote: remoteActions,
  recorded: ({ id }) => [
    {
      id: 'close',
      label: words.closeRecording,
      run: () => act(command('connections.remove', { connectionId: id })),
    },
  ],
};

function saveBundle({ id }: Connection): MenuAction {
  return {
    id: 'bundle',
    label: words.saveBundle,
    run: () => openDialog({ kind: 'saveBundle', connectionId: id }),
  };
}

function localActions(connection: Connection): readonly MenuAction[] {
  return [
    edit(connection),
    saveBundle(connection),
    {
      id: 'backend',
      label: words.localBackend,
      run: () => goTo({ connectionId: connection.id, section: 'Local backend' }),
    },
  ];
}

function remoteActions(connection: Connection): readonly MenuAction[] {
  const { id, state } = connection;
  const isConnected = state.phase === 'connected';
  return [
    {
      id: 'retry',
      label: words.again,
      run: () => act(command('connections.retry', { connectionId: id })),
      disabledBecause: isConnected ? words.isConnected : null,
    },
    {
      id: 'signIn',
      label: words.signIn,
      run: () => openDialog({ kind: 'signIn', connectionId: id }),
      disabledBecause: isConnected ? words.signedIn : null,
    },
    {
      id: 'signOut',
      label: words.signOut,
      run: () => act(command('connections.signOut', { connectionId: id })),
      disabledBecause: isConnected ? null : words.notSignedIn,
    },
    edit(connection),
    saveBundle(connection),
    { id: 'remove', label: t('common.deleteAsk'), run: () => askToRemove(connection) },
  ];
}

function edit(connection: Connection): MenuAction {
  const isRemote = connection.kind === 'remote';
  const form = (groups: readonly string[]): FormRequest => ({
    title: words.editTitle,
    submitLabel: t('common.save'),
    fields: [
      { name: 'name', label: t('common.name'), type: 'text' },
      { name: 'group', label: words.group, type: 'text', list: groups, help: words.groupHelp },
      {
        name: 'colour',
        label: words.colour,
        type: 'select',
        choices: connectionColours.map((value) => ({ value, label: words.colours[value] })),
      },
      {
        name: 'zone',
        label: words.zone,
        type: 'text',
        list: Intl.supportedValuesOf('timeZone'),
        help: words.zoneHelp,
        // The bundled backend has the clocks of this computer.
        when: () => isRemote,
      },
      {
        name: 'remember',
        label: add.remember,
        type: 'checkbox',
        help: add.rememberHelp,
        // The bundled backend needs no session that could be kept.
        when: () => isRemote,
      },
      { name: 'caFile', label: tls.caFile, type: 'text', help: tls.caHelp, when: () => isRemote },
      {
        name: 'certificateFile',
        label: tls.certificateFile,
        type: 'text',
        help: tls.certificateHelp,
        when: () => isRemote,
      },
      { name: 'keyFile', label: tls.keyFile, type: 'text', when: () => isRemote },
      {
        name: 'keyPassphrase',
        label: tls.keyPassphrase,
        type: 'password',
        help: tls.passphraseHelp,
        when: () => isRemote,
      },
    ],
    initial: {
      name: connection.name,
      group: connection.group,
      colour: connection.colour,
      zone: connection.zone,
      remember: connection.remember,
      caFile: connection.tls?.caFile ?? '',
      certificateFile: connection.tls?.certificateFile ?? '',
      keyFile: connection.tls?.keyFile ?? '',
      keyPassphrase: '',
    },
    submit: async (values) => {
      const colour = connectionColours.find((one) => one === values.colour) ?? 'none';
      const patch = { name: textOf(values, 'name'), group: textOf(values, 'group'), colour };
      await command('connections.update', {
        connectionId: connection.id,
        patch: isRemote
          ? {
              ...patch,
              zone: textOf(values, 'zone'),
              remember: flagOf(values, 'remember'),
              ...tlsPatch(connection, values),
            }
          : patch,
      });
    },
  });
  const groups = () => [...new Set(shell.getState().connections.map(({ group }) => group))].filter(Boolean);
  return {
    id: 'edit',
    label: t('common.edit'),
    run: () => openDialog({ kind: 'form', form: form(groups()) }),
  };
}

/** Only what a person changed: other files end what is open. */
function tlsPatch({ tls: before }: Connection, values: Parameters<typeof textOf>[0]) {
  const now = {
    caFile: textOf(values, 'caFile'),
    certificateFile: textOf(values, 'certificateFile'),
    keyFile: textOf(values, 'keyFile'),
  };
  const isSame =
    now.caFile === (before?.caFile ?? '') &&
    now.certificateFile === (before?.certificateFile ?? '') &&
    now.keyFile === (before?.keyFile ?? '');
  const keyPassphrase = String(values.keyPassphrase ?? '');
  return { ...(isSame ? {} : { tls: now }), ...(keyPassphrase === '' ? {} : { keyPassphrase }) };
}

function askToRemove(connection: Connection): void {
  openDialog({
    kind: 'remove',
    title: words.removeTitle,
    removal: {
      items: [
        t('connections.menu.removeItem', {
          name: showHidden(connection.name),
          account: t('connections.account', { user: connection.userName, address: connection.address }),
        }),
      ],
      consequences: async () => [words.removeAlso],
      remove: async () => {
        await command('connections.remove', { connectionId: connection.id });
        return [];
      },
    },
  });
}

function act(work: Promise<unknown>): void {
  work.catch((error: unknown) => showNotice({ level: 'error', message: problemOf(error).message }));
}
