import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { cutOffLab } from '../../support/backend-queue.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { effort } from '../../support/effort.ts';
import { addTapeLibrary } from './tape-lab.ts';

const rounds = effort(5, 8);
const mib = 1_048_576;
const lab = cutOffLab('tape-kill', 12);

it(`${rounds} times kill -9 while a copy is moved to tape and back: it is always in one place, and whole there`, {
  timeout: 400_000,
}, async () => {
  let queue = await lab.start();
  await queue.good('POST', '/virtual_libraries', {
    media_server: hostname(),
    name: 'rack',
    slots: 12,
    // Two cartridges for each copy, and more than enough of them.
    cartridges: Array.from({ length: 12 }, (_, index) => `SR${String(index).padStart(4, '0')}L8`),
    cartridge_size: 10 * mib,
  });
  await addTapeLibrary({ queue });
  const { repository_id: made } = await queue.ended(await queue.backup(lab.source));
  const id = Number(made);
  const begin = async (): Promise<{ readonly task: number; readonly target: string }> => {
    const target = (await queue.copy(id)).pool === 'Tapes' ? 'Default' : 'Tapes';
    return { task: await queue.moveTo(id, target), target };
  };
  // How long each way takes undisturbed, so that the moments spread over all of it.
  const usualMs = new Map<string, number>();
  for (const _way of ['there', 'back']) {
    const beganAt = performance.now();
    const { task, target } = await begin();
    expect((await queue.ended(task)).status).toBe('done');
    usualMs.set(target, performance.now() - beganAt);
  }
  const found = { cutOff: 0, done: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const { task, target } = await begin();
    const delayMs = ((round + 0.5) / rounds) * 1.2 * (usualMs.get(target) ?? 0);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await lab.kill();
    queue = await lab.start();
    const { status } = await queue.ended(task);
    const now = await queue.copy(id);
    found[status === 'done' ? 'done' : 'cutOff'] += 1;
    expect(now.pool === target, `round ${round}: ${status}`).toBe(status === 'done');
    if (now.path !== null) expect(existsSync(now.path)).toBe(true);
    const verified = await queue.ended(await queue.verify(id));
    expect([round, verified.status, verified.error_message]).toEqual([round, 'done', null]);
  }
  // Else the moments were badly chosen and nothing was seen.
  expect(found.cutOff, JSON.stringify(found)).toBeGreaterThan(rounds / 4);
  process.stdout.write(`killed at ${rounds} moments: ${JSON.stringify(found)}\n`);
  // What a move from tape that was cut off has brought is kept for its restart, as long as the copy lies where it did.
  if ((await queue.copy(id)).pool === 'Tapes') await queue.ended(await queue.moveTo(id, 'Default'));
  await queue.ended(await queue.moveTo(id, 'Tapes'));
  const target = join(lab.path, 'out');
  await mkdir(target);
  expect((await queue.ended(await queue.restore(id, target))).status).toBe('done');
  expect(compareTrees(lab.source, join(target, 'source'))).toEqual([]);
  const cartridges = await queue.good<Cartridge[]>('GET', '/cartridges');
  expect(cartridges.filter(({ copies }) => copies > 0)).toHaveLength(2);
  expect(cartridges.filter(({ state }) => state === 'suspect' || state === 'foreign')).toEqual([]);
  await lab.kill();
  await lab.start();
  // Of the copies on disk nothing is left, nor of those on their way.
  await expect.poll(() => readdir(join(lab.path, 'data', 'pools', 'default'))).toEqual([]);
  const spool = join(lab.path, 'data', 'tape-spool');
  await expect.poll(async () => (existsSync(spool) ? readdir(spool) : [])).toEqual([]);
});
