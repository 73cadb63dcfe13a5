import type { TellWindow } from '../bridge/ipc.ts';
import type { Connections } from '../connections/connections.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Supervisor } from '../local-backend/supervisor.ts';
import type { Notices } from '../notices/notices.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { Support } from '../support/support.ts';
import { t } from '../texts/index.ts';
import type { NewsLog } from './news-log.ts';

/** What happens in main, told to the window. */
export function forwardEvents(options: {
  readonly connections: Connections;
  readonly supervisor: Supervisor;
  readonly fleet: Fleet;
  readonly support: Support;
  readonly notices: Notices;
  readonly news: NewsLog;
  readonly tell: TellWindow;
}): void {
  const { connections, supervisor, fleet, support, notices, news, tell } = options;
  const tellList = (): void => {
    tell('connections.changed', { connections: [...connections.list(), ...support.list()] });
  };
  connections.onList(tellList);
  support.onList(tellList);
  connections.onState((state) => tell('connection.state', state));
  connections.onServerEvent((event) => tell('server.event', event));
  supervisor.onState((state) => tell('localBackend.state', state));
  fleet.onChange((health) => tell('fleet.server', health));
  notices.onShow((notice) => tell('notice', notice));
  news.onAdd((item) => tell('news', item));
  notices.onGone((id) => tell('notice.gone', { id }));
}

const keychainNotice = 'keychain';

/**
 * One notice about the keychain, as long as it matters: while some connection is meant to be remembered. Returns what says
 * it anew, for when the language has changed.
 */
export function watchKeychain(options: {
  readonly secrets: SecretStore;
  readonly notices: Notices;
  readonly connections: Connections;
}): () => void {
  const { secrets, notices, connections } = options;
  const look = (): void => {
    const { state, message } = secrets.status();
    const isNeeded = connections.list().some(({ remember }) => remember);
    if (state === 'ok' || state === 'unknown' || !isNeeded) {
      notices.dismiss(keychainNotice);
      return;
    }
    notices.show({
      id: keychainNotice,
      level: 'warning',
      message: message === '' ? t('keychain.broken') : message,
      connectionId: null,
      action: 'retryKeychain',
    });
  };
  secrets.onStatus(look);
  connections.onList(look);
  return look;
}
