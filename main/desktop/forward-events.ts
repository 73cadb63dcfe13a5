import type { TellWindow } from '../bridge/ipc.ts';
import type { Connections } from '../connections/connections.ts';
import type { Supervisor } from '../local-backend/supervisor.ts';
import type { Notices } from '../notices/notices.ts';
import { keychainMessages, type SecretStore } from '../secrets/secret-store.ts';

/** What happens in main, told to the window. */
export function forwardEvents(options: {
  readonly connections: Connections;
  readonly supervisor: Supervisor;
  readonly notices: Notices;
  readonly tell: TellWindow;
}): void {
  const { connections, supervisor, notices, tell } = options;
  connections.onList((list) => tell('connections.changed', { connections: [...list] }));
  connections.onState((state) => tell('connection.state', state));
  connections.onServerEvent((event) => tell('server.event', event));
  supervisor.onState((state) => tell('localBackend.state', state));
  notices.onShow((notice) => tell('notice', notice));
  notices.onGone((id) => tell('notice.gone', { id }));
}

const keychainNotice = 'keychain';

/** One notice about the keychain, as long as it matters: while some connection is meant to be remembered. */
export function watchKeychain(options: {
  readonly secrets: SecretStore;
  readonly notices: Notices;
  readonly isNeeded: () => boolean;
}): void {
  const { secrets, notices } = options;
  secrets.onStatus((status) => {
    if (status.state === 'ok' || status.state === 'unknown' || !options.isNeeded()) {
      notices.dismiss(keychainNotice);
      return;
    }
    notices.show({
      id: keychainNotice,
      level: 'warning',
      message: status.message === '' ? keychainMessages.broken : status.message,
      connectionId: null,
      action: 'retryKeychain',
    });
  });
}
