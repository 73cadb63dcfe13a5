import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ElectronApplication, expect, type Page, test } from '@playwright/test';
import type { Bridge, CommandInput, CommandName, CommandResult } from '../../contract/bridge.ts';
import type { Outcome } from '../../contract/problem.ts';
import { type LaunchedApp, launchApp } from './support/app.ts';

const projectRoot = join(import.meta.dirname, '..', '..');

let scratch: string;
let open: LaunchedApp[];
test.beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'strongroom-shell-'));
  open = [];
});
test.afterEach(async () => {
  for (const app of open) await app.close();
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
});

async function launch(home = join(scratch, 'home')): Promise<LaunchedApp> {
  const launched = await launchApp({ home });
  open.push(launched);
  await launched.page.waitForLoadState();
  return launched;
}

type BridgeWindow = Window & { readonly bridge: Bridge };

async function ask<N extends CommandName>(
  page: Page,
  name: N,
  input?: CommandInput<N>,
): Promise<Outcome<CommandResult<N>>> {
  const outcome = await page.evaluate(
    ([command, argument]) =>
      (window as unknown as BridgeWindow).bridge.invoke(command as 'app.info', argument as undefined),
    [name, input] as const,
  );
  return outcome as Outcome<CommandResult<N>>;
}

async function startLocalBackend(page: Page): Promise<number> {
  const used = await ask(page, 'localBackend.use');
  expect(used).toMatchObject({ ok: true, value: { id: 'local', state: { phase: 'connected' } } });
  const state = await ask(page, 'localBackend.state');
  if (!state.ok || state.value.pid === null) throw new Error('the local backend has no process id');
  return state.value.pid;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process.
    return false;
  }
}

const mainPid = (app: ElectronApplication) => app.evaluate(() => process.pid);

test('the page has no Node, runs no foreign code, reaches no network and goes nowhere', async () => {
  const { page, app } = await launch();
  const found = await page.evaluate(async () => {
    const names = ['require', 'process', 'module', 'Buffer', 'global', 'electron', 'ipcRenderer'];
    const refusals: string[] = [];
    document.addEventListener('securitypolicyviolation', (event) => refusals.push(event.effectiveDirective));
    const attempt = (work: () => unknown): string => {
      try {
        return String(work());
      } catch (error) {
        return (error as Error).name;
      }
    };
    const script = document.createElement('script');
    const results = {
      leaked: names.filter((name) => name in window),
      bridge: Object.keys((window as unknown as BridgeWindow).bridge).sort(),
      // From a timer: what the test itself evaluates is exempt from the policy.
      code: await new Promise((resolve) =>
        setTimeout(() => resolve(attempt(() => new Function('return 1')()))),
      ),
      markup: attempt(() => {
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.broken = true">');
      }),
      scriptText: attempt(() => {
        script.textContent = 'window.broken = true';
      }),
      opened: window.open('https://example.com/'),
      fetched: await fetch('https://example.com/').then(
        () => 'answered',
        () => 'refused',
      ),
      permission: await Notification.requestPermission(),
      broken: 'broken' in window,
    };
    return { ...results, refusals };
  });
  expect(found).toMatchObject({
    leaked: [],
    bridge: ['invoke', 'on'],
    code: 'EvalError',
    markup: 'TypeError',
    scriptText: 'TypeError',
    opened: null,
    fetched: 'refused',
    permission: 'denied',
    broken: false,
  });
  expect(found.refusals).toContain('connect-src');
  await page.evaluate(() => {
    window.location.href = 'https://example.com/';
  });
  await expect.poll(() => page.url()).toMatch(/^app:\/\/bundle\//);
  expect(app.windows()).toHaveLength(1);
  const preferences = await app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows().map((window) => window.webContents);
    return (
      contents[0] as unknown as { getLastWebPreferences(): object } | undefined
    )?.getLastWebPreferences();
  });
  expect(preferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
  });
});

