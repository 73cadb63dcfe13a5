import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cutOffLab } from '../../support/backend-queue.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { effort } from '../../support/effort.ts';
import { finalStatuses, workingStatuses } from '../../support/queue.ts';

const rounds = effort(15, 50);
/** On a machine so fast that most moments come after the work. */
const mostRounds = 50;
const kinds = ['backup', 'verify', 'restore'] as const;
type Kind = (typeof kinds)[number];

const lab = cutOffLab('kill', 32);

const storage = () => join(lab.path, 'data', 'pools', 'default');
const copyFolders = () => readdir(storage());

it(`${rounds} times kill -9 in backup, verification and restore: no accepted task is lost, none hangs, no half copy is listed or left over (cases 63, 101)`, {
  timeout: 600_000,
}, async () => {
  let queue = await lab.start();
  const goodCopy = Number((await queue.ended(await queue.backup(lab.source))).repository_id);
  const begin = (kind: Kind, round: number): Promise<number> => {
    if (kind === 'backup') return queue.backup(lab.source);
    if (kind === 'verify') return queue.verify(goodCopy);
    return queue.restore(goodCopy, join(lab.path, 'out', String(round)));
  };
  // How long each takes undisturbed, so that the moments spread over all of it.
  const usualMs = new Map<Kind, number>();
  const accepted = new Map<number, Kind>();
  for (const kind of kinds) {
    const beganAt = performance.now();
    const id = await begin(kind, -1);
    accepted.set(id, kind);
    await queue.ended(id);
    usualMs.set(kind, performance.now() - beganAt);
  }

  const found = { cutOff: 0, done: 0, new: 0 };
  const isSeen = () => found.cutOff > rounds / 5;
  for (let round = 0; round < rounds || (!isSeen() && round < mostRounds); round += 1) {
    const kind = kinds[round % kinds.length] ?? 'backup';
    const id = await begin(kind, round);
    accepted.set(id, kind);
    // Somewhere in a part of its own, so that few rounds too reach all of it.
    const delayMs = (((round % rounds) + Math.random()) / rounds) * 1.1 * (usualMs.get(kind) ?? 0);
    const where = `round ${round}: ${kind} killed after ${Math.round(delayMs)} ms`;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await lab.kill();
    const left = await copyFolders();

    queue = await lab.start();
    const tasks = await queue.tasks();
    const status = tasks.find((task) => task.id === id)?.status;
    if (status === 'broken') found.cutOff += 1;
    else if (status === 'done') found.done += 1;
    else found.new += 1;
    expect(
      [...accepted.keys()].filter((known) => !tasks.some((task) => task.id === known)),
      where,
    ).toEqual([]);
    // What was waiting may have begun by now; what had begun before the kill may not look as if it still went on.
    const begun = tasks.filter((task) => workingStatuses.includes(task.status) && task.id !== id);
    expect(begun, where).toEqual([]);
    if (status !== 'broken' && status !== 'done') {
      const log = await queue.log(id, 'servers');
      expect((await queue.ended(id)).status, `${where} ${JSON.stringify(log)}`).toBe('done');
    }
    const copies = await queue.copies();
    for (const copy of copies) expect(existsSync(String(copy.path)), `${where}: ${copy.path}`).toBe(true);
    const listed = new Set(copies.map((copy) => String(copy.path).split('/').at(-1)));
    const now = new Set(await copyFolders());
    expect(
      left.filter((name) => now.has(name) && !listed.has(name)),
      where,
    ).toEqual([]);
    if (kind === 'restore') await rm(join(lab.path, 'out', String(round)), { recursive: true, force: true });
  }

  // The moments were in the middle of work, not only before and after it.
  expect(isSeen(), JSON.stringify(found)).toBe(true);
  const broken = (await queue.tasks()).filter((task) => task.status === 'broken').map((task) => task.id);
  await queue.good('POST', '/tasks/restart', { data: { tasks_ids: broken } });
  for (const id of accepted.keys()) {
    const task = await queue.until(id, (now) => finalStatuses.includes(now.status));
    expect(task, JSON.stringify(task)).toMatchObject({ status: 'done' });
  }
  const copies = await queue.copies();
  const backups = [...accepted.values()].filter((kind) => kind === 'backup').length;
  expect(copies).toHaveLength(backups + 1);
  expect((await copyFolders()).toSorted()).toEqual(
    copies.map((copy) => String(copy.path).split('/').at(-1)).toSorted(),
  );
  for (const copy of copies) {
    await queue.ended(await queue.verify(copy.id));
    expect(await queue.copy(copy.id)).toMatchObject({ status: 'Trusted' });
  }
  const destination = join(lab.path, 'last');
  const last = copies.at(-1)?.id ?? goodCopy;
  await queue.ended(await queue.restore(last, destination));
  expect(compareTrees(lab.source, join(destination, 'source'))).toEqual([]);
  expect(await lab.stop()).toBe(0);
  process.stdout.write(`killed: ${JSON.stringify(found)}\n`);
});
