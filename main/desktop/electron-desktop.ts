import { app, type BrowserWindow, clipboard, dialog, nativeTheme, shell } from 'electron';
import type { Desktop } from './desktop.ts';

export function createElectronDesktop(options: {
  readonly home: string;
  readonly window: () => BrowserWindow | null;
  readonly hasTray: () => boolean;
  readonly changeLanguage: () => void;
  readonly quit: () => Promise<boolean>;
}): Desktop {
  return {
    info: () => ({
      version: app.getVersion(),
      platform: process.platform,
      electron: process.versions.electron ?? '',
      chrome: process.versions.chrome ?? '',
      node: process.versions.node,
      home: options.home,
      dark: nativeTheme.shouldUseDarkColors,
      tray: options.hasTray(),
    }),
    pickFolder: async (title, defaultPath) => {
      const window = options.window();
      const asked = {
        title,
        properties: ['openDirectory' as const, 'createDirectory' as const, 'showHiddenFiles' as const],
        ...(defaultPath === undefined ? {} : { defaultPath }),
      };
      const answer = window ? await dialog.showOpenDialog(window, asked) : await dialog.showOpenDialog(asked);
      return answer.canceled ? null : (answer.filePaths[0] ?? null);
    },
    pickFile: async (title) => {
      const window = options.window();
      const asked = { title, properties: ['openFile' as const, 'showHiddenFiles' as const] };
      const answer = window ? await dialog.showOpenDialog(window, asked) : await dialog.showOpenDialog(asked);
      return answer.canceled ? null : (answer.filePaths[0] ?? null);
    },
    pickSaveName: async (title, defaultName) => {
      const window = options.window();
      const asked = { title, defaultPath: defaultName };
      const answer = window ? await dialog.showSaveDialog(window, asked) : await dialog.showSaveDialog(asked);
      return answer.canceled || answer.filePath === '' ? null : (answer.filePath ?? null);
    },
    copyText: (text) => clipboard.writeText(text),
    openLink: (url) => shell.openExternal(url),
    openFolder: async (path) => (await shell.openPath(path)) || null,
    setTheme: (theme) => {
      nativeTheme.themeSource = theme;
    },
    changeLanguage: options.changeLanguage,
    quit: options.quit,
  };
}
