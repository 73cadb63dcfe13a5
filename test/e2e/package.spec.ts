import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { expect, test } from '@playwright/test';

const projectRoot = join(import.meta.dirname, '..', '..');
const isRoot = process.getuid?.() === 0;

/** What a person gets: the package is built, installed into a root of its own, started, used and removed. */
test('the Debian package installs, its app backs up, and nothing of it can be made to run other code (case 13)', async () => {
  test.skip(!isRoot, 'dpkg installs into another root only for root');
  test.setTimeout(300_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-package-'));
  let app: ChildProcess | null = null;
  try {
    const built = spawnSync(process.execPath, [join(projectRoot, 'scripts', 'run.mjs'), 'package'], {
      encoding: 'utf8',
      timeout: 200_000,
    });
    expect(built.status, built.stderr).toBe(0);
    expect(built.stderr).toContain('WARNING: a package for tests');
    const deb = built.stdout.trim().split('\n').at(-1) ?? '';

    const root = emptySystem(join(work, 'root'));
    install(root, deb, 'knows user namespaces');
    const profile = join(root, 'etc', 'apparmor.d', 'strongroom');
    expect(readFileSync(profile, 'utf8')).toMatch(
      /profile strongroom \/opt\/strongroom\/strongroom flags=\(unconfined\) \{\s+userns,/,
    );
    const older = emptySystem(join(work, 'older'));
    install(older, deb, 'is older');
    expect(existsSync(join(older, 'etc', 'apparmor.d', 'strongroom'))).toBe(false);
    rmSync(older, { recursive: true });

    const home = join(root, 'opt', 'strongroom');
    const executable = join(home, 'strongroom');
    expect(statSync(join(home, 'chrome-sandbox')).mode & 0o7777).toBe(0o4755);
    expect(statSync(executable).uid).toBe(0);
    const desktop = readFileSync(join(root, 'usr', 'share', 'applications', 'strongroom.desktop'), 'utf8');
    expect(desktop).toContain('Exec=/opt/strongroom/strongroom');
    expect(desktop).not.toContain('no-sandbox');
    expect(
      existsSync(join(root, 'usr', 'share', 'icons', 'hicolor', '256x256', 'apps', 'strongroom.png')),
    ).toBe(true);
    const bill = JSON.parse(readFileSync(join(home, 'resources', 'sbom.cdx.json'), 'utf8'));
    expect(bill.components.map(({ name }: { readonly name: string }) => name)).toEqual(
      expect.arrayContaining(['fastify', 'electron', 'chromium']),
    );
    const wire = await getCurrentFuseWire(executable);
    for (const fuse of [
      FuseV1Options.RunAsNode,
      FuseV1Options.EnableNodeOptionsEnvironmentVariable,
      FuseV1Options.EnableNodeCliInspectArguments,
    ])
      expect(wire[fuse], FuseV1Options[fuse]).toBe(FuseState.DISABLE);

    const settings = join(work, 'home');
    const env = { ...process.env, STRONGROOM_HOME: settings };
    const started = spawn(executable, ['--no-sandbox', '--remote-debugging-port=0'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    app = started;
    const page = await openPage(started);
    await page.until(`document.querySelector('h1')?.textContent === 'Welcome to Strongroom'`);
    // While it runs, another start only shows its window; as Node it would print.
    const asNode = spawnSync(executable, ['--no-sandbox', '-e', 'console.log("ran as " + "Node")'], {
      env: { ...env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '--require=/nowhere.js' },
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect(asNode.stdout).not.toContain('ran as Node');
    expect(asNode.status).toBe(0);

    // The bundled backend with its native modules: a database, hashes, compression.
    const source = join(work, 'source');
    mkdirSync(source);
    writeFileSync(join(source, 'letter.txt'), 'x'.repeat(100_000));
    await page.click('Use this computer');
    await page.until(`document.querySelector('h1')?.textContent === 'Overview'`);
    const call = (name: string, input: object) =>
      page.value<{
        readonly ok: boolean;
        readonly value: { readonly items: readonly { readonly status: string }[] };
      }>(
        `window.bridge.invoke('api.call', ${JSON.stringify({ connectionId: 'local', name, input, callId: `${name}-${Math.random()}` })})`,
      );
    await page.click('New backup');
    await page.until(`document.querySelector('[role=dialog] select') !== null`);
    await page.fill('Folder', source);
    await page.click('Start backup');
    await expect
      .poll(
        async () => (await call('taskQueue.list', { query: { page: 1, limit: 1 } })).value?.items[0]?.status,
        { timeout: 60_000 },
      )
      .toBe('done');

    page.close();
    started.kill('SIGTERM');
    const [code] = await once(started, 'exit');
    expect(code).toBe(0);
    app = null;

    /** What the app says before a message box of it, which stands there until somebody has read it. */
    const refusal = async (environment: NodeJS.ProcessEnv, words: string): Promise<string> => {
      const refused = spawn(executable, ['--no-sandbox'], {
        env: environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      app = refused;
      let said = '';
      refused.stderr.on('data', (text) => {
        said += text;
      });
      await expect.poll(() => said, { timeout: 30_000 }).toContain(words);
      refused.kill('SIGKILL');
      await once(refused, 'exit');
      app = null;
      return said;
    };

    // As the launcher of an AppImage would start it where there are no user namespaces (case 13).
    await refusal({ ...env, APPDIR: home }, 'was started without the sandbox');

    // Another module in the place of one of them is not loaded.
    const list = JSON.parse(readFileSync(join(home, 'resources', 'native-modules.json'), 'utf8'));
    const [nativeModule = ''] = Object.keys(list);
    appendFileSync(join(home, 'resources', nativeModule), 'x');
    expect(await refusal(env, 'not those that Strongroom was packed with')).toContain(nativeModule);

    dpkg(root, ['--purge', 'strongroom'], 'knows user namespaces');
    expect(existsSync(home)).toBe(false);
    expect(existsSync(profile)).toBe(false);
    expect(existsSync(join(settings, 'connections.json'))).toBe(true);
  } finally {
    if (app) {
      app.kill('SIGKILL');
      await once(app, 'exit');
    }
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** A system that has dpkg's books and AppArmor's folder, and nothing else. */
function emptySystem(root: string): string {
  for (const folder of [
    'var/lib/dpkg/info',
    'var/lib/dpkg/updates',
    'var/lib/dpkg/triggers',
    'etc/apparmor.d',
  ])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'var/lib/dpkg/status'), '');
  return root;
}

type AppArmor = 'knows user namespaces' | 'is older';

function install(root: string, deb: string, appArmor: AppArmor): void {
  // Its libraries are those of the machine, which the books of this root do not list.
  dpkg(root, ['--force-depends', '--install', deb], appArmor);
}

/** The package's own scripts run, with a parser that takes or refuses the profile. */
function dpkg(root: string, args: readonly string[], appArmor: AppArmor): void {
  const tools = `${root}-tools`;
  mkdirSync(tools, { recursive: true });
  const parser = join(tools, 'apparmor_parser');
  writeFileSync(
    parser,
    `#!/bin/sh\n${appArmor === 'is older' ? 'exit 1' : 'test -s "$(for last; do :; done; echo "$last")"'}\n`,
  );
  chmodSync(parser, 0o755);
  const path = `${tools}:${process.env.PATH}:/usr/sbin:/sbin`;
  execFileSync('dpkg', [`--root=${root}`, '--force-script-chrootless', ...args], {
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

interface OpenPage {
  readonly value: <T>(expression: string) => Promise<T>;
  readonly until: (expression: string) => Promise<void>;
  readonly click: (button: string) => Promise<void>;
  readonly fill: (label: string, text: string) => Promise<void>;
  readonly close: () => void;
}

/** The window's page by the protocol of Chromium's own tools, since nothing else is let in. */
async function openPage(app: ChildProcess): Promise<OpenPage> {
  let written = '';
  const port = await new Promise<string>((resolve, reject) => {
    app.stderr?.on('data', (chunk: Buffer) => {
      written += chunk.toString('utf8');
      const found = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(written)?.[1];
      if (found !== undefined) resolve(found);
    });
    app.once('exit', (code) => reject(new Error(`the app ended with ${code}: ${written}`)));
  });
  const pages = async () =>
    (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as readonly {
      readonly type: string;
      readonly webSocketDebuggerUrl: string;
    }[];
  await expect
    .poll(async () => (await pages()).some(({ type }) => type === 'page'), { timeout: 30_000 })
    .toBe(true);
  const address = (await pages()).find(({ type }) => type === 'page')?.webSocketDebuggerUrl ?? '';
  const socket = new WebSocket(address);
  await once(socket, 'open');
  let asked = 0;
  const value = async <T>(expression: string): Promise<T> => {
    asked += 1;
    const id = asked;
    const answer = new Promise<T>((resolve, reject) => {
      const hear = ({ data }: MessageEvent): void => {
        const told = JSON.parse(String(data));
        if (told.id !== id) return;
        socket.removeEventListener('message', hear);
        if (told.result?.exceptionDetails) reject(new Error(JSON.stringify(told.result.exceptionDetails)));
        else resolve(told.result?.result?.value as T);
      };
      socket.addEventListener('message', hear);
    });
    const params = { expression, awaitPromise: true, returnByValue: true };
    socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params }));
    return answer;
  };
  const until = (expression: string) =>
    expect.poll(() => value(expression), { timeout: 40_000, message: expression }).toBe(true);
  const button = (name: string) =>
    `[...document.querySelectorAll('button')].findLast((one) => one.textContent.trim() === ${JSON.stringify(name)})`;
  const field = (label: string) =>
    `[...document.querySelectorAll('label')].find((one) => one.textContent === ${JSON.stringify(label)}).control`;
  return {
    value,
    until,
    click: async (name) => {
      // One that waits for an answer takes no click, as in a person's hand.
      await until(`${button(name)}?.matches(':not(:disabled, [aria-disabled="true"])') === true`);
      await value(`${button(name)}.click()`);
    },
    fill: async (label, text) => {
      await value(`(() => {
        const field = ${field(label)};
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(text)});
        field.dispatchEvent(new Event('input', { bubbles: true }));
      })()`);
    },
    close: () => socket.close(),
  };
}
