import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BlockDevice } from '../../../../contract/block-devices/block-device.ts';
import { buildAwkwardTree } from '../../../support/awkward-tree.ts';
import { type HandClock, handClock, startTestApp, type TestApp } from '../../../support/backend.ts';
import { compareTrees } from '../../../support/compare-trees.ts';
import { makeLoopDevice, makeSparseFile } from '../../../support/loop-device.ts';
import { makeSmallFolder, type Queue, queueOf } from '../../../support/queue.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

const mib = 1024 * 1024;
const at = (day: number, hour: number) => new Date(2030, 0, day, hour).getTime();
const pool = 'Blocks';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let app: TestApp;
let queue: Queue;
let clock: HandClock;
let metadata: string;
let cleanUps: (() => void)[];

beforeEach(async () => {
  cleanUps = [];
  folder = await makeTempDir('block-pools');
  clock = handClock(at(15, 12));
  await mkdir(join(folder.path, 'data'));
  await start();
  metadata = join(folder.path, 'metadata');
  await mkdir(metadata);
  await queue.addPool('Metadata', metadata);
});
afterEach(async () => {
  await app.close();
  for (const cleanUp of cleanUps) cleanUp();
  await folder.remove();
});

async function start(): Promise<void> {
  app = await startTestApp({ started: true, clock, dataDir: join(folder.path, 'data') });
  await logIn();
}

/** Tokens do not outlive the jumps of the clock. */
async function logIn(): Promise<void> {
  queue = queueOf((await app.loginAs('superuser')).send);
}

const addPool = (more: object = {}) =>
  queue.good('POST', '/pools', {
    data: {
      pool_name: pool,
      pool_type: 'Block device',
      media_server: hostname(),
      meta_data_pool: 'Metadata',
      block_size: 65536,
      algorithm: 'blake3',
      hash_length: 256,
      ...more,
    },
  });

async function addDevice(device: string, overwrites = false): Promise<number> {
  const draft = { device, pool, overwrite_file_system: overwrites };
  return (await queue.good<{ id: number }>('POST', '/storage_block_devices', { data: draft })).id;
}

async function addFile(megabytes: number, name = 'device.img'): Promise<{ id: number; path: string }> {
  const path = join(folder.path, name);
  await makeSparseFile(path, megabytes * mib);
  return { path, id: await addDevice(path) };
}

const device = (id: number) => queue.good<BlockDevice>('GET', `/storage_block_devices/${id}`);

async function backUp(source: string, more: object = {}) {
  const task = await queue.ended(await queue.backup(source, { pool, ...more }));
  expect(task).toMatchObject({ status: 'done', error_message: null });
  return queue.copy(Number(task.repository_id));
}

async function comesBack(copyId: number, source: string, name: string): Promise<void> {
  const out = join(folder.path, name);
  const task = await queue.ended(await queue.restore(copyId, out));
  expect(task).toMatchObject({ status: 'done', error_message: null });
  expect(compareTrees(source, join(out, source.slice(source.lastIndexOf('/') + 1)))).toEqual([]);
}

async function verified(copyId: number) {
  await queue.ended(await queue.verify(copyId));
  return queue.copy(copyId);
}

/** In the next service window; ends when the cleaning is noted. */
async function cleanInWindow(day: number): Promise<void> {
  clock.set(at(day, 3));
  await logIn();
  const lastTime = async () =>
    (await queue.good<{ dedup_clean_last_time: string | null }>('GET', '/global_configuration'))
      .dedup_clean_last_time;
  await expect
    .poll(async () => new Date((await lastTime()) ?? 0).getTime(), { timeout: 20_000 })
    .toBe(at(day, 3));
}

async function makeTree(name: string): Promise<{ source: string; unique: number }> {
  const source = join(folder.path, name);
  const data = randomBytes(5 * mib + 777);
  await mkdir(join(source, 'again'), { recursive: true });
  for (const file of ['one', 'again/two', 'again/three']) await writeFile(join(source, file), data);
  await writeFile(join(source, 'own'), randomBytes(mib));
  await makeSmallFolder(join(source, 'small'));
  return { source, unique: data.length + mib };
}

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
    await start();
    await queue.fullSpeed();
    expect(await readdir(metadata)).toEqual([]);
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
