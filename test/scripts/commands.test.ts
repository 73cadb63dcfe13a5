import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

test.each(['agent'])('%s says that it is not built yet and exits 2', async (name) => {
  expect(await run(['scripts/run.mjs', name])).toEqual({
    code: 2,
    out: '',
    err: `strongroom: npm run ${name}: not built yet\n`,
  });
});

test('an unknown command is answered with the list of commands and exit code 2', async () => {
  const result = await run(['scripts/run.mjs', 'toString']);
  expect(result).toMatchObject({ code: 2, out: '' });
  expect(result.err).toContain('no command "toString"; there are: start, test');
});

test('a package of an unknown kind is refused before anything is built', async () => {
  const result = await run(['scripts/package.mjs', '--everything']);
  expect(result).toMatchObject({ code: 1, out: '' });
  expect(result.err).toContain('unknown option --everything');
});

test('an unknown benchmark suite is answered with exit code 2', async () => {
  const result = await run(['scripts/run.mjs', 'bench', 'no-such-suite', '--json']);
  expect(result).toMatchObject({ code: 2, out: '' });
  expect(result.err).toContain('no benchmark suite "no-such-suite"; there are:');
});

test.runIf(process.platform === 'linux')(
  'start without a display explains how to use a virtual one',
  async () => {
    const result = await run(['scripts/run.mjs', 'start'], { DISPLAY: '', WAYLAND_DISPLAY: '' });
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(result.err).toContain('xvfb-run -a npm start');
  },
);

test('the runtime script names a folder that holds no Electron', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'no-electron-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const result = await run(['scripts/electron-runtime.mjs'], { ELECTRON_OVERRIDE_DIST_PATH: folder });
  expect(result).toMatchObject({ code: 1, out: '' });
  expect(result.err).toContain(`ELECTRON_OVERRIDE_DIST_PATH names ${folder}, but there is no`);
});

test('scripts/setup refuses a part it does not know', async () => {
  const result = await run(['nonsense'], {}, join(root, 'scripts', 'setup'));
  expect(result.code).toBe(2);
  expect(result.err).toContain("no part 'nonsense'; there are: app, test, bench");
});

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(
  args: readonly string[],
  env: Record<string, string> = {},
  program = process.execPath,
): Promise<Result> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: root, env: { ...process.env, ...env } }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}
