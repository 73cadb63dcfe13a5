import type { Notice } from '../../contract/bridge.ts';
import type { ConnectionState } from '../../contract/desktop/connection.ts';
import { command, on, problemOf } from '../bridge.ts';
import { t } from '../texts/index.ts';
import {
  allServers,
  applySettings,
  dismissNotice,
  openDialog,
  type Place,
  type ShellState,
  shell,
  showNotice,
  type WindowNotice,
} from './shell-store.ts';

/** Loads what the window needs and listens to main. Answers how to stop. */
export function startShell(): () => void {
  // An answer may come later than what was told after it was made.
  const told = { connections: false, localBackend: false, theme: false };
  const offs = [
    on('connections.changed', ({ connections }) => {
      told.connections = true;
      shell.setState({ connections });
    }),
    on('connection.state', ({ connectionId, state }) => setConnectionState(connectionId, state)),
    on('fleet.server', (health) =>
      shell.setState(({ fleet }) => ({ fleet: new Map(fleet).set(health.connectionId, health) })),
    ),
    on('localBackend.state', (localBackend) => {
      told.localBackend = true;
      shell.setState({ localBackend });
    }),
    on('theme', ({ dark }) => {
      told.theme = true;
      applyTheme(dark);
    }),
    on('notice', showMainNotice),
    on('notice.gone', ({ id }) => dismissNotice(id)),
  ];
  void load(told);
  return () => {
    for (const off of offs) off();
  };
}

async function load(
  told: Readonly<Record<'connections' | 'localBackend' | 'theme', boolean>>,
): Promise<void> {
  try {
    // Each answer counts from when it comes, however long the others take; what was told before it is as new, and what is told later newer.
    await Promise.all([
      command('settings.get').then(applySettings),
      command('app.info').then((info) => {
        if (!told.theme) applyTheme(info.dark);
        shell.setState({ info });
      }),
      command('connections.list').then((connections) => {
        if (!told.connections) shell.setState({ connections });
      }),
      command('fleet.list').then((fleet) =>
        shell.setState(({ fleet: since }) => ({
          fleet: new Map([...fleet.map((health) => [health.connectionId, health] as const), ...since]),
        })),
      ),
      command('localBackend.state').then((localBackend) => {
        if (!told.localBackend) shell.setState({ localBackend });
      }),
      command('notices.list').then((notices) => {
        for (const notice of notices) showMainNotice(notice);
      }),
    ]);
    shell.setState({ isReady: true, place: lastPlace(shell.getState()) });
  } catch (error) {
    showNotice({ id: 'start', level: 'error', message: problemOf(error).message });
    shell.setState({ isReady: true });
  }
}

function lastPlace({ settings, connections }: Pick<ShellState, 'settings' | 'connections'>): Place {
  if (settings.lastSection === allServers) return { connectionId: null, section: allServers };
  const last = connections.find(({ id }) => id === settings.lastConnection) ?? connections[0];
  return {
    connectionId: last?.id ?? null,
    section: settings.lastSection ?? 'Overview',
    ...(settings.lastObject === null ? {} : { object: settings.lastObject }),
  };
}

function setConnectionState(connectionId: string, state: ConnectionState): void {
  shell.setState((before) => ({
    connections: before.connections.map((connection) =>
      connection.id === connectionId ? { ...connection, state } : connection,
    ),
  }));
}

function applyTheme(isDark: boolean): void {
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

function showMainNotice(notice: Notice): void {
  showNotice({ id: notice.id, level: notice.level, message: notice.message, ...actionOf(notice) });
}

function actionOf(notice: Notice): Pick<WindowNotice, 'action'> | undefined {
  switch (notice.action) {
    case 'retryKeychain':
      return {
        action: {
          label: t('notices.tryAgain'),
          run: () => void command('keychain.retry').catch(() => undefined),
        },
      };
    case 'openLogs':
      return {
        action: {
          label: t('notices.openLogs'),
          run: () => void command('localBackend.openLogs').catch(() => undefined),
        },
      };
    case 'signIn': {
      const { connectionId } = notice;
      if (connectionId === null) return undefined;
      return {
        action: { label: t('notices.signIn'), run: () => openDialog({ kind: 'signIn', connectionId }) },
      };
    }
    case 'openUpdate':
      return {
        action: {
          label: t('notices.openUpdate'),
          run: () => void command('updates.open').catch(() => undefined),
        },
      };
    case 'none':
      return undefined;
  }
}