test('only known commands with a known form are answered (cases 23, 24)', async () => {
  const { page } = await launch();
  for (const name of ['__proto__', 'secrets.get', 'api.call:auth.login'])
    expect(await ask(page, name as CommandName)).toMatchObject({
      ok: false,
      problem: { code: 'unknownCommand' },
    });
  for (const url of [
    'file:///etc/passwd',
    'smb://x/y',
    'javascript:alert(1)',
    'strongroom://x',
    'https://example.com/',
  ])
    expect(await ask(page, 'external.open', { url })).toMatchObject({ ok: false, problem: { code: 'link' } });
  for (const name of ['auth.login', 'auth.refresh', 'events.stream', 'constructor'])
    expect(
      await ask(page, 'api.call', { connectionId: 'local', name, input: {}, callId: '1' }),
    ).toMatchObject({
      ok: false,
      problem: { code: 'unknownCall' },
    });
});

test('a second start shows the window of the first and goes away (case 8)', async () => {
  const { app, home } = await launch();
  await app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.hide();
  });
  const child: ChildProcess = spawn(
    await app.evaluate(() => process.execPath),
    [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), projectRoot],
    { env: { ...process.env, STRONGROOM_HOME: home }, stdio: 'ignore' },
  );
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  await expect
    .poll(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()))
    .toBe(true);
});

test('the window opens where it was left, and where it can be seen if that place is gone (case 12)', async () => {
  const first = await launch();
  const boundsOf = (app: ElectronApplication) =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getNormalBounds());
  const left = { x: 30, y: 40, width: 1010, height: 640 };
  await first.app.evaluate(({ BrowserWindow }, bounds) => {
    BrowserWindow.getAllWindows()[0]?.setBounds(bounds);
  }, left);
  await expect.poll(() => boundsOf(first.app)).toEqual(left);
  await first.close();
  const again = await launch(first.home);
  expect(await boundsOf(again.app)).toEqual(left);
  await again.close();
  // The screen on which it stood is no longer there.
  await writeFile(
    join(first.home, 'window.json'),
    JSON.stringify({ x: 9000, y: -4000, width: 3000, height: 2000, maximized: false }),
  );
  const { app } = await launch(first.home);
  const screen = await app.evaluate((electron) => electron.screen.getPrimaryDisplay().workArea);
  const { x, y, width, height } = (await boundsOf(app)) ?? { x: -1, y: -1, width: 0, height: 0 };
  expect(Math.min(x - screen.x, y - screen.y)).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(screen.x + screen.width);
  expect(y + height).toBeLessThanOrEqual(screen.y + screen.height);
});

