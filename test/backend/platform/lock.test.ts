import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DataDirInUse, lockDataDir } from '../../../backend/platform/lock.ts';
import { isRunning, ownIdentity } from '../../../backend/platform/process-identity.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
beforeEach(async () => {
  folder = await makeTempDir('lock');
});
afterEach(() => folder.remove());

const owner = (fields: Record<string, unknown>) =>
  writeFile(join(folder.path, 'lock.json'), JSON.stringify({ host: hostname(), started: null, ...fields }));

async function deadPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid ?? -1;
}

it('a data directory belongs to one owner, who is named; it is free again once released', async () => {
  const lock = lockDataDir(folder.path);
  expect(lock.takenOver).toBeNull();
  expect(() => lockDataDir(folder.path)).toThrow(DataDirInUse);
  expect(() => lockDataDir(folder.path)).toThrow(`process ${process.pid} on ${hostname()}`);
  lock.release();
  lockDataDir(folder.path).release();
});

it('the lock of a dead process is taken over (cases 20 and 94)', async () => {
  const pid = await deadPid();
  await owner({ pid, started: 'boot:1' });
  const lock = lockDataDir(folder.path);
  expect(lock.takenOver).toMatchObject({ pid });
  expect(JSON.parse(await readFile(join(folder.path, 'lock.json'), 'utf8'))).toMatchObject({
    pid: process.pid,
  });
  lock.release();
});

it('a pid that the system has given to another process since is recognised (case 20)', async () => {
  const living = spawn('sleep', ['60']);
  await owner({ pid: living.pid, started: 'an-earlier-boot:42' });
  const lock = lockDataDir(folder.path);
  expect(lock.takenOver).toMatchObject({ pid: living.pid });
  lock.release();
  living.kill();
});

it('an owner who is still running keeps it, even where the file system’s locks do nothing (case 20)', async () => {
  const living = spawn('sleep', ['60']);
  const ticks = (await readFile(`/proc/${living.pid}/stat`, 'latin1')).split(') ')[1]?.split(' ')[19];
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'latin1')).trim();
  await owner({ pid: living.pid, started: `${boot}:${ticks}` });
  expect(() => lockDataDir(folder.path)).toThrow(`process ${living.pid}`);
  living.kill();
  await once(living, 'exit');
  lockDataDir(folder.path).release();
});

it('a lock file that is cut short, junk or of another host does not keep anybody out (case 94)', async () => {
  for (const text of ['', '{', '[]', '{"pid":-1}', '{"pid":"x","host":1}']) {
    await writeFile(join(folder.path, 'lock.json'), text);
    lockDataDir(folder.path).release();
  }
  await owner({ pid: 1, host: 'elsewhere' });
  const lock = lockDataDir(folder.path);
  expect(lock.takenOver).toMatchObject({ host: 'elsewhere' });
  lock.release();
});

it('a process knows itself', () => {
  expect(isRunning(ownIdentity())).toBe('yes');
  expect(isRunning({ ...ownIdentity(), started: 'other:1' })).toBe('no');
});
