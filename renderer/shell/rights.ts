import { useStore } from 'zustand';
import { t } from '../texts/index.ts';
import { shell } from './shell-store.ts';

/** Why the signed-in user may not do something on this connection; null when they may. */
export function useRights(connectionId: string): (permission: string) => string | null {
  const connection = useStore(shell, (state) => state.connections.find((one) => one.id === connectionId));
  return (permission) => {
    if (connection === undefined || connection.state.phase !== 'connected')
      return t('shell.rights.notConnected');
    if (connection.state.permissions.includes(permission)) return null;
    if (connection.kind === 'recorded') return t('shell.rights.recorded');
    return t('shell.rights.missing', { permission });
  };
}

/** The same at this moment, outside of what is drawn. */
export function hasExtension(connectionId: string, name: string): boolean {
  const connection = shell.getState().connections.find((one) => one.id === connectionId);
  return connection?.state.extensions.includes(name) ?? false;
}

/** What the server has beyond the specification. */
export function useExtension(connectionId: string, name: string): boolean {
  return useStore(
    shell,
    (state) =>
      state.connections.find((one) => one.id === connectionId)?.state.extensions.includes(name) ?? false,
  );
}
