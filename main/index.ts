import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  app,
  type BrowserWindow,
  dialog,
  Menu,
  nativeTheme,
  powerMonitor,
  protocol,
  session,
} from 'electron';
import { languageFor } from '../contract/desktop/languages.ts';
import type { NewsPlace } from '../contract/desktop/news.ts';
import { loadSystemAuthorities } from './api/authorities.ts';
import { createDispatch } from './bridge/dispatch.ts';
import { createHandlers } from './bridge/handlers.ts';
import { createTellWindow, listenToWindow } from './bridge/ipc.ts';
import { createRunningCalls } from './bridge/running-calls.ts';
import { createConnections } from './connections/connections.ts';
import { tellDesktop } from './desktop/desktop-notices.ts';
import { createElectronDesktop } from './desktop/electron-desktop.ts';
import { createElectronNotices } from './desktop/electron-notices.ts';
import { createFarewell } from './desktop/farewell.ts';
import { forwardEvents, watchKeychain } from './desktop/forward-events.ts';
import { createNewsLog } from './desktop/news-log.ts';
import { createQuit } from './desktop/quit.ts';
import { namesOfRunningTasks } from './desktop/running-tasks.ts';
import { createFleet } from './fleet/fleet.ts';
import { createElectronSpawn } from './local-backend/electron-spawn.ts';
import { createSupervisor } from './local-backend/supervisor.ts';
import { createNotices } from './notices/notices.ts';
import { driverAttached } from './platform/driver-attached.ts';
import { createLog } from './platform/log.ts';
import { changedNativeModules } from './platform/native-modules.ts';
import { createProfileStore } from './profiles/profile-store.ts';
import { createElectronSecretChild } from './secrets/electron-secret-child.ts';
import { createKeychainStore } from './secrets/keychain-store.ts';
import { createSettingsStore } from './settings/settings-store.ts';
import { createSupport } from './support/support.ts';
import { speak, t } from './texts/index.ts';
import { createTransfer } from './transfer/transfer.ts';
import { isOfPackageManager } from './updates/own-package.ts';
import { createUpdates } from './updates/updates.ts';
import { guardAllContents, guardSession } from './window/guards.ts';
import { isSandboxLost } from './window/lost-sandbox.ts';
import { openMainWindow } from './window/main-window.ts';
import { setAppMenu } from './window/menu.ts';
import { createPageFiles } from './window/page-files.ts';
import { createPlaceFile } from './window/place-file.ts';
import { servePage } from './window/serve-page.ts';
import { type AppTray, createTray } from './window/tray.ts';
import { hasTrayHost } from './window/tray-host.ts';
import { trayStateOf } from './window/tray-state.ts';

// The life of the app, in order. What happens before `ready` has to: the folder decides which instance this is, and
// Electron refuses privileged schemes later.

const driver = driverAttached();
const built = join(import.meta.dirname, '..');
const home = chooseHome();
const calmMs = 1_000;

protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
]);

if (app.requestSingleInstanceLock()) {
  // Not awaited here: Electron holds `ready` back until this module has run through.
  run().catch((error: unknown) => {
    process.stderr.write(`strongroom: ${error instanceof Error ? error.stack : String(error)}\n`);
    app.exit(1);
  });
} else app.exit(0);

