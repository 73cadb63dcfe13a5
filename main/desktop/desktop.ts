import type { AppInfo } from '../../contract/bridge.ts';

/** What the command handlers need of the desktop around them; Electron is behind it. */
export interface Desktop {
  readonly info: () => Omit<AppInfo, 'keychain'>;
  /** Null when the person cancelled. */
  readonly pickFolder: (title: string, defaultPath: string | undefined) => Promise<string | null>;
  readonly pickFile: (title: string) => Promise<string | null>;
  readonly pickSaveName: (title: string, defaultName: string) => Promise<string | null>;
  readonly copyText: (text: string) => void;
  readonly openLink: (url: string) => Promise<void>;
  /** Opens a folder in the file manager; the reason when that failed. */
  readonly openFolder: (path: string) => Promise<string | null>;
  readonly setTheme: (theme: 'system' | 'light' | 'dark') => void;
  /** What is shown is drawn anew in the language of the settings. */
  readonly changeLanguage: () => void;
  /** Asks about running tasks and quits; true when the app is about to quit. */
  readonly quit: () => Promise<boolean>;
}