test('the theme of the system is followed as it changes, until another one is chosen', async () => {
  const { app, page } = await launch();
  const systemBecomes = (isDark: boolean) =>
    app.evaluate(({ nativeTheme }, dark) => {
      Object.defineProperty(nativeTheme, 'shouldUseDarkColors', { configurable: true, get: () => dark });
      nativeTheme.emit('updated');
    }, isDark);
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  expect(await app.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe('system');
  for (const isDark of [true, false, true]) {
    await systemBecomes(isDark);
    await expect.poll(theme).toBe(isDark ? 'dark' : 'light');
  }
  await ask(page, 'settings.set', { theme: 'light' });
  await expect.poll(() => app.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe('light');
});

test('the window opens where it was left though the app was killed', async () => {
  const first = await launch();
  const left = { x: 30, y: 40, width: 1010, height: 640 };
  await first.app.evaluate(({ BrowserWindow }, bounds) => {
    BrowserWindow.getAllWindows()[0]?.setBounds(bounds);
  }, left);
  const kept = async () =>
    JSON.parse(await readFile(join(first.home, 'window.json'), 'utf8').catch(() => '{}'));
  await expect.poll(kept).toMatchObject(left);
  process.kill(await mainPid(first.app), 'SIGKILL');
  const { app } = await launch(first.home);
  const bounds = await app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.getNormalBounds(),
  );
  expect(bounds).toEqual(left);
});

test('two settings folders are two apps, each with a backend of its own (case 7)', async () => {
  const [one, two] = [await launch(join(scratch, `Ünï (1) 100%'s`)), await launch(join(scratch, 'two'))];
  const pids = [await startLocalBackend(one.page), await startLocalBackend(two.page)];
  const states = [await ask(one.page, 'localBackend.state'), await ask(two.page, 'localBackend.state')];
  expect(new Set(pids).size).toBe(2);
  expect(new Set(states.map((state) => (state.ok ? state.value.url : ''))).size).toBe(2);
});

test('the backend is gone soon after kill -9 of the app, and the next start has its own (case 2)', async () => {
  const first = await launch();
  const backend = await startLocalBackend(first.page);
  process.kill(await mainPid(first.app), 'SIGKILL');
  await expect.poll(() => isAlive(backend), { timeout: 5_000 }).toBe(false);
  const second = await launch();
  await expect
    .poll(async () => {
      const state = await ask(second.page, 'localBackend.state');
      return state.ok ? state.value.phase : '';
    })
    .toBe('running');
  expect(await startLocalBackend(second.page)).not.toBe(backend);
});

test('quitting ends a frozen backend too, and the next start works at once (case 3)', async () => {
  const first = await launch();
  const backend = await startLocalBackend(first.page);
  process.kill(backend, 'SIGSTOP');
  const gone = first.app.waitForEvent('close', { timeout: 30_000 });
  process.kill(await mainPid(first.app), 'SIGTERM');
  await gone;
  await expect.poll(() => isAlive(backend)).toBe(false);
  const second = await launch();
  await startLocalBackend(second.page);
});

test('a backend that dies is started again, and the connection is back without a question', async () => {
  const { page } = await launch();
  const backend = await startLocalBackend(page);
  process.kill(backend, 'SIGKILL');
  await expect
    .poll(async () => {
      const state = await ask(page, 'localBackend.state');
      return state.ok && state.value.pid !== backend ? state.value.phase : '';
    })
    .toBe('running');
  await expect
    .poll(async () => {
      const connections = await ask(page, 'connections.list');
      return connections.ok ? connections.value[0]?.state.phase : '';
    })
    .toBe('connected');
});

test('a crash of the page leaves the backend alive, and the page comes back (case 1)', async () => {
  const { app, page } = await launch();
  const backend = await startLocalBackend(page);
  const rendererPid = () =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId() ?? 0);
  const before = await rendererPid();
  process.kill(before, 'SIGKILL');
  const titleOfPage = () =>
    app.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      if (!contents || contents.isCrashed() || contents.isLoading()) return '';
      return contents.executeJavaScript('document.title') as Promise<string>;
    });
  await expect
    .poll(async () => ((await rendererPid()) === before ? '' : titleOfPage()))
    .toContain('Strongroom');
  expect(isAlive(backend)).toBe(true);
});

test('a backend that cannot start gives reason and log, and Retry works once the cause is gone (case 4)', async () => {
  const home = join(scratch, 'home');
  await mkdir(home);
  await writeFile(join(home, 'backend'), 'a file where the folder should be');
  const { page } = await launch(home);
  expect(await ask(page, 'localBackend.use')).toMatchObject({
    ok: false,
    problem: { kind: 'local', code: 'dataDirUnusable' },
  });
  const state = await ask(page, 'localBackend.state');
  expect(state).toMatchObject({
    ok: true,
    value: { phase: 'failed', exitCode: 4, reason: expect.stringMatching(/\w+/) },
  });
  await rm(join(home, 'backend'));
  await startLocalBackend(page);
});

test('a damaged settings file is kept aside, told once, and nothing is lost (case 15)', async () => {
  const first = await launch();
  await startLocalBackend(first.page);
  await first.close();
  await writeFile(join(first.home, 'connections.json'), '{');
  const second = await launch();
  const [connections, notices] = [
    await ask(second.page, 'connections.list'),
    await ask(second.page, 'notices.list'),
  ];
  expect(connections).toMatchObject({ ok: true, value: [{ id: 'local' }] });
  expect(
    notices.ok && notices.value.filter(({ message }) => message.includes('last good copy')),
  ).toHaveLength(1);
});

test('the log of the app and the saved connections hold no secret of the local backend', async () => {
  const { page, home, output, close } = await launch();
  await startLocalBackend(page);
  await ask(page, 'api.call', {
    connectionId: 'local',
    name: 'pools.list',
    input: { query: {} },
    callId: '1',
  });
  await close();
  const texts = await Promise.all(
    ['connections.json', 'settings.json', 'log/app.log'].map((name) => readFile(join(home, name), 'utf8')),
  );
  for (const text of [...texts, output()])
    expect(text).not.toMatch(/eyJ[\w-]{10,}\.|launchSecret|Bearer (?!\[)/);
});
