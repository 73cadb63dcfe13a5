import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectRoot, scriptAnswer } from '../support/script-answer.ts';
import { makeTempDir } from '../support/temp-dir.ts';

interface System {
  readonly platform: string;
  readonly arch?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly execPath: string;
  /** The files that there are. */
  readonly files: readonly string[];
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

const windows: System = {
  platform: 'win32',
  arch: 'x64',
  env: { Path: 'C:\\Windows;C:\\Program Files\\nodejs' },
  execPath: 'D:\\project\\node_modules\\node\\bin\\node.exe',
  files: ['C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js'],
};
const npmOfWindows = windows.files[0];

/** What `call` makes on another system; `system` is the name it has there. */
function on<T>(system: System, module: string, call: string): T {
  return scriptAnswer<T>(`
    const { files, ...told } = ${JSON.stringify(system)};
    const system = { ...told, exists: (path) => files.includes(path) };
    const scripts = await import('./scripts/${module}');
    console.log(JSON.stringify(${call}));`);
}

const npmOn = (system: System): Command =>
  on(system, 'support/npm.mjs', "scripts.npmCommand(['ci'], system)");

test('on Windows npm is its script, run by this Node: a batch file could not be started without a shell', () => {
  expect(npmOn(windows)).toEqual({ program: windows.execPath, args: [npmOfWindows, 'ci'] });
  const beside = { ...windows, env: {}, execPath: 'C:\\Program Files\\nodejs\\node.exe' };
  expect(npmOn(beside)).toEqual({ program: beside.execPath, args: [npmOfWindows, 'ci'] });
});

test('npm is the one that started this, and no other package manager', () => {
  const told = 'E:\\npm\\bin\\npm-cli.js';
  expect(npmOn({ ...windows, env: { ...windows.env, npm_execpath: told } }).args).toEqual([told, 'ci']);
  const other = { ...windows.env, npm_execpath: 'E:\\pnpm\\bin\\pnpm.cjs' };
  expect(npmOn({ ...windows, env: other }).args).toEqual([npmOfWindows, 'ci']);
});

test('without npm it says where it was looked for', () => {
  const message = on<string>(
    { ...windows, files: [] },
    'support/npm.mjs',
    "(() => { try { scripts.npmCommand(['ci'], system); } catch (error) { return error.message; } })()",
  );
  expect(message).toMatch(/^npm was not found, neither beside this Node nor in the folders of Path/);
});

test('elsewhere npm is the one beside this Node, or else the one of the system', () => {
  const linux: System = { platform: 'linux', env: {}, execPath: '/opt/node/bin/node', files: [] };
  expect(npmOn(linux)).toEqual({ program: 'npm', args: ['ci'] });
  const beside = '/opt/node/lib/node_modules/npm/bin/npm-cli.js';
  expect(npmOn({ ...linux, files: [beside] })).toEqual({ program: linux.execPath, args: [beside, 'ci'] });
});

test('electron-builder is run by npm, each word an argument of its own', () => {
  const system = JSON.stringify({ target: 'nsis', config: 'D:\\a b\\config.mjs' });
  const { program, args } = on<Command>(
    windows,
    'package/builder.mjs',
    `scripts.builderCommand(${system}, system)`,
  );
  expect(program).toBe(windows.execPath);
  expect(args).toEqual([
    npmOfWindows,
    ...['exec', '--yes', expect.stringMatching(/^--package=electron-builder@\d+\.\d+\.\d+$/), '--'],
    ...[
      'electron-builder',
      '--win',
      'nsis',
      '--x64',
      '--config',
      'D:\\a b\\config.mjs',
      '--publish',
      'never',
    ],
  ]);
});

test("a tool's search path begins with the project's own programs, under the name that it has there", () => {
  const env = (system: System) =>
    on<Record<string, string>>(system, 'support/project.mjs', 'scripts.toolEnv({ EXTRA: "1" }, system)');
  const there = env({ ...windows, env: { ...windows.env, ELECTRON_RUN_AS_NODE: '1' } });
  expect(Object.keys(there).sort()).toEqual(['EXTRA', 'Path']);
  expect(there.Path).toMatch(/^[^;]*\\node_modules\\\.bin;C:\\Windows;C:\\Program Files\\nodejs$/);
  // A tool that starts a tool does not add them again.
  expect(env({ ...windows, env: { Path: String(there.Path) } }).Path).toBe(there.Path);
  const here = env({ platform: 'linux', env: { PATH: '/usr/bin' }, execPath: '/usr/bin/node', files: [] });
  expect(here.PATH).toBe(`${join(projectRoot, 'node_modules', '.bin')}:/usr/bin`);
});

test('every npm script is taken by a POSIX shell and by that of Windows', () => {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  for (const [name, command] of Object.entries(scripts))
    expect(command, name).toBe(`exec node scripts/run.mjs ${name}`);
  // The shell of Windows, which has no `exec`, finds this file in the folder where npm runs the scripts.
  const commands = readFileSync(join(projectRoot, 'exec.cmd'), 'utf8').split('\n');
  expect(commands.filter((line) => !line.startsWith('@rem '))).toEqual(['@%*', '']);
});

test.runIf(process.platform !== 'win32')(
  'a signal to npm run reaches the command itself, and no shell in between that would die alone',
  async () => {
    const { path: dataDir, remove } = await makeTempDir('npm-signal');
    onTestFinished(remove);
    const options = ['--data-dir', dataDir, '--port', '0'];
    const npm = spawn('npm', ['run', '--silent', 'backend', '--', ...options], {
      cwd: projectRoot,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(npm, 'exit');
    const [line] = (await once(npm.stdout, 'data')) as [Buffer];
    const { event, pid } = JSON.parse(line.toString('utf8'));
    expect(event).toBe('ready');
    try {
      npm.kill('SIGTERM');
      await ended;
      await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
    } finally {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  },
  120_000,
);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