/** Settings, browser data and the local backend's folder live in one place, which also tells two instances apart. */
function chooseHome(): string {
  const named = process.env.STRONGROOM_HOME;
  if (named === undefined || named === '') return app.getPath('userData');
  const folder = resolve(named);
  try {
    mkdirSync(join(folder, 'browser'), { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    process.stderr.write(
      `strongroom: STRONGROOM_HOME=${folder} cannot be used: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    app.exit(2);
  }
  app.setPath('userData', join(folder, 'browser'));
  return folder;
}

/** Asked before any of them is loaded, and told: what runs with the app's rights is what was packed. */
async function hasChangedModules(): Promise<boolean> {
  const changed = await changedNativeModules(process.resourcesPath);
  if (changed.length === 0) return false;
  dialog.showErrorBox(
    'Strongroom',
    await tellBeforeStart('files.changedModules', { files: changed.join(', ') }),
  );
  return true;
}

/** The sandbox is never turned off unasked: not by the launcher of an AppImage either. */
async function staysWithoutSandbox(): Promise<boolean> {
  const hasSwitch = (name: string): boolean => app.commandLine.hasSwitch(name);
  if (!isSandboxLost({ env: process.env, execPath: process.execPath, hasSwitch })) return false;
  const message = await tellBeforeStart('sandbox.lost', {});
  const detail = t('sandbox.remedy');
  const buttons = [t('quit.quit'), t('sandbox.startWithout')];
  const options = { type: 'warning' as const, title: 'Strongroom', message, detail, buttons };
  return dialog.showMessageBoxSync({ ...options, defaultId: 0, cancelId: 0 }) === 0;
}

/** In the system's language, since no settings are read yet, and on standard error too. */
async function tellBeforeStart(
  key: 'files.changedModules' | 'sandbox.lost',
  values: Readonly<Record<string, string>>,
): Promise<string> {
  await app.whenReady();
  speak(languageFor('system', app.getPreferredSystemLanguages()));
  const message = t(key, values);
  process.stderr.write(`strongroom: ${message}\n`);
  return message;
}

async function run(): Promise<void> {
  if (app.isPackaged && ((await hasChangedModules()) || (await staysWithoutSandbox()))) return app.exit(1);
  const log = createLog({ path: join(home, 'log', 'app.log') });
  const notices = createNotices();
  const news = createNewsLog();
  const onTrouble = (message: string): void => {
    log.warn(message);
    notices.show({ id: `file-${message}`, level: 'warning', message, connectionId: null, action: 'none' });
  };
  const settings = createSettingsStore({ path: join(home, 'settings.json'), onTrouble });
  const profiles = createProfileStore({ path: join(home, 'connections.json'), onTrouble });
  const secrets = createKeychainStore({
    start: createElectronSecretChild(join(built, 'main', 'secret-process.js')),
    service: keychainService(),
  });
  const backendEntry = join(built, 'backend', 'main.js');
  const dataDir = join(home, 'backend');
  const supervisor = createSupervisor({
    spawn: createElectronSpawn(backendEntry),
    isInstalled: async () => canRead(backendEntry),
    dataDir,
    logDir: join(dataDir, 'log'),
  });
  const connections = createConnections({ profiles, secrets, supervisor });
  const calls = createRunningCalls();

  let window: BrowserWindow | null = null;
  let show = (): void => undefined;
  let savePlace = async (): Promise<void> => undefined;
  let tray: AppTray | null = null;
  let updateTray = (): void => undefined;
  let tellKeychain = (): void => undefined;
  const contents = () => window?.webContents ?? null;
  const tell = createTellWindow(contents, log);
  const farewell = createFarewell(() => tell('leaving', {}));
  const quit = createQuit({
    window: () => window,
    runningTasks: () => namesOfRunningTasks(connections),
    hasTray: () => tray !== null,
    closeWithoutTray: () => settings.get().closeWithoutTray,
    shutDown: async () => {
      calls.cancelAll();
      fleet.close();
      await farewell.ask();
      const keepSettings = () =>
        settings.finish().catch((error: unknown) => log.warn('the settings could not be kept', { error }));
      await Promise.allSettled([keepSettings(), savePlace(), connections.close(), supervisor.stop()]);
      secrets.close();
      tray?.destroy();
      await log.flush();
    },
  });

  const language = () => languageFor(settings.get().language, app.getPreferredSystemLanguages());
  const setMenu = (): void =>
    setAppMenu({ act: (action) => tell('action', { action }), quit: () => void quit.quit() });
  const desktop = createElectronDesktop({
    home,
    window: () => window,
    hasTray: () => tray !== null,
    changeLanguage: () => {
      speak(language());
      setMenu();
      updateTray();
      tellKeychain();
      window?.webContents.reload();
    },
    quit: quit.quit,
  });
  const support = createSupport({
    connections,
    about: () => ({ ...desktop.info(), keychain: secrets.status().state }),
    logPath: join(home, 'log', 'app.log'),
    pickSaveName: (title, name) => desktop.pickSaveName(title, name),
  });
  const fleet = createFleet({ connections: { ...connections, call: support.call } });

  app.on('second-instance', () => show());
  app.on('activate', () => show());
  app.on('before-quit', quit.onBeforeQuit);
  app.on('window-all-closed', () => quit.leave());
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, quit.leave);
  process.on('uncaughtException', (error) => log.error('an exception nobody expected', { error }));
  process.on('unhandledRejection', (error) => log.error('a rejection nobody expected', { error }));
  guardAllContents(log);

  // Read while Chromium wakes up. Electron would make a menu of its own at `ready`.
  const authorities = loadSystemAuthorities();
  Menu.setApplicationMenu(null);
  await app.whenReady();
  // The system's, for what is wrong with the settings themselves.
  speak(language());
  const placeFile = createPlaceFile(join(home, 'window.json'));
  const [savedPlace] = await Promise.all([placeFile.load(), settings.load()]);
  speak(language());
  nativeTheme.themeSource = settings.get().theme;
  guardSession(session.defaultSession, log);
  await driver;
  servePage(createPageFiles(join(built, 'renderer'), language), log);
  // From here the page is read and run in its own process; what it asks for is made ready meanwhile.
  const opened = openMainWindow({
    preload: join(built, 'preload', 'index.cjs'),
    placeFile,
    saved: savedPlace,
    onClose: quit.onWindowClose,
    onLoad: calls.cancelAll,
    log,
  });
  window = opened.window;
  show = opened.show;
  savePlace = opened.savePlace;
  // What is wrong with the connections is told in the language that the settings name.
  const loaded = Promise.all([profiles.load(), authorities]);
  log.info('started', { version: app.getVersion(), home });

  const transfer = createTransfer({ connections, pickSaveName: desktop.pickSaveName });
  const updates = createUpdates({
    settings: settings.get,
    notices,
    log,
    version: app.getVersion(),
    platform: process.platform,
    arch: process.arch,
    isOwnPackage: !isOfPackageManager(process.execPath),
    readFeed: async (url) => (await import('./updates/read-feed.ts')).readFeed(url),
    openLink: desktop.openLink,
  });
  const dispatch = createDispatch(
    createHandlers({
      connections,
      supervisor,
      fleet,
      transfer,
      support,
      settings,
      secrets,
      notices,
      news,
      updates,
      calls,
      desktop,
      windowLeft: farewell.answered,
    }),
    log,
  );
  listenToWindow(async (sender, name, input) => {
    await loaded;
    return dispatch(sender, name, input);
  });
  forwardEvents({ connections, supervisor, fleet, support, notices, news, tell });
  const goTo = (place: NewsPlace): void => {
    show();
    tell('goTo', place);
  };
  tellDesktop({
    connections,
    fleet,
    settings: settings.get,
    keep: news.add,
    show: createElectronNotices(goTo),
  });
  tellKeychain = watchKeychain({ secrets, notices, connections });
  nativeTheme.on('updated', () => tell('theme', { dark: nativeTheme.shouldUseDarkColors }));
  powerMonitor.on('resume', connections.wake);
  setMenu();

  // The page has the processor for itself until it is there; each goes its own way from here.
  await Promise.all([loaded, opened.whenLoaded]);
  if (quit.isLeaving()) return;
  connections.start();
  // A second later nobody waits for the processor any more. Whoever needs the keychain before asks it then.
  await setTimeout(calmMs);
  if (quit.isLeaving()) return;
  void secrets.probe();
  void updates.look();
  if (await hasTrayHost()) {
    tray = createTray({
      show,
      showServer: (connectionId) => goTo({ connectionId, section: 'Overview', id: null, status: null }),
      quit: () => void quit.quit(),
    });
    updateTray = (): void => tray?.update(trayStateOf(connections.list(), fleet.list()));
    fleet.onChange(updateTray);
    connections.onState(updateTray);
    connections.onList(updateTray);
    updateTray();
  }
}

/** Another settings folder is another app for the keychain too, so that test runs never meet real sessions. */
function keychainService(): string {
  if (!process.env.STRONGROOM_HOME) return 'Strongroom';
  return `Strongroom ${createHash('sha256').update(home).digest('hex').slice(0, 12)}`;
}

function canRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    // Missing or closed: the supervisor tells.
    return false;
  }
}
