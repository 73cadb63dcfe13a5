import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const lockModule = pathToFileURL(join(import.meta.dirname, '../../scripts/support/lock.mjs')).href;

/** Adds one to the number in the file, with a pause between reading and writing: without the lock, additions get lost. */
const addOne = `
  import { readFileSync, writeFileSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  const { withLock } = await import(${JSON.stringify(lockModule)});
  const [lock, file] = process.argv.slice(1);
  await withLock(lock, async () => {
    const number = Number(readFileSync(file, 'utf8'));
    await setTimeout(50);
    writeFileSync(file, String(number + 1));
  });
`;

test('several processes do the locked work one after the other', async () => {
  const { lock, file } = counter();
  const codes = await Promise.all(Array.from({ length: 4 }, () => add(lock, file)));
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(readFileSync(file, 'utf8')).toBe('4');
  expect(existsSync(lock)).toBe(false);
});

test('a lock left by a dead process is taken over', async () => {
  const { lock, file } = counter();
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  writeFileSync(lock, String(dead));
  expect(await Promise.all([add(lock, file), add(lock, file)])).toEqual([0, 0]);
  expect(readFileSync(file, 'utf8')).toBe('2');
});

function counter() {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'number');
  writeFileSync(file, '0');
  return { lock: join(folder, 'lock'), file };
}

function add(lock: string, file: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', addOne, lock, file], {
      stdio: 'inherit',
    });
    child.once('error', reject);
    child.once('close', resolve);
  });
}
