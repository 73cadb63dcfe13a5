import { Ellipsis } from 'lucide-react';
import type { Connection } from '../../../contract/desktop/connection.ts';
import { command, problemOf } from '../../bridge.ts';
import { goTo, openDialog, showNotice } from '../../shell/shell-store.ts';
import { Menu, type MenuAction, showHidden } from '../../ui/index.ts';

/** What can be done with the chosen connection itself. */
export function ConnectionMenu(props: { readonly connection: Connection }) {
  const { connection } = props;
  const actions = connection.kind === 'local' ? localActions(connection) : remoteActions(connection);
  return <Menu label="Connection actions" trigger={<Ellipsis size={16} aria-hidden />} actions={actions} />;
}

function localActions(connection: Connection): readonly MenuAction[] {
  return [
    rename(connection),
    {
      id: 'backend',
      label: 'Local backend',
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
      label: 'Connect again',
      run: () => act(command('connections.retry', { connectionId: id })),
      disabledBecause: isConnected ? 'It is connected' : null,
    },
    {
      id: 'signIn',
      label: 'Sign in…',
      run: () => openDialog({ kind: 'signIn', connectionId: id }),
      disabledBecause: isConnected ? 'You are signed in' : null,
    },
    {
      id: 'signOut',
      label: 'Sign out',
      run: () => act(command('connections.signOut', { connectionId: id })),
      disabledBecause: isConnected ? null : 'You are not signed in',
    },
    rename(connection),
    { id: 'remove', label: 'Delete…', run: () => askToRemove(connection) },
  ];
}

function rename(connection: Connection): MenuAction {
  const form = {
    title: 'Rename connection',
    submitLabel: 'Save',
    fields: [{ name: 'name', label: 'Name', type: 'text' }],
    initial: { name: connection.name },
    submit: async (values: Readonly<Record<string, string | boolean>>) => {
      const patch = { name: String(values.name) };
      await command('connections.update', { connectionId: connection.id, patch });
    },
  } as const;
  return { id: 'rename', label: 'Rename…', run: () => openDialog({ kind: 'form', form }) };
}

function askToRemove(connection: Connection): void {
  openDialog({
    kind: 'remove',
    title: 'Delete connection',
    removal: {
      items: [`${showHidden(connection.name)}: ${connection.userName} at ${connection.address}`],
      consequences: async () => ['The session and what was remembered of it. The server keeps all its data.'],
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
