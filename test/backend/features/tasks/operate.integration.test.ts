import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/backend.ts';
import { compareTrees } from '../../../support/compare-trees.ts';
import { makeBigFolder, type Queue, queueOf, workingStatuses } from '../../../support/queue.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

let app: TestApp;
let queue: Queue;
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;

beforeAll(async () => {
  folder = await makeTempDir('operate');
  source = join(folder.path, 'source');
  await makeBigFolder(source, 240);
  await mkdir(join(folder.path, 'slow'));
  app = await startTestApp({ started: true });
  queue = queueOf((await app.loginAs('superuser')).send);
  await queue.addPool('Slow', join(folder.path, 'slow'));
});
afterAll(async () => {
  await app.close();
  await folder.remove();
});

/** Goes on until `queue.fullSpeed()`, however long what the test does takes. */
async function slowBackup(): Promise<number> {
  await queue.slowDown('backup', 4);
  return queue.backup(source, { pool: 'Slow' });
}
const act = async (id: number, word: 'pause' | 'continue' | 'kill'): Promise<number> =>
  (await queue.call('POST', `/tasks/${id}/${word}`, word === 'continue' ? { task_id: id } : undefined))
    .status;
const restart = async (ids: readonly number[]): Promise<number> =>
  (await queue.call('POST', '/tasks/restart', { data: { tasks_ids: ids } })).status;
const bytesOf = async (id: number) => (await queue.task(id)).progress_details?.bytes_done ?? 0;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Bytes move on within a second, or do not. */
async function standsStill(id: number): Promise<boolean> {
  const before = await bytesOf(id);
  await wait(1000);
  return (await bytesOf(id)) === before;
}

describe('acting on a running backup', () => {
  it('pause stops the work, continue goes on in the same status, and the copy is whole', async () => {
    const id = await slowBackup();
    await queue.moving(id);
    expect(await act(id, 'pause')).toBe(204);
    expect(await queue.task(id)).toMatchObject({ status: 'suspended', suspend_reason: 'user' });
    // What was under way when it was paused gets to its end first.
    await wait(1000);
    expect(await standsStill(id)).toBe(true);
    expect((await queue.task(id)).speed).toBe(0);
    expect(await act(id, 'pause')).toBe(400);
    expect(await restart([id])).toBe(400);
    expect((await queue.call('POST', `/tasks/${id}/continue`, { task_id: id + 1 })).status).toBe(400);
    const before = await bytesOf(id);
    expect(await act(id, 'continue')).toBe(204);
    expect(await queue.task(id)).toMatchObject({ status: 'transmission', suspend_reason: null });
    await queue.until(id, (now) => (now.progress_details?.bytes_done ?? 0) > before);
    await queue.fullSpeed();
    const done = await queue.ended(id);
    expect(done).toMatchObject({ status: 'done', attempt: 1 });
    const verified = await queue.ended(await queue.verify(Number(done.repository_id)));
    expect(verified.status).toBe('done');
    const restored = await queue.ended(
      await queue.restore(Number(done.repository_id), join(folder.path, 'out')),
    );
    expect(restored.status).toBe('done');
    expect(compareTrees(source, join(folder.path, 'out', 'source'))).toEqual([]);
  });

  it('kill ends the work at once, nothing stays on the storage, and restart runs it again', async () => {
    const before = await readdir(join(folder.path, 'slow'));
    const id = await slowBackup();
    await queue.moving(id);
    expect(await act(id, 'kill')).toBe(204);
    expect(await queue.task(id)).toMatchObject({ status: 'killed' });
    expect(await act(id, 'kill')).toBe(400);
    expect(await act(id, 'continue')).toBe(400);
    await expect.poll(() => readdir(join(folder.path, 'slow')), { timeout: 20_000 }).toEqual(before);
    await expect
      .poll(() => queue.log(id, 'servers'), { timeout: 20_000 })
      .toContainEqual(expect.objectContaining({ message: 'The task was killed.' }));
    const logged = (await queue.log(id, 'servers')).length;
    await queue.fullSpeed();
    expect(await restart([id])).toBe(204);
    const done = await queue.ended(id);
    expect(done).toMatchObject({ id, status: 'done', attempt: 2 });
    expect((await queue.log(id, 'servers')).length).toBeGreaterThan(logged);
  });

  it('a task that is killed, restarted, paused and continued in one breath still runs once, and right', async () => {
    const id = await slowBackup();
    await queue.moving(id);
    expect(await act(id, 'kill')).toBe(204);
    expect(await restart([id])).toBe(204);
    await queue.until(id, (now) => workingStatuses.includes(now.status));
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([act(id, 'pause'), act(id, 'continue'), act(id, 'continue')]);
      if ((await queue.task(id)).status === 'suspended') await act(id, 'continue');
    }
    await queue.fullSpeed();
    const done = await queue.ended(id);
    expect(done).toMatchObject({ status: 'done', attempt: 2 });
    expect((await queue.copies()).filter((copy) => copy.task_id === id)).toHaveLength(1);
  });

  it('a killed task may be deleted at once', async () => {
    const id = await slowBackup();
    await queue.moving(id);
    expect((await queue.call('DELETE', `/task_queue/${id}`)).status).toBe(400);
    expect(await act(id, 'kill')).toBe(204);
    expect((await queue.call('DELETE', `/task_queue/${id}`)).status).toBe(200);
    expect((await queue.call('GET', `/tasks/${id}`)).status).toBe(404);
    // The server is still well.
    await queue.fullSpeed();
    const next = await queue.backup(join(source, 'folder-1'));
    expect((await queue.ended(next)).status).toBe('done');
  });

  it('progress never falls, never passes 99 before the end, and names files and totals (case 81)', async () => {
    const id = await slowBackup();
    await queue.moving(id);
    await queue.fullSpeed();
    const seen: number[] = [];
    const remaining: number[] = [];
    await queue.until(id, (now) => {
      if (now.status !== 'done') seen.push(now.progress);
      const seconds = now.progress_details?.remaining_seconds;
      if (typeof seconds === 'number') remaining.push(seconds);
      return now.status === 'done';
    });
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(Math.max(...seen)).toBeLessThanOrEqual(99);
    expect(remaining.every((seconds) => seconds >= 0)).toBe(true);
  });
});

