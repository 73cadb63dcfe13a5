import { Ellipsis } from 'lucide-react';
import type { Connection } from '../../../contract/desktop/connection.ts';
import { command, problemOf } from '../../bridge.ts';
import { goTo, openDialog, showNotice } from '../../shell/shell-store.ts';
import { Menu, type MenuAction, showHidden } from '../../ui/index.ts';
import { texts } from './connection-texts.ts';

const words = texts.menu;

/** What can be done with the chosen connection itself. */
export function ConnectionMenu(props: { readonly connection: Connection }) {
  const { connection } = props;
  const actions = connection.kind === 'local' ? localActions(connection) : remoteActions(connection);
  return <Menu label={words.label} trigger={<Ellipsis size={16} aria-hidden />} actions={actions} />;
}

function localActions(connection: Connection): readonly MenuAction[] {
  return [
    rename(connection),
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
    rename(connection),
    { id: 'remove', label: words.remove, run: () => askToRemove(connection) },
  ];
}

function rename(connection: Connection): MenuAction {
  const form = {
    title: words.renameTitle,
    submitLabel: words.save,
    fields: [{ name: 'name', label: words.name, type: 'text' }],
    initial: { name: connection.name },
    submit: async (values: Readonly<Record<string, string | boolean>>) => {
      const patch = { name: String(values.name) };
      await command('connections.update', { connectionId: connection.id, patch });
    },
  } as const;
  return { id: 'rename', label: words.rename, run: () => openDialog({ kind: 'form', form }) };
}

function askToRemove(connection: Connection): void {
  openDialog({
    kind: 'remove',
    title: words.removeTitle,
    removal: {
      items: [`${showHidden(connection.name)}: ${connection.userName} at ${connection.address}`],
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
