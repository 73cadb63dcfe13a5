import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUpkeep, type RegularWork } from '../../../../backend/features/tasks/upkeep.ts';
import type { Log } from '../../../../backend/platform/log.ts';
import { handClock } from '../../../support/backend.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let lines: string[];
let upkeep: ReturnType<typeof createUpkeep> | null;
let mute: string[];
const clock = handClock(Date.UTC(2030, 0, 1));
beforeEach(async () => {
  folder = await makeTempDir('upkeep');
  lines = [];
  mute = [];
  upkeep = null;
});
afterEach(async () => {
  for (const path of mute.splice(0)) await answer(path);
  await upkeep?.stop();
  await folder.remove();
});

/** A storage that does not answer: reading from it waits for somebody who writes, in a thread of Node's pool. */
function hangingStorage(name: string): string {
  const path = join(folder.path, name);
  execFileSync('mkfifo', [path]);
  mute.push(path);
  return path;
}
const answer = async (path: string): Promise<void> => {
  mute = mute.filter((other) => other !== path);
  await writeFile(path, 'here');
};

function start(jobs: readonly RegularWork[], patienceMs?: number): void {
  const write = (level: string) => (message: string, facts?: { readonly job?: string }) => {
    lines.push(`${level} ${message}: ${facts?.job}`);
  };
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const patience = patienceMs === undefined ? {} : { patienceMs };
  upkeep = createUpkeep({ clock, log: log as unknown as Log, jobs, ...patience });
  upkeep.start();
}
const counted = (name: string, more: Partial<RegularWork> = {}) => {
  const runs = vi.fn(async () => undefined);
  return { runs, job: { name, run: runs, knowsWhenDue: true, ...more } };
};
const until = (isIt: () => void) => vi.waitFor(isIt, { timeout: 30_000, interval: 10 });

describe('regular work', { timeout: 60_000 }, () => {
  it('goes on beside a storage that hangs, which is asked once; the log tells of its begin and its end', async () => {
    const storage = hangingStorage('storage');
    const asked = vi.fn(async () => void (await readFile(storage)));
    const watch = counted('watch');
    start([{ name: 'clean', run: asked, knowsWhenDue: true, usesStorages: true }, watch.job], 20);
    await until(() => expect(watch.runs.mock.calls.length).toBeGreaterThan(2));
    expect(asked).toHaveBeenCalledTimes(1);
    expect(lines).toEqual(['warn regular work takes long; the other work goes on without it: clean']);
    await answer(storage);
    await until(() => expect(lines).toContain('info regular work that took long has ended: clean'));
    mute.push(storage);
    await until(() => expect(asked).toHaveBeenCalledTimes(2));
  });

  it('leaves threads to the server: of work on storages no third begins while two hang', async () => {
    const storages = ['first', 'second'].map(hangingStorage);
    const jobs = storages.map((path, index) => ({
      name: `clean ${index}`,
      run: async () => {
        if (mute.includes(path)) await readFile(path);
      },
      knowsWhenDue: true,
      usesStorages: true,
    }));
    const third = counted('third', { usesStorages: true });
    const watch = counted('watch');
    start([...jobs, third.job, watch.job], 20);
    await until(() => expect(watch.runs.mock.calls.length).toBeGreaterThan(1));
    expect(third.runs).not.toHaveBeenCalled();
    await answer(storages[0] ?? '');
    await until(() => expect(third.runs).toHaveBeenCalled());
  });

  it('keeps its order, and a failure holds up nothing', async () => {
    const order: string[] = [];
    const job = (name: string, act: () => Promise<void>): RegularWork => ({
      name,
      run: async () => {
        await act();
        order.push(name);
      },
    });
    const fails = job('fails', () => Promise.reject(new Error('no')));
    start([
      job('slow', () => new Promise((resolve) => setImmediate(resolve))),
      fails,
      job('last', async () => undefined),
    ]);
    await until(() => expect(order).toEqual(['slow', 'last']));
    expect(lines).toEqual(['error regular work failed; it is tried again: fails']);
    clock.advance(60_000);
    await until(() => expect(order).toEqual(['slow', 'last', 'slow', 'last']));
  });
});
