import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HandClock, handClock, startTestApp, type TestApp } from '../../../support/backend.ts';
import { compareTrees } from '../../../support/compare-trees.ts';
import { type Queue, queueOf } from '../../../support/queue.ts';
import { makeSmallDisk, type SmallDisk, whyNoSmallDisk } from '../../../support/small-disk.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

const reason = whyNoSmallDisk('ext4');
if (reason !== null) process.stderr.write(`skipped: the tests of a full storage, since ${reason}\n`);

describe.skipIf(reason !== null)('a storage of 64 MB', () => {
  let folder: Awaited<ReturnType<typeof makeTempDir>>;
  let small: SmallDisk;
  let disk: string;
  let place: string;
  let app: TestApp;
  let clock: HandClock;
  let queue: Queue;

  beforeEach(async () => {
    folder = await makeTempDir('space');
    small = await makeSmallDisk(folder.path, { kind: 'ext4', megabytes: 64 });
    disk = small.path;
    place = join(disk, 'copies');
    await mkdir(place);
    clock = handClock();
    app = await startTestApp({ started: true, clock });
    queue = queueOf((await app.loginAs('superuser')).send);
  });
  afterEach(async () => {
    await app.close();
    small.remove();
    await folder.remove();
  });

  async function makeSource(name: string, megabytes: number): Promise<string> {
    const source = join(folder.path, name);
    await mkdir(source);
    await writeFile(join(source, 'data'), randomBytes(megabytes * 1024 * 1024));
    return source;
  }

  it('a backup that does not fit waits, leaves nothing, harms no older copy, and ends when there is room', async () => {
    await queue.addPool('Small', place);
    const small = await makeSource('small', 20);
    const large = await makeSource('large', 45);
    const older = Number((await queue.ended(await queue.backup(small, { pool: 'Small' }))).repository_id);
    const before = await readdir(place);

    const id = await queue.backup(large, { pool: 'Small' });
    const task = await queue.until(id, (now) => now.status === 'suspended');
    expect(task).toMatchObject({ suspend_reason: 'resource', repository_id: null, speed: 0 });
    expect(task.error_message).toMatch(/full/);
    expect(await readdir(place)).toEqual(before);
    expect(await queue.copies()).toHaveLength(1);
    expect((await queue.log(id, 'servers')).at(-1)?.level).toBe('warning');

    expect((await queue.ended(await queue.verify(older))).status).toBe('done');
    expect((await queue.copy(older)).status).toBe('Trusted');
    expect((await queue.ended(await queue.restore(older, join(folder.path, 'out')))).status).toBe('done');
    expect(compareTrees(small, join(folder.path, 'out', 'small'))).toEqual([]);

    expect((await queue.call('DELETE', `/repository/${older}`)).status).toBe(200);
    expect(await readdir(place)).toEqual([]);
    clock.advance(5 * 60_000 + 1);
    const done = await queue.ended(id);
    expect(done).toMatchObject({ status: 'done', suspend_reason: null, error_message: null });
    expect((await queue.copies()).map((copy) => copy.resource)).toEqual([large]);
  });

  it('a copy can be deleted while not one byte is free', async () => {
    await queue.addPool('Small', place);
    const source = await makeSource('small', 20);
    const copyId = Number((await queue.ended(await queue.backup(source, { pool: 'Small' }))).repository_id);
    await expect(writeFile(join(disk, 'filler'), Buffer.alloc(64 * 1024 * 1024))).rejects.toThrow('ENOSPC');
    const waiting = await queue.backup(source, { pool: 'Small' });
    await queue.until(waiting, (now) => now.status === 'suspended');
    expect((await queue.call('DELETE', `/repository/${copyId}`)).status).toBe(200);
    expect(await readdir(place)).toEqual([]);
    await rm(join(disk, 'filler'));
    expect((await queue.call('POST', `/tasks/${waiting}/continue`, { task_id: waiting })).status).toBe(204);
    expect((await queue.ended(waiting)).status).toBe('done');
  });

  it('a pool that ignores the free space gives an error instead of waiting', async () => {
    await queue.addPool('Small', place, { ignore_free_space_check: true });
    const large = await makeSource('large', 80);
    const task = await queue.ended(await queue.backup(large, { pool: 'Small' }));
    expect(task.status).toBe('error');
    expect(task.error_message).toMatch(/full/);
    expect(await readdir(place)).toEqual([]);
  });

  it('a backup that did not fit goes to a storage of the pool that has room for it (case 83)', async () => {
    await queue.addPool('Small', place);
    const roomy = join(folder.path, 'roomy');
    await mkdir(roomy);
    await queue.good('POST', '/storage_local_catalogs', { path: roomy, pool: 'Small' });
    const large = await makeSource('large', 80);
    // The first storage has the fewest copies, and is tried first.
    const id = await queue.backup(large, { pool: 'Small' });
    expect((await queue.until(id, (now) => now.status === 'suspended')).error_message).toMatch(
      /bytes are needed/,
    );
    expect(await readdir(place)).toEqual([]);
    clock.advance(5 * 60_000 + 1);
    const done = await queue.ended(id);
    expect((await queue.copy(Number(done.repository_id))).storage).toBe(roomy);
  });

  it('a backup that fits nowhere in its pool goes to the emergency storage', async () => {
    await queue.addPool('Small', place);
    const emergency = join(folder.path, 'emergency');
    await mkdir(emergency);
    await queue.good('PATCH', '/global_configuration', { emergency_storage_local_catalog: emergency });
    const id = await queue.backup(await makeSource('large', 80), { pool: 'Small' });
    await queue.until(id, (now) => now.status === 'suspended');
    clock.advance(5 * 60_000 + 1);
    const done = await queue.ended(id);
    expect((await queue.copy(Number(done.repository_id))).storage).toContain(emergency);
    // A smaller one stays at home.
    const small = await queue.ended(await queue.backup(await makeSource('small', 5), { pool: 'Small' }));
    expect((await queue.copy(Number(small.repository_id))).storage).toBe(place);
  });

  it.each(['copy', 'move'] as const)(
    'a %s that does not fit waits, says how much it needs, and ends when something was deleted there (case 83)',
    async (kind) => {
      await queue.addPool('Small', place);
      const older = await queue.backup(await makeSource('small', 30), { pool: 'Small' });
      const inTheWay = Number((await queue.ended(older)).repository_id);
      const large = await makeSource('large', 40);
      const copyId = Number((await queue.ended(await queue.backup(large))).repository_id);
      const before = await queue.copy(copyId);
      const content = await readdir(place);

      const id = await (kind === 'copy' ? queue.copyTo(copyId, 'Small') : queue.moveTo(copyId, 'Small'));
      const waiting = await queue.until(id, (now) => now.status === 'suspended');
      expect(waiting).toMatchObject({ suspend_reason: 'resource' });
      expect(waiting.error_message).toMatch(/no room for the 4\d{7} bytes/);
      expect(await readdir(place)).toEqual(content);
      expect(await queue.copy(copyId)).toEqual(before);
      expect(await queue.copies()).toHaveLength(2);

      expect((await queue.call('DELETE', `/repository/${inTheWay}`)).status).toBe(200);
      clock.advance(5 * 60_000 + 1);
      expect((await queue.ended(id)).status).toBe('done');
      expect((await queue.copies()).map((copy) => copy.pool)).toEqual(
        kind === 'copy' ? ['Default', 'Small'] : ['Small'],
      );
      expect(await readdir(place)).toHaveLength(1);
    },
  );

  it('a copy goes at once to the storage of the pool that has room for it', async () => {
    await queue.addPool('Small', place);
    const roomy = join(folder.path, 'roomy');
    await mkdir(roomy);
    await queue.good('POST', '/storage_local_catalogs', { path: roomy, pool: 'Small' });
    const copyId = Number(
      (await queue.ended(await queue.backup(await makeSource('large', 80)))).repository_id,
    );
    const done = await queue.ended(await queue.copyTo(copyId, 'Small'));
    expect((await queue.copy(Number(done.repository_id))).storage).toBe(roomy);
  });
});
