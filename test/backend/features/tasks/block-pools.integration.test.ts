import fs from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildAwkwardTree } from '../../../support/awkward-tree.ts';
import {
  addDevice,
  addFile,
  addPool,
  app,
  backUp,
  cleanInWindow,
  cleanUps,
  comesBack,
  device,
  folder,
  makeTree,
  metadata,
  mib,
  pool,
  queue,
  start,
  verified,
  withBlockPools,
} from '../../../support/block-pool-lab.ts';
import { makeLoopDevice } from '../../../support/loop-device.ts';

withBlockPools();

describe('a pool of block devices', () => {
  it('keeps equal data once, takes hardly anything for the same again, and gives everything back', async () => {
    await addPool();
    const { id } = await addFile(64);
    const { source, unique } = await makeTree('source');
    const first = await backUp(source);
    expect(first).toMatchObject({ pool, pool_type: 'Block device', storage: metadata, backup_type: 'full' });
    expect(first.real_size).toBeGreaterThan(unique);
    expect(first.real_size).toBeLessThan(unique + 50_000);
    expect(first.size).toBeGreaterThan(3 * 5 * mib);
    expect(await device(id)).toMatchObject({ status: 'Online', used: expect.any(Number) });
    expect((await device(id)).used).toBeGreaterThan(unique);
    expect((await device(id)).hash_table_size).toBeGreaterThan(0);

    const second = await backUp(source);
    expect(second.real_size).toBeLessThan(10_000);
    await comesBack(first.id, source, 'out of the first');
    await comesBack(second.id, source, 'out of the second');
    expect(await verified(second.id)).toMatchObject({ status: 'Trusted', damage: null });

    // Everything that is needed stands on the device and in the metadata pool.
    await app.close();
    await start();
    await comesBack(second.id, source, 'out after a restart');
    expect((await backUp(source)).real_size).toBeLessThan(10_000);
  });

  it('brings a tree with everything in it back, and files of it alone', async () => {
    await addPool({ algorithm: 'sha2', hash_length: 512, block_size: 8192 });
    await addFile(64);
    const source = join(folder.path, 'awkward');
    buildAwkwardTree(source);
    const copy = await backUp(source);
    await comesBack(copy.id, source, 'out');
    const files = await queue.good<{ path: string }[]>('GET', `/repository/${copy.id}/files`);
    expect(files.length).toBeGreaterThan(3);
  });

  it('names the copies and paths that one flipped bit hits, and no others; the next backup heals them and says so (case 88)', async () => {
    await addPool();
    const { path } = await addFile(64);
    const { source } = await makeTree('source');
    const hit = await backUp(source);
    const elsewhere = (await makeTree('elsewhere')).source;
    const spared = await backUp(elsewhere);
    const data = fs.readFileSync(join(source, 'again', 'two'));
    const wanted = data.subarray(65536 * 7, 65536 * 7 + 64);
    const position = fs.readFileSync(path).indexOf(wanted);
    expect(position).toBeGreaterThan(0);
    const fd = fs.openSync(path, 'r+');
    fs.writeSync(fd, Buffer.from([(wanted[9] ?? 0) ^ 16]), 0, 1, position + 9);
    fs.closeSync(fd);
    expect(await verified(spared.id)).toMatchObject({ status: 'Trusted' });
    const found = await verified(hit.id);
    expect(found.status).toBe('Suspicious');
    expect(found.damage?.map(({ item }) => item).toSorted()).toEqual(
      ['again/three', 'again/two', 'one'].map((name) => join(source, name)),
    );
    const poolEvents = () =>
      app.database.db.selectFrom('events').select('id').where('kind', '=', 'pool').execute();
    const before = (await poolEvents()).length;
    const healing = await backUp(source);
    await expect.poll(async () => (await poolEvents()).length).toBe(before + 1);
    expect(healing.real_size).toBeGreaterThan(65536);
    expect(healing.real_size).toBeLessThan(65536 + 10_000);
    const lines = await queue.good<{ message: string }[]>('GET', `/tasks/${healing.task_id}/info/servers`);
    const told = lines.map(({ message }) => message).filter((message) => message.includes('stored anew'));
    expect(told).toEqual([expect.stringMatching(/^1 damaged block on the block device .* was stored anew/)]);
    expect(await verified(hit.id)).toMatchObject({ status: 'Trusted', damage: null });
    await comesBack(hit.id, source, 'out');
  });

  it('verifies the metadata only when dedup_verify_only_meta_data is on', async () => {
    await addPool();
    await addFile(64);
    const { source } = await makeTree('source');
    const copy = await backUp(source);
    await queue.good('PATCH', '/global_configuration', { dedup_verify_only_meta_data: 'yes' });
    const id = await queue.verify(copy.id);
    expect((await queue.ended(id)).status).toBe('done');
    const log = (await queue.log(id, 'servers')).map(({ message }) => message).join('\n');
    expect(log).toMatch(/^All \d{3,5} bytes were read.*All blocks are there/m);
  });

  it('an incremental or differential task reads only what changed and makes a full copy that needs no other', async () => {
    await addPool();
    await addFile(64);
    const { source } = await makeTree('source');
    // What was touched within the last second before a copy is read again; change times cannot be set.
    await expect
      .poll(() => Date.now() - fs.lstatSync(join(source, 'own')).ctimeMs, { timeout: 5000 })
      .toBeGreaterThan(1500);
    const asScheduled = async (kind: string) => {
      await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: true });
      const id = await queue.backup(source, { pool });
      const { db } = app.built.features;
      await db.updateTable('tasks').set({ backup_type: kind }).where('id', '=', id).execute();
      await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: false });
      const task = await queue.ended(id);
      expect(task).toMatchObject({ status: 'done', error_message: null });
      const lines = [...(await queue.log(id, 'servers')), ...(await queue.log(id, 'clients'))];
      return {
        copy: await queue.copy(Number(task.repository_id)),
        log: lines.map(({ message }) => message).join('\n'),
      };
    };
    const first = await asScheduled('incremental');
    expect(first.log).toContain('so all files are read');
    await writeFile(join(source, 'own'), 'now it is short');
    const second = await asScheduled('incremental');
    expect(second.log).toContain(`only files that changed since copy ${first.copy.id} are read`);
    expect(second.log).toMatch(/6 files unchanged \(\d+ bytes\); they were not read/);
    const third = await asScheduled('differential');
    for (const { copy } of [first, second, third]) {
      expect(copy).toMatchObject({ backup_type: 'full', reference_id: null, chain_id: copy.id });
    }
    expect(second.copy.real_size).toBeLessThan(10_000);
    await queue.good('DELETE', `/repository/${first.copy.id}`);
    await queue.good('DELETE', `/repository/${second.copy.id}`);
    expect(await verified(third.copy.id)).toMatchObject({ status: 'Trusted' });
    await comesBack(third.copy.id, source, 'out');
  });

  it('copies and moves go between files and blocks, proved by the hashes of the first backup', async () => {
    await addPool();
    await addFile(64);
    const far = join(folder.path, 'far');
    await mkdir(far);
    await queue.addPool('Far', far, { compression_type: 'Fast' });
    const source = join(folder.path, 'awkward');
    buildAwkwardTree(source);
    const origin = await backUp(source);
    const out = await queue.ended(await queue.copyTo(origin.id, 'Far'));
    expect(out).toMatchObject({ status: 'done', pool: 'Far', error_message: null });
    const plain = await queue.copy(Number(out.repository_id));
    expect(plain).toMatchObject({ copy_of: origin.id, status: 'Trusted', pool: 'Far', size: origin.size });
    expect(await readdir(String(plain.path))).toEqual(['archive.tar.lz4', 'manifest.ndjson.zst']);
    await comesBack(plain.id, source, 'out of far');

    const back = await queue.ended(await queue.moveTo(plain.id, pool));
    expect(back).toMatchObject({ status: 'done', error_message: null });
    const moved = await queue.copy(plain.id);
    expect(moved).toMatchObject({ pool, storage: metadata, status: 'Trusted', created: plain.created });
    // Its blocks were there already: it was cut where a backup cuts.
    expect(moved.real_size).toBeLessThan(30_000);
    await expect.poll(() => readdir(far)).toEqual([]);
    await queue.good('DELETE', `/repository/${origin.id}`);
    await cleanInWindow(16);
    expect(await verified(moved.id)).toMatchObject({ status: 'Trusted', damage: null });
    await comesBack(moved.id, source, 'out of blocks');
    expect((await readdir(metadata)).length).toBe(1);
  });

  it('works on a real block device', async (context) => {
    const loop = await makeLoopDevice(folder.path, { sizeBytes: 64 * mib });
    if (typeof loop === 'string') return context.skip(loop);
    cleanUps.push(loop.remove);
    await addPool();
    await addDevice(loop.path);
    const { source, unique } = await makeTree('source');
    const first = await backUp(source);
    expect(first.real_size).toBeLessThan(unique + 50_000);
    expect((await backUp(source)).real_size).toBeLessThan(10_000);
    expect(await verified(first.id)).toMatchObject({ status: 'Trusted' });
    await comesBack(first.id, source, 'out');
  });
});
