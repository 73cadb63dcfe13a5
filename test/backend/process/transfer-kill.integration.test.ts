import { existsSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { FRAME_BYTES } from '../../../backend/engine/job/ring.ts';
import { cutOffLab } from '../../support/backend-queue.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { effort } from '../../support/effort.ts';
import type { Queue } from '../../support/queue.ts';

const rounds = effort(10, 30);
/** On a machine so fast that most moments come after the work. */
const mostRounds = 30;
const places = ['near', 'far'] as const;

const lab = cutOffLab('kill', 48);

/** What lies on the storages, and what the repository lists there. */
async function stored(queue: Queue): Promise<{ readonly found: string[]; readonly listed: string[] }> {
  const found = await Promise.all(
    places.map(async (place) => {
      const names = await readdir(join(lab.path, place));
      return names.map((name) => join(lab.path, place, name));
    }),
  );
  const listed = (await queue.copies()).map((copy) => String(copy.path));
  return { found: found.flat().toSorted(), listed: listed.toSorted() };
}

/** Bytes that a copy on its way has brought to a storage; 0 when there is none. */
async function arrivedAt(place: (typeof places)[number]): Promise<number> {
  const storage = join(lab.path, place);
  const partial = (await readdir(storage)).find((name) => name.endsWith('.partial'));
  return partial === undefined ? 0 : bytesIn(join(storage, partial));
}

async function bytesIn(copyPath: string): Promise<number> {
  const sizes = (await readdir(copyPath)).map(async (name) => (await stat(join(copyPath, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

beforeEach(async () => {
  for (const place of places) await mkdir(join(lab.path, place));
});

it(`${rounds} times kill -9 while a copy is copied or moved: the source is never lost, nothing half is listed or left, and what had arrived is not sent again (cases 85, 101)`, {
  timeout: 600_000,
}, async () => {
  let queue = await lab.start();
  await queue.addPool('near', join(lab.path, 'near'));
  await queue.addPool('far', join(lab.path, 'far'));
  const origin = Number((await queue.ended(await queue.backup(lab.source, { pool: 'near' }))).repository_id);
  // How long it takes undisturbed, so that the moments spread over all of it.
  const beganAt = performance.now();
  await queue.ended(await queue.moveTo(origin, 'far'));
  const usualMs = performance.now() - beganAt;

  const ends: Record<string, number> = {};
  const bytes = await bytesIn(String((await queue.copy(origin)).path));
  let goneOn = 0;
  const brokenOnes = () => (ends['copy broken'] ?? 0) + (ends['move broken'] ?? 0);
  const isSeen = () => brokenOnes() > 2 && goneOn > 0;
  for (let round = 0; round < rounds || (!isSeen() && round < mostRounds); round += 1) {
    const kind = round % 2 === 0 ? 'copy' : 'move';
    const from = (await queue.copy(origin)).pool;
    const to = from === 'near' ? 'far' : 'near';
    const id = await (kind === 'copy' ? queue.copyTo(origin, to) : queue.moveTo(origin, to));
    // Each in a part of its own, so that few rounds too reach all of it.
    const delayMs = (((round % rounds) + Math.random()) / rounds) * 1.1 * usualMs;
    const where = `round ${round}: ${kind} killed after ${Math.round(delayMs)} ms`;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await lab.kill();
    const arrived = await arrivedAt(to);

    queue = await lab.start();
    const { status } = await queue.task(id);
    expect(['broken', 'done', 'new', 'assigned', 'execution', 'transmission', 'at_server'], where).toContain(
      status,
    );
    ends[`${kind} ${status}`] = (ends[`${kind} ${status}`] ?? 0) + 1;
    // A cut off task does its work when it is asked to again.
    if (status === 'broken') {
      const { found, listed } = await stored(queue);
      const halves = found.filter((name) => !listed.includes(name));
      // Nothing but what has arrived where it was to go; it is kept as long as the task may be begun again.
      expect(halves.length, where).toBeLessThanOrEqual(1);
      expect(halves.join(), where).toMatch(halves.length === 0 ? /^$/ : new RegExp(`/${to}/[^/,]+$`));
      expect((await queue.copy(origin)).pool, where).toBe(from);
      await queue.good('POST', '/tasks/restart', { data: { tasks_ids: [id] } });
    }
    const end = await queue.until(id, (task) => task.status === 'done');
    if (status === 'broken') {
      // At most the frame that was being written is sent again.
      expect(end.transferred, where).toBeLessThanOrEqual(bytes - Math.max(0, arrived - FRAME_BYTES));
      if (end.transferred < bytes - FRAME_BYTES) goneOn += 1;
    }
    expect(existsSync(String((await queue.copy(origin)).path)), where).toBe(true);
    expect((await queue.copy(origin)).pool, where).toBe(kind === 'move' ? to : from);
    if (kind === 'copy') {
      const second = await queue.copy(Number(end.repository_id));
      expect(second, where).toMatchObject({ copy_of: origin, pool: to, status: 'Trusted' });
      await queue.good('DELETE', `/repository/${second.id}`);
    }
    await expect
      .poll(async () => stored(queue).then(({ found, listed }) => found.join() === listed.join()), {
        timeout: 20_000,
      })
      .toBe(true);
    expect(await queue.copies(), where).toHaveLength(1);
  }

  // The moments were in the middle of work, not only before and after it.
  expect(brokenOnes(), JSON.stringify(ends)).toBeGreaterThan(2);
  expect(goneOn, JSON.stringify(ends)).toBeGreaterThan(0);
  await queue.ended(await queue.verify(origin));
  expect(await queue.copy(origin)).toMatchObject({ status: 'Trusted' });
  await queue.ended(await queue.restore(origin, join(lab.path, 'out')));
  expect(compareTrees(lab.source, join(lab.path, 'out', 'source'))).toEqual([]);
  expect(await lab.stop()).toBe(0);
  process.stdout.write(`killed: ${JSON.stringify(ends)}\n`);
});
