import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type KeyringMode, withKeyring } from './keyring.ts';

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const ask = `
  const keytar = require('keytar');
  const [service, account] = ['strongroom-lab', 'somebody'];
  (async () => {
    if (process.env.KEEP_FIRST !== 'no') await keytar.setPassword(service, account, 'a secret');
    console.log(await keytar.getPassword(service, account));
  })().catch((error) => { console.log('refused: ' + error.message); process.exitCode = 5; });
`;

test('a secret set in the unlocked keyring is read back', async () => {
  expect(await inLab('unlocked', ['-e', ask])).toMatchObject({ code: 0, out: 'a secret\n' });
});

test('a kept keyring gives the secret to a later session', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kr-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await inLab('unlocked', ['-e', ask], { keep: folder });
  const later = await inLab('unlocked', ['-e', ask], { keep: folder, env: { KEEP_FIRST: 'no' } });
  expect(later).toMatchObject({ code: 0, out: 'a secret\n' });
});

test.each([
  ['locked', 'locked collection'],
  ['no-service', 'org.freedesktop.secrets'],
  ['no-bus', 'Could not connect'],
] as const)('a keyring that is %s refuses to store a secret', async (mode, words) => {
  const result = await inLab(mode, ['-e', ask]);
  expect(result.code).toBe(5);
  expect(result.out).toContain(words);
});

test('the exit code is that of the command and its home folder is gone afterwards', async () => {
  const result = await inLab('unlocked', ['-e', 'console.log(process.env.HOME); process.exit(7)']);
  expect(result.code).toBe(7);
  expect(result.out.trim()).toMatch(/^\/.*\/kr\./);
  expect(existsSync(result.out.trim())).toBe(false);
});

test('an unknown option is the lab own failure, 97', async () => {
  const [program] = withKeyring('unlocked', []);
  expect((await run(program, ['--nonsense', 'true'])).code).toBe(97);
});

function inLab(
  mode: KeyringMode,
  nodeArgs: readonly string[],
  options: { readonly keep?: string; readonly env?: Record<string, string> } = {},
): Promise<Result> {
  const [program, ...args] = withKeyring(mode, [process.execPath, ...nodeArgs], options.keep);
  return run(program, args, options.env);
}

function run(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...process.env, ...env } }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}
