import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from '@playwright/test';

export const projectRoot = join(import.meta.dirname, '..', '..');

export interface Started {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly close: () => Promise<void>;
}

let runtime: string | null = null;

/** The Electron that the app runs on; the last line that the script prints is its path. */
export function runtimePath(): string {
  runtime ??= execFileSync(process.execPath, [join(projectRoot, 'scripts', 'electron-runtime.mjs')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
    .trimEnd()
    .split('\n')
    .at(-1) as string;
  return runtime;
}

/** Starts a program of Electron with browser data of its own, and waits for the button that makes it usable. */
export async function start(options: {
  /** Folder of the program: its package.json or main file. */
  readonly program: string;
  readonly usable: string;
  readonly home?: string;
}): Promise<Started> {
  const scratch = await mkdtemp(join(tmpdir(), 'strongroom-bench-console-'));
  const executablePath = runtimePath();
  const rootSwitches = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const app = await _electron.launch({
    executablePath,
    args: [...rootSwitches, `--user-data-dir=${join(scratch, 'browser')}`, options.program],
    cwd: projectRoot,
    env: launchEnv(options.home ?? join(scratch, 'home')),
  });
  const close = async (): Promise<void> => {
    await app.close();
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  };
  const page = await app.firstWindow();
  await page.getByRole('button', { name: options.usable }).waitFor();
  return { app, page, close };
}

/** The environment of a program with settings of its own. */
export function launchEnv(home: string): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[0] !== 'ELECTRON_RUN_AS_NODE',
  );
  return { ...Object.fromEntries(entries), STRONGROOM_HOME: home };
}
