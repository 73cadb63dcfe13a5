import { mkdir, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ApiName } from '../../contract/api.ts';
import { endpoints } from '../api/endpoints.ts';
import type { Connections } from '../connections/connections.ts';
import type { Desktop } from '../desktop/desktop.ts';
import type { NewsLog } from '../desktop/news-log.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Supervisor } from '../local-backend/supervisor.ts';
import type { Notices } from '../notices/notices.ts';
import { messageOf, ProblemError } from '../platform/problem-error.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { Support } from '../support/support.ts';
import { t } from '../texts/index.ts';
import type { createTransfer } from '../transfer/transfer.ts';
import type { Updates } from '../updates/updates.ts';
import { allowedLink } from '../window/external-links.ts';
import type { CommandHandlers } from './dispatch.ts';
import type { RunningCalls } from './running-calls.ts';

export interface HandlerDeps {
  readonly connections: Connections;
  readonly supervisor: Supervisor;
  readonly fleet: Fleet;
  readonly transfer: ReturnType<typeof createTransfer>;
  readonly support: Support;
  readonly settings: SettingsStore;
  readonly secrets: SecretStore;
  readonly notices: Notices;
  readonly news: NewsLog;
  readonly updates: Updates;
  readonly calls: RunningCalls;
  readonly desktop: Desktop;
  readonly windowLeft: () => void;
}

