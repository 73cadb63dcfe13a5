import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from '@playwright/test';

const projectRoot = join(import.meta.dirname, '..', '..', '..');

export interface LaunchOptions {
  /** STRONGROOM_HOME: a folder to start from again; without it a new one that goes away with the app. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Further arguments after the project's folder. */
  readonly args?: readonly string[];
}

export interface LaunchedApp {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly home: string;
  /** What main wrote to standard output and standard error so far. */
  readonly output: () => string;
  /** Ends the app, by force when it does not go, and removes what the launch made. Safe to call twice. */
  readonly close: () => Promise<void>;
}

const closeLimitMs = 15_000;

/** Starts the built app in the real Electron, with settings and browser data of its own. */
export async function launchApp(options: LaunchOptions = {}): Promise<LaunchedApp> {
  const scratch = await mkdtemp(join(tmpdir(), 'strongroom-e2e-'));
  const home = options.home ?? join(scratch, 'home');
  const rootSwitches = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  let written = '';
  try {
    const app = await _electron.launch({
      executablePath: runtimePath(),
      args: [
        ...rootSwitches,
        `--user-data-dir=${join(scratch, 'browser')}`,
        projectRoot,
        ...(options.args ?? []),
      ],
      cwd: projectRoot,
      env: { ...definedEnv(), STRONGROOM_HOME: home, ...options.env },
    });
    const child = app.process();
    const collect = (chunk: Buffer) => {
      written += chunk.toString('utf8');
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    const close = async () => {
      await closeSurely(app, child);
      await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
    };
    try {
      const page = await app.firstWindow();
      return { app, page, home, output: () => written, close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    throw new Error(`the app did not open a window; it wrote:\n${written}`, { cause: error });
  }
}

/** A picture of the window as it is, kept outside git as artifacts/screens/<name>.png. */
export async function screenshot(page: Page, name: string): Promise<string> {
  const folder = join(projectRoot, 'artifacts', 'screens');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  return path;
}

function runtimePath(): string {
  const script = join(projectRoot, 'scripts', 'electron-runtime.mjs');
  const printed = execFileSync(process.execPath, [script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const path = printed.trimEnd().split('\n').at(-1);
  if (path === undefined || path === '') throw new Error('scripts/electron-runtime.mjs named no runtime');
  return path;
}

function definedEnv(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[0] !== 'ELECTRON_RUN_AS_NODE',
  );
  return Object.fromEntries(entries);
}

/** `child` from the launch: the app itself no longer tells its process once that is gone. */
async function closeSurely(app: ElectronApplication, child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const kill = setTimeout(() => child.kill('SIGKILL'), closeLimitMs);
  try {
    await app.close();
  } finally {
    clearTimeout(kill);
  }
}

/** The system's dialog for a name to save under answers with this path, since no test can drive it. */
export async function answerSaveDialog(app: ElectronApplication, path: string): Promise<void> {
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath });
  }, path);
}