describe('acting on a running verification and restore', () => {
  let copyId: number;
  beforeAll(async () => {
    copyId = Number((await queue.ended(await queue.backup(source, { pool: 'Slow' }))).repository_id);
  });

  it('a verification can be paused, continued and killed; a kill says nothing about the copy', async () => {
    const id = await queue.verify(copyId);
    await queue.until(id, (now) => now.status === 'execution');
    expect(await act(id, 'pause')).toBe(204);
    expect(await act(id, 'continue')).toBe(204);
    expect(await queue.task(id)).toMatchObject({ status: 'execution' });
    expect(await act(id, 'kill')).toBe(204);
    expect((await queue.copy(copyId)).status).toBe('Not Verified');
    expect(await restart([id])).toBe(204);
    expect((await queue.ended(id)).status).toBe('done');
    expect((await queue.copy(copyId)).status).toBe('Trusted');
  });

  it('a restore can be paused, killed and restarted, and ends with the same tree', async () => {
    const destination = join(folder.path, 'again');
    await queue.slowDown('restore', 16);
    const id = await queue.restore(copyId, destination);
    await queue.until(id, (now) => (now.progress_details?.bytes_done ?? 0) > 0);
    expect(await act(id, 'pause')).toBe(204);
    await wait(1000);
    expect(await standsStill(id)).toBe(true);
    expect(await act(id, 'kill')).toBe(204);
    await queue.fullSpeed();
    expect(await restart([id])).toBe(204);
    expect(await queue.ended(id)).toMatchObject({ status: 'done', attempt: 2 });
    expect(compareTrees(source, join(destination, 'source'))).toEqual([]);
  });

  it('a copy that a task works with is not deleted', async () => {
    const id = await queue.verify(copyId);
    expect((await queue.call('DELETE', `/repository/${copyId}`)).status).toBe(400);
    await queue.ended(id);
    const path = String((await queue.copy(copyId)).path);
    expect(existsSync(path)).toBe(true);
  });
});
