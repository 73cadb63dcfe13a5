import { BrowserWindow, nativeTheme, screen } from 'electron';
import { windowOrigin } from '../bridge/dispatch.ts';
import type { Log } from '../platform/log.ts';
import type { PlaceFile } from './place-file.ts';
import { placeFor, smallest, type WindowPlace } from './window-place.ts';

export interface MainWindow {
  readonly window: BrowserWindow;
  /** In front, whatever it was: hidden, minimised, behind others. */
  readonly show: () => void;
  /** Remembers where it stands; done when it is on the disk. */
  readonly savePlace: () => Promise<void>;
  /** Settled as soon as the page was loaded the first time, or could not be. */
  readonly whenLoaded: Promise<void>;
}

const mostReloads = 3;
const reloadSpanMs = 60_000;

/** The one window: sandboxed, isolated, with the preload as its only way out. */
export function openMainWindow(options: {
  readonly preload: string;
  readonly placeFile: PlaceFile;
  /** Where it stood when it was last closed. */
  readonly saved: WindowPlace | null;
  readonly onClose: (event: { readonly preventDefault: () => void }) => void;
  /** The page was loaded, or loaded again: what it waited for before is gone. */
  readonly onLoad: () => void;
  readonly log: Log;
}): MainWindow {
  const { log, placeFile, saved } = options;
  const window = new BrowserWindow({
    ...placeFor(
      saved,
      screen.getAllDisplays().map(({ workArea }) => workArea),
    ),
    minWidth: smallest.width,
    minHeight: smallest.height,
    title: 'Strongroom',
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#16181d' : '#ffffff',
    webPreferences: {
      preload: options.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      spellcheck: false,
      navigateOnDragDrop: false,
    },
  });
  if (saved?.maximized) window.maximize();
  const show = (): void => {
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  };
  window.once('ready-to-show', show);
  const savePlace = async (): Promise<void> => {
    if (window.isDestroyed()) return;
    const place: WindowPlace = { ...window.getNormalBounds(), maximized: window.isMaximized() };
    await placeFile
      .save(place)
      .catch((error: unknown) => log.warn('the place of the window was not saved', { error }));
  };
  // A program that is killed has no time to remember: it is done a moment after the window came to rest.
  saveWhenAtRest(window, savePlace);
  window.on('close', options.onClose);
  window.webContents.on('did-finish-load', options.onLoad);
  reloadAfterCrash(window, log);
  window.webContents.on('did-fail-load', (_event, code, description) => {
    log.error('the page could not be loaded', { code, description });
    show();
  });
  const whenLoaded = window
    .loadURL(`${windowOrigin}/index.html`)
    .catch((error: unknown) => log.error('the page could not be loaded', { error }));
  return { window, show, savePlace, whenLoaded };
}

const restMs = 500;

function saveWhenAtRest(window: BrowserWindow, save: () => Promise<void>): void {
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void save(), restMs);
  };
  window.on('move', soon);
  window.on('resize', soon);
  window.on('maximize', soon);
  window.on('unmaximize', soon);
  window.on('closed', () => clearTimeout(timer));
}

/** The page may die; the work does not. It comes back by itself, but not for ever. */
function reloadAfterCrash(window: BrowserWindow, log: Log): void {
  let reloads: readonly number[] = [];
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    log.error('the page ended', { reason, exitCode });
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    const now = Date.now();
    reloads = [...reloads.filter((at) => now - at < reloadSpanMs), now];
    if (reloads.length <= mostReloads) window.webContents.reload();
  });
  window.on('unresponsive', () => log.warn('the page does not answer'));
}
