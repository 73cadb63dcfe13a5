import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KeyringMode, withKeyring } from '../../lab/keyring.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '../support/keychain-run.ts');
const daemon = '/usr/bin/gnome-keyring-daemon';
const isThere = existsSync(daemon) && existsSync('/usr/bin/dbus-daemon');
if (!isThere)
  process.stderr.write(`skipped: the keychain lab needs gnome-keyring and dbus (${daemon} is missing)\n`);

let keep: string;
beforeAll(async () => {
  keep = await mkdtemp(join(tmpdir(), 'kr-'));
});
afterAll(() => rm(keep, { recursive: true, force: true }));

async function inKeyring(
  mode: KeyringMode,
  commands: readonly string[],
  options: { readonly keep?: string; readonly limitMs?: number } = {},
) {
  const [script, ...args] = withKeyring(mode, [process.execPath, program, ...commands], options.keep);
  const { stdout } = await run(script, args, {
    env: { ...process.env, ...(options.limitMs ? { LIMIT_MS: String(options.limitMs) } : {}) },
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

describe.skipIf(!isThere)('the real keychain', () => {
  it('keeps a session over a restart of the app (case 27)', async () => {
    const long = 'y'.repeat(4_000);
    expect(await inKeyring('unlocked', ['probe', 'set:acct=token-1', `set:long=${long}`], { keep })).toEqual([
      { state: 'ok', message: '' },
      true,
      true,
    ]);
    expect(
      await inKeyring('unlocked', ['get:acct', 'get:long', 'get:none', 'remove:acct', 'get:acct'], { keep }),
    ).toEqual([
      { kind: 'found', value: 'token-1' },
      { kind: 'found', value: long },
      { kind: 'none' },
      true,
      { kind: 'none' },
    ]);
  });

  it('locked: says so, and what it holds is neither lost nor overwritten (cases 28, 29)', async () => {
    await inKeyring('unlocked', ['set:kept=token-2'], { keep });
    const failed = { kind: 'failed', status: expect.objectContaining({ state: 'locked' }) };
    expect(await inKeyring('locked', ['get:kept', 'set:kept=other', 'remove:kept'], { keep })).toEqual([
      failed,
      false,
      false,
    ]);
    expect(await inKeyring('unlocked', ['get:kept'], { keep })).toEqual([
      { kind: 'found', value: 'token-2' },
    ]);
  });

  it.each(['no-service', 'no-bus'] as const)(
    'with %s: absent, and nothing crashes (cases 25, 28)',
    async (mode) => {
      expect(await inKeyring(mode, ['probe', 'get:a', 'set:a=b', 'remove:a'])).toEqual([
        expect.objectContaining({ state: 'absent' }),
        { kind: 'failed', status: expect.objectContaining({ state: 'absent' }) },
        false,
        false,
      ]);
    },
  );

  it('frozen: given up within its limit, and back after a probe (case 28)', async () => {
    expect(
      await inKeyring('unlocked', ['set:a=token-3', 'freeze', 'get:a', 'set:a=x', 'thaw', 'probe', 'get:a'], {
        limitMs: 1_500,
      }),
    ).toEqual([
      true,
      true,
      { kind: 'failed', status: expect.objectContaining({ state: 'hung' }) },
      false,
      true,
      { state: 'ok', message: '' },
      { kind: 'found', value: 'token-3' },
    ]);
  });
});
