import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  addDevice,
  addFile,
  addPool,
  app,
  at,
  backUp,
  cleanInWindow,
  clock,
  comesBack,
  device,
  folder,
  logIn,
  makeTree,
  metadata,
  mib,
  pool,
  queue,
  start,
  verified,
  withBlockPools,
} from '../../../support/block-pool-lab.ts';
import { compareTrees } from '../../../support/compare-trees.ts';
import { makeSparseFile } from '../../../support/loop-device.ts';
import { makeSmallFolder } from '../../../support/queue.ts';

withBlockPools();

describe('the care for a pool of block devices', () => {
  it('frees what deleted copies had alone in the service window (dedup_clean_period), and the others still come back', async () => {
    await addPool();
    const { id } = await addFile(96);
    const { source } = await makeTree('source');
    const kept = await backUp(source);
    await writeFile(join(source, 'large'), randomBytes(40 * mib));
    const going = await backUp(source);
    fs.rmSync(join(source, 'large'));
    const before = await device(id);
    expect((await queue.call('DELETE', `/repository/${going.id}`)).status).toBe(200);
    expect(await readdir(metadata)).toHaveLength(1);
    expect((await device(id)).used).toBe(before.used);

    await queue.good('PATCH', '/global_configuration', { dedup_clean_unused_blocks: 'no' });
    clock.set(at(16, 3));
    await logIn();
    await queue.good('PATCH', '/global_configuration', { dedup_clean_unused_blocks: 'yes' });
    await cleanInWindow(17);
    expect((await device(id)).used).toBeLessThan(before.used - 35 * mib);
    expect(await verified(kept.id)).toMatchObject({ status: 'Trusted' });
    const out = join(folder.path, 'out');
    await queue.ended(await queue.restore(kept.id, out));
    expect(fs.readFileSync(join(out, 'source/again/two')).equals(fs.readFileSync(join(source, 'one')))).toBe(
      true,
    );

    // A device in use stays; one without a copy can go.
    const refused = await queue.call('DELETE', `/storage_block_devices/${id}`);
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('blocks in use')]);
    await queue.good('DELETE', `/repository/${kept.id}`);
    await cleanInWindow(19);
    expect((await device(id)).used).toBe(0);
    expect((await queue.call('DELETE', `/storage_block_devices/${id}`)).status).toBe(200);
  });

  it('spares the blocks of copies that the catalogue has forgotten, and frees nothing while a storage is away', async () => {
    await addPool();
    const { id } = await addFile(64);
    const { source } = await makeTree('source');
    const copy = await backUp(source);
    const before = (await device(id)).used;
    // As after the catalogue was put back from an older state.
    const { db } = app.built.features;
    const row = await db.selectFrom('copies').selectAll().executeTakeFirstOrThrow();
    await db.updateTable('tasks').set({ input: null }).execute();
    await db.deleteFrom('copies').execute();
    await cleanInWindow(16);
    expect((await device(id)).used).toBe(before);
    await db.insertInto('copies').values(row).execute();
    fs.renameSync(metadata, `${metadata}.away`);
    await cleanInWindow(18);
    expect((await device(id)).used).toBe(before);
    fs.renameSync(`${metadata}.away`, metadata);
    await cleanInWindow(20);
    expect(await verified(copy.id)).toMatchObject({ status: 'Trusted' });
  });

  it('that is full makes the task wait or fail with the remedy, leaves no half copy, and a second device helps', async () => {
    await addPool();
    await addFile(8);
    const { source } = await makeTree('small enough');
    fs.rmSync(join(source, 'again'), { recursive: true });
    fs.rmSync(join(source, 'one'));
    const older = await backUp(source);
    const large = join(folder.path, 'large');
    await mkdir(large);
    await writeFile(join(large, 'data'), randomBytes(12 * mib));
    const waiting = await queue.backup(large, { pool });
    const task = await queue.until(waiting, (now) => now.status === 'suspended');
    expect(task.error_message).toMatch(/device\.img is full.*Add a block device to the pool/);
    expect(await readdir(metadata)).toHaveLength(1);
    expect(await queue.copies()).toHaveLength(1);
    expect(await verified(older.id)).toMatchObject({ status: 'Trusted' });

    const [{ id: poolId } = { id: 0 }] = await queue.good<{ id: number }[]>(
      'GET',
      `/pools?pool_name=${pool}`,
    );
    await queue.good('PATCH', `/pools/${poolId}`, { data: { ignore_free_space_check: true } });
    const failed = await queue.ended(await queue.backup(large, { pool }));
    expect(failed).toMatchObject({ status: 'error', error_message: expect.stringContaining('is full') });
    expect(await readdir(metadata)).toHaveLength(1);

    await addFile(64, 'second.img');
    clock.advance(5 * 60_000 + 1);
    const done = await queue.ended(waiting);
    expect(done.status).toBe('done');
    await comesBack(Number(done.repository_id), large, 'out');
  });

  it('refuses what it cannot do, with the remedy', async () => {
    await addPool();
    const source = join(folder.path, 'source');
    await makeSmallFolder(source);
    const none = await queue.ended(await queue.backup(source, { pool }));
    expect(none).toMatchObject({
      status: 'error',
      error_message: expect.stringContaining('Add a block device'),
    });
    const { path, id } = await addFile(8);
    const draft = await queue.draft(source, { pool, crypto: 'age' });
    const sealed = await queue.call('POST', '/task_queue', draft);
    expect([sealed.status, sealed.body.errors.crypto]).toEqual([
      400,
      expect.stringContaining('must be aes-256-gcm or nocrypt'),
    ]);
    const copy = await backUp(source);
    const plain = await queue.ended(await queue.backup(source, { pool: 'Default', crypto: 'age' }));
    const copying = await queue.call('POST', `/repository/${plain.repository_id}/copying?pool_name=${pool}`);
    expect([copying.status, copying.body.message]).toEqual([400, expect.stringContaining('encrypted')]);

    // A device that was taken away holds work up; another one in its place is a loss that is told.
    await app.close();
    fs.renameSync(path, `${path}.away`);
    await start();
    const restoring = await queue.restore(copy.id, join(folder.path, 'out'));
    expect((await queue.until(restoring, (now) => now.status === 'suspended')).error_message).toMatch(
      /Put it back where it was/,
    );
    expect(await device(id)).toMatchObject({ status: 'Offline' });
    await makeSparseFile(path, 8 * mib);
    const wrong = await queue.ended(await queue.backup(source, { pool }));
    expect(wrong).toMatchObject({
      status: 'error',
      error_message: expect.stringContaining('no block store'),
    });
    fs.renameSync(`${path}.away`, path);
    clock.advance(5 * 60_000 + 1);
    expect((await queue.ended(restoring)).status).toBe('done');
    expect(compareTrees(source, join(folder.path, 'out', 'source'))).toEqual([]);
  });

  it('backups, a verification and a cleaning at once share one store and harm none of each other', async () => {
    await addPool({ block_size: 8192 });
    await addFile(256);
    const { source, unique } = await makeTree('source');
    const others = await Promise.all(['second', 'third'].map(async (name) => (await makeTree(name)).source));
    const first = await backUp(source);
    clock.set(at(16, 3));
    await logIn();
    const ids = await Promise.all([source, ...others].map((from) => queue.backup(from, { pool })));
    const verifying = await queue.verify(first.id);
    const tasks = await Promise.all([...ids, verifying].map((id) => queue.ended(id)));
    expect(tasks.map(({ status, error_message }) => [status, error_message])).toEqual(
      tasks.map(() => ['done', null]),
    );
    await cleanInWindow(18);
    const copies = await queue.copies();
    expect(copies).toHaveLength(4);
    for (const copy of copies) {
      expect(await verified(copy.id)).toMatchObject({ status: 'Trusted', damage: null });
    }
    const stored = copies.reduce((sum, copy) => sum + (copy.real_size ?? 0), 0);
    expect(stored).toBeLessThan(3 * unique + 300_000);
    await comesBack(copies[0]?.id ?? 0, String(copies[0]?.resource), 'out');
  });

  it('a backup that is paused, killed or cut off by a stop of the server leaves nothing, and the next one is whole', async () => {
    await addPool({ block_size: 8192 });
    await addFile(512);
    const source = join(folder.path, 'source');
    await mkdir(source);
    for (let file = 0; file < 30; file += 1) {
      await writeFile(join(source, `data-${file}`), randomBytes(3 * mib));
    }
    await queue.slowDown('backup', 4);
    const killed = await queue.backup(source, { pool });
    await queue.moving(killed);
    expect((await queue.call('POST', `/tasks/${killed}/pause`)).status).toBe(204);
    expect(await readdir(metadata)).toEqual([expect.stringMatching(/\.partial$/)]);
    expect((await queue.call('POST', `/tasks/${killed}/kill`)).status).toBe(204);
    await expect.poll(() => readdir(metadata), { timeout: 20_000 }).toEqual([]);
    const cutOff = await queue.backup(source, { pool });
    await queue.until(cutOff, (task) => task.status === 'execution' || task.status === 'transmission');
    await app.close();
    const left = await readdir(metadata);
    await start();
    await queue.fullSpeed();
    // It begins anew at once, in a folder of its own.
    expect((await queue.ended(cutOff)).status).toBe('done');
    expect(left.filter((name) => fs.existsSync(join(metadata, name)))).toEqual([]);
    expect(await readdir(metadata)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const copy = await backUp(source);
    expect(await verified(copy.id)).toMatchObject({ status: 'Trusted', damage: null });
    await comesBack(copy.id, source, 'out');
  });

  it('lets a device go that is lost, once its copies are deleted', async () => {
    await addPool();
    const { path, id } = await addFile(8);
    const { source } = await makeTree('source');
    fs.rmSync(join(source, 'again'), { recursive: true });
    fs.rmSync(join(source, 'one'));
    const copy = await backUp(source);
    await app.close();
    fs.rmSync(path);
    await start();
    await cleanInWindow(16);
    expect((await device(id)).used).toBeGreaterThan(0);
    await queue.good('DELETE', `/repository/${copy.id}`);
    await cleanInWindow(18);
    expect((await queue.call('DELETE', `/storage_block_devices/${id}`)).status).toBe(200);
    expect(await readdir(join(folder.path, 'data', 'block-index'))).toEqual([]);
  });

  it('takes an old store off a device only when it is asked to', async () => {
    await addPool();
    const { path, id } = await addFile(8);
    const source = join(folder.path, 'source');
    await makeSmallFolder(source);
    const copy = await backUp(source);
    await queue.good('DELETE', `/repository/${copy.id}`);
    await cleanInWindow(16);
    await queue.good('DELETE', `/storage_block_devices/${id}`);
    const draft = { device: path, pool, overwrite_file_system: false };
    const refused = await queue.call('POST', '/storage_block_devices', { data: draft });
    expect(refused.body.errors.device).toContain('a block store');
    await addDevice(path, true);
    expect(fs.readFileSync(path).indexOf('SRBLOCKS')).toBe(-1);
    await comesBack((await backUp(source)).id, source, 'out');
  });
});