/** Each command, as one call into the room that does it. */
export function createHandlers(deps: HandlerDeps): CommandHandlers {
  const {
    connections,
    supervisor,
    fleet,
    transfer,
    support,
    settings,
    secrets,
    notices,
    calls,
    desktop,
    updates,
  } = deps;
  return {
    'api.call': ({ connectionId, name, input, callId }) =>
      // Under its id from the beginning, so that it can be given up at once.
      calls.run(callId, async (signal) => {
        if (!(await isCallable(name)))
          throw new ProblemError({ kind: 'bug', code: 'unknownCall', message: t('calls.noCall') });
        return support.call(connectionId, name as ApiName, input, signal);
      }),
    'api.cancel': ({ callId }) => {
      calls.cancel(callId);
      return null;
    },

    'connections.list': () => [...connections.list(), ...support.list()],
    'connections.add': async ({ callId, ...draft }) => {
      const connection = await calls.run(callId, (signal) => connections.add(draft, signal));
      await settings.set({ firstRunDone: true });
      return connection;
    },
    'connections.update': ({ connectionId, patch }) => connections.update(connectionId, patch),
    'connections.remove': async ({ connectionId }) => {
      if (support.isRecording(connectionId)) support.close(connectionId);
      else await connections.remove(connectionId);
      return null;
    },
    'connections.signIn': ({ connectionId, password, remember, callId }) =>
      calls.run(callId, (signal) => connections.signIn(connectionId, password, { remember, signal })),
    'connections.signOut': async ({ connectionId }) => {
      await connections.signOut(connectionId);
      return null;
    },
    'connections.probe': ({ address, callId }) =>
      calls.run(callId, (signal) => connections.probe(address, signal)),
    'connections.checkTls': async ({ tls, keyPassphrase }) => {
      await connections.checkTls(tls, keyPassphrase);
      return null;
    },
    'connections.trustCertificate': ({ connectionId, fingerprint }) =>
      connections.trustCertificate(connectionId, fingerprint),
    'connections.retry': async ({ connectionId }) => {
      await connections.retry(connectionId);
      return null;
    },

    'connections.export': ({ passphrase }) => transfer.save(passphrase),
    'connections.readImport': ({ path, passphrase }) => transfer.preview(path, passphrase),
    'connections.import': (input) => transfer.take(input),

    'support.save': ({ connectionId }) => support.save(connectionId),
    'support.open': ({ path }) => support.open(path),

    'fleet.list': () => [...fleet.list()],
    'fleet.lookNow': () => {
      fleet.lookNow();
      // Each tells by its state how that went; none is waited for.
      for (const { id, kind, state } of connections.list())
        if (kind === 'remote' && state.phase === 'unreachable') void connections.retry(id);
      return null;
    },

    'localBackend.state': () => supervisor.state(),
    'localBackend.use': async () => {
      const connection = await connections.useLocal();
      await settings.set({ firstRunDone: true });
      return connection;
    },
    'localBackend.stop': async () => {
      await supervisor.stop();
      return null;
    },
    'localBackend.restart': async () => {
      await supervisor.stop();
      await supervisor.start();
      return null;
    },
    'localBackend.logTail': () => [...supervisor.logTail()],
    'localBackend.log': ({ after }) => [...supervisor.logAfter(after)],
    'localBackend.openLogs': () => openFolder(desktop, supervisor.state().logDir),
    'localBackend.openData': () => openFolder(desktop, supervisor.state().dataDir),
    'localBackend.openApiPage': async () => {
      const running = supervisor.running();
      if (running === null) throw localProblem('stopped', 'The local backend does not run. Start it first.');
      await desktop.openLink(`${running.url}/api/v1`);
      return null;
    },
    'localBackend.resetIdentity': async () => {
      await connections.resetLocalIdentity();
      return null;
    },

    'keychain.retry': async () => (await secrets.probe()).state,

    'dialog.pickFolder': ({ title, defaultPath }) => desktop.pickFolder(title, defaultPath),
    'dialog.pickFile': ({ title }) => desktop.pickFile(title),
    'dialog.saveFile': async ({ title, defaultName, text }) => {
      // A name only: the window does not choose folders.
      const path = await desktop.pickSaveName(title, basename(defaultName));
      if (path === null) return null;
      await writeFile(path, text, 'utf8').catch((error: unknown) => {
        throw localProblem('save', t('files.notWritten', { path, reason: messageOf(error) }));
      });
      return path;
    },

    'settings.get': () => settings.get(),
    'settings.set': async (patch) => {
      const before = settings.get();
      updates.checkPatch(patch);
      const next = await settings.set(patch);
      desktop.setTheme(next.theme);
      if (next.language !== before.language) desktop.changeLanguage();
      if (next.lookForUpdates !== before.lookForUpdates || next.updateFeed !== before.updateFeed)
        void updates.look();
      return next;
    },
    'updates.open': async () => {
      await updates.open();
      return null;
    },

    'app.info': () => ({ ...desktop.info(), keychain: secrets.status().state }),
    'notices.list': () => [...notices.standing()],
    'notices.dismiss': ({ id }) => {
      notices.dismiss(id);
      return null;
    },
    'news.list': () => [...deps.news.list()],
    'clipboard.write': ({ text }) => {
      desktop.copyText(text);
      return null;
    },
    'external.open': async ({ url }) => {
      await desktop.openLink(
        allowedLink(
          url,
          connections.list().map(({ address }) => address),
        ),
      );
      return null;
    },
    'quit.confirm': () => desktop.quit(),
    'window.left': () => {
      deps.windowLeft();
      return null;
    },
  };
}

/** Signing in and out goes by the connections' own commands, so that no token ever passes through here. */
const ownWays: readonly string[] = ['auth.login', 'auth.logout', 'auth.refresh', 'events.stream'];

async function isCallable(name: string): Promise<boolean> {
  return Object.hasOwn(await endpoints(), name) && !ownWays.includes(name);
}

async function openFolder(desktop: Desktop, path: string): Promise<null> {
  // It does not exist where the backend never came so far.
  await mkdir(path, { recursive: true, mode: 0o700 });
  const refusal = await desktop.openFolder(path);
  if (refusal)
    throw localProblem('openFolder', t('files.folderNotOpened', { folder: path, reason: refusal }));
  return null;
}

function localProblem(code: string, message: string): ProblemError {
  return new ProblemError({ kind: 'local', code, message });
}
