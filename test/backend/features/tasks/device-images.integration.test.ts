import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BackupLab, openBackupLab } from '../../../support/backup-lab.ts';
import { type LoopDevice, makeLoopDevice, makeSparseFile } from '../../../support/loop-device.ts';
import type { Queue } from '../../../support/queue.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

const mib = 1024 * 1024;
const image = { resource_type: 'Block device' };

let lab: BackupLab;
let queue: Queue;
let cleanUps: (() => void)[];

beforeEach(async () => {
  cleanUps = [];
  lab = await openBackupLab('images');
  queue = lab.queue;
});
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) cleanUp();
  await lab.close();
});

const place = (name: string) => join(lab.folder.path, name);

async function hashOf(path: string, length?: number): Promise<string> {
  const hash = createHash('sha256');
  const end = length === undefined ? {} : { end: length - 1 };
  for await (const chunk of createReadStream(path, end)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function backedUp(source: string, more: object = {}) {
  const task = await queue.ended(await queue.backup(source, { ...image, ...more }));
  expect(task).toMatchObject({ status: 'done', error_message: null, resource_type: 'Block device' });
  return queue.copy(Number(task.repository_id));
}

async function clientLog(taskId: number): Promise<string> {
  return (await queue.log(taskId, 'clients')).map(({ message }) => message).join('\n');
}

async function trusted(copyId: number) {
  expect(await queue.ended(await queue.verify(copyId))).toMatchObject({ status: 'done' });
  expect(await queue.copy(copyId)).toMatchObject({ status: 'Trusted', damage: null });
}

async function allocated(path: string): Promise<number> {
  return (await stat(path)).blocks * 512;
}

/** Data at both ends and in the middle, zeros between them; the size is no multiple of anything. */
async function makeImageFile(path: string, sizeBytes = 24 * mib + 777) {
  await makeSparseFile(path, sizeBytes);
  const file = await open(path, 'r+');
  await file.write(randomBytes(mib), 0, mib, 0);
  await file.write(randomBytes(300_000), 0, 300_000, 9 * mib + 11);
  // Zeros that are written, not left out.
  await file.write(Buffer.alloc(4 * mib), 0, 4 * mib, 12 * mib);
  await file.write(randomBytes(777), 0, 777, sizeBytes - 777);
  await file.close();
}

/** A pool of block devices with this one device. */
async function addBlockPool(device: string): Promise<void> {
  await mkdir(place('metadata'));
  await queue.addPool('Metadata', place('metadata'));
  const [server] = await queue.good<{ name: string }[]>('GET', '/media_servers');
  const pool = {
    pool_name: 'Blocks',
    pool_type: 'Block device',
    media_server: server?.name,
    meta_data_pool: 'Metadata',
    block_size: 65536,
    algorithm: 'blake3',
    hash_length: 256,
  };
  await queue.good('POST', '/pools', { data: pool });
  const draft = { device, pool: 'Blocks', overwrite_file_system: false };
  await queue.good('POST', '/storage_block_devices', { data: draft });
}

describe('a plain file as a block device', () => {
  it('is read like one, comes back as a file with its holes, and opens with tar', async () => {
    const source = place('disk.img');
    await makeImageFile(source);
    await mkdir(place('packed'));
    await queue.addPool('Packed', place('packed'), { compression_type: 'Optimal' });
    const copy = await backedUp(source, { pool: 'Packed' });
    expect(copy).toMatchObject({ size: 24 * mib + 777, backup_type: 'full', files_count: 1 });
    expect(copy.real_size).toBeLessThan(2 * mib);
    expect(await clientLog(copy.task_id ?? 0)).toContain('is a plain file; it is read like a device');
    await trusted(copy.id);

    const out = place('out');
    expect(await queue.ended(await queue.restore(copy.id, out))).toMatchObject({ status: 'done' });
    expect(await hashOf(join(out, 'disk.img'))).toBe(await hashOf(source));
    expect(await allocated(join(out, 'disk.img'))).toBeLessThan(3 * mib);

    const byHand = place('by hand');
    await mkdir(byHand);
    execFileSync('sh', [
      '-c',
      'zstd -dc "$1"/archive.tar.zst | tar -x -C "$2"',
      'sh',
      copy.path ?? '',
      byHand,
    ]);
    expect(await hashOf(join(byHand, 'disk.img'))).toBe(await hashOf(source));
    expect(await allocated(join(byHand, 'disk.img'))).toBeLessThan(3 * mib);
    execFileSync('sh', [
      '-c',
      'zstd -dc "$1"/archive.tar.zst | tar -xO | cat > "$2"',
      'sh',
      copy.path ?? '',
      place('piped.img'),
    ]);
    expect(await hashOf(place('piped.img'))).toBe(await hashOf(source));
  });

  it('is written over a file that is there, zeros and all, and no further than the image goes', async () => {
    const source = place('disk.img');
    await makeImageFile(source);
    const copy = await backedUp(source);
    const target = place('target.img');
    const before = randomBytes(26 * mib);
    await writeFile(target, before);
    const task = await queue.ended(await queue.restore(copy.id, target, { data_deployment: true }));
    expect(task).toMatchObject({ status: 'done', error_message: null });
    expect(await hashOf(target, copy.size)).toBe(await hashOf(source));
    expect((await readFile(target)).subarray(copy.size)).toEqual(before.subarray(copy.size));
    expect(await allocated(target)).toBeLessThan(6 * mib);
    expect(await clientLog(task.id)).toContain('larger than the image; what lies there stayed as it was');
  });

  it.each(['aes-256-gcm', 'age'])('is encrypted with %s and comes back', async (crypto) => {
    const source = place('disk.img');
    await makeImageFile(source);
    const copy = await backedUp(source, { crypto });
    await trusted(copy.id);
    const target = place('target.img');
    await makeSparseFile(target, copy.size);
    const task = await queue.ended(await queue.restore(copy.id, target, { data_deployment: true }));
    expect(task).toMatchObject({ status: 'done', error_message: null });
    expect(await hashOf(target)).toBe(await hashOf(source));
  });

  it('goes to another pool and comes back from there', async () => {
    const source = place('disk.img');
    await makeImageFile(source);
    const copy = await backedUp(source);
    await mkdir(place('second'));
    await queue.addPool('Second', place('second'), { compression_type: 'None' });
    const moved = await queue.ended(await queue.copyTo(copy.id, 'Second'));
    expect(moved).toMatchObject({ status: 'done' });
    const second = await queue.copy(
      Number((await queue.copies()).find(({ copy_of }) => copy_of === copy.id)?.id),
    );
    expect(second).toMatchObject({ pool: 'Second', resource_type: 'Block device', status: 'Trusted' });
    const out = place('out');
    expect(await queue.ended(await queue.restore(second.id, out))).toMatchObject({ status: 'done' });
    expect(await hashOf(join(out, 'disk.img'))).toBe(await hashOf(source));
  });

  it('is refused as a target, untouched, when it is too small or a folder', async () => {
    const source = place('disk.img');
    await makeImageFile(source);
    const copy = await backedUp(source);
    const small = place('small.img');
    await makeSparseFile(small, copy.size - 1);
    const tooSmall = await queue.ended(await queue.restore(copy.id, small, { data_deployment: true }));
    expect(tooSmall.status).toBe('error');
    expect(tooSmall.error_message).toContain(
      `is too small: it has ${copy.size - 1} bytes and the image ${copy.size}`,
    );
    expect(await allocated(small)).toBe(0);
    const folder = await queue.ended(
      await queue.restore(copy.id, lab.folder.path, { data_deployment: true }),
    );
    expect(folder.error_message).toContain('neither a block device nor a plain file');
    const nowhere = await queue.ended(await queue.restore(copy.id, place('none'), { data_deployment: true }));
    expect(nowhere.error_message).toContain('does not exist');
  });

  it.each(['incremental', 'differential'])(
    'of a task of kind %s becomes a full copy, which its log says',
    async (kind) => {
      const source = place('disk.img');
      await makeImageFile(source, 2 * mib);
      await backedUp(source);
      const serviceMode = (isOn: boolean) =>
        queue.good('PATCH', '/global_configuration/service_mode', { service_mode: isOn });
      await serviceMode(true);
      const id = await queue.backup(source, image);
      // As the scheduler makes the task: the API itself takes full copies only.
      const { db } = lab.app.built.features;
      await db.updateTable('tasks').set({ backup_type: kind }).where('id', '=', id).execute();
      await serviceMode(false);
      const task = await queue.ended(id);
      expect(task).toMatchObject({ status: 'done', backup_type: kind });
      const copy = await queue.copy(Number(task.repository_id));
      expect(copy).toMatchObject({ backup_type: 'full', reference_id: null, chain_id: copy.id });
      const lines = (await queue.log(id, 'servers')).map(({ message }) => message).join('\n');
      expect(lines).toContain(`In place of the ${kind} copy a full one is made`);
    },
  );

  it('that is damaged in its copy ends the restore, and the target is said to be unusable', async () => {
    const source = place('disk.img');
    await makeImageFile(source);
    const copy = await backedUp(source);
    const [archive] = (await readdir(copy.path ?? '')).filter((name) => name.startsWith('archive'));
    const file = await open(join(copy.path ?? '', archive ?? ''), 'r+');
    await file.write(Buffer.from('damage'), 0, 6, 500_000);
    await file.close();
    const target = place('target.img');
    await makeSparseFile(target, copy.size);
    const onto = await queue.ended(await queue.restore(copy.id, target, { data_deployment: true }));
    expect(onto.status).toBe('error');
    expect(onto.error_message).toContain(`${target} holds a part of the image only and must not be used`);
    const out = place('out');
    const asFile = await queue.ended(await queue.restore(copy.id, out));
    expect(asFile.status).toBe('error');
    expect(asFile.error_message).toContain('The image could not be restored whole');
    expect(await readdir(out)).toEqual([]);
    expect((await queue.ended(await queue.verify(copy.id))).status).toBe('error');
    expect(await queue.copy(copy.id)).toMatchObject({ status: 'Suspicious' });
  });

  it('that is written when the task is killed is said to be unusable', async () => {
    const source = place('disk.img');
    await writeFile(source, randomBytes(8 * mib));
    const copy = await backedUp(source);
    const limit = { client: await queue.localClient(), restore_bandwidth: 500 };
    await queue.good('POST', '/client_bandwidth', { data: limit });
    const target = place('target.img');
    await makeSparseFile(target, copy.size);
    const id = await queue.restore(copy.id, target, { data_deployment: true });
    await queue.until(id, ({ progress_details }) => (progress_details?.bytes_done ?? 0) > 0);
    await queue.good('POST', `/tasks/${id}/kill`);
    expect((await queue.ended(id)).status).toBe('killed');
    await expect.poll(() => clientLog(id)).toContain(`${target} holds a part of the image only`);
  });

  it('says what is wrong with a resource that is a folder or not there', async () => {
    const folder = await queue.ended(await queue.backup(lab.source, image));
    expect(folder).toMatchObject({ status: 'error' });
    expect(folder.error_message).toContain('Use the resource type File system for folders');
    const gone = await queue.ended(await queue.backup(place('gone'), image));
    expect(gone.error_message).toContain('does not exist');
    expect(await queue.copies()).toEqual([]);
  });

  it('takes hardly anything in a pool of block devices when a little has changed', async () => {
    const source = place('disk.img');
    await makeImageFile(source);
    const device = place('store.img');
    await makeSparseFile(device, 64 * mib);
    await addBlockPool(device);
    const first = await backedUp(source, { pool: 'Blocks' });
    expect(first.real_size).toBeGreaterThan(mib);
    const file = await open(source, 'r+');
    // A new extent before the old ones: they keep their blocks all the same.
    await file.write(randomBytes(1000), 0, 1000, 5 * mib);
    await file.close();
    const second = await backedUp(source, { pool: 'Blocks' });
    expect(second.real_size).toBeLessThan(200_000);
    await trusted(second.id);
    const target = place('target.img');
    await makeSparseFile(target, second.size);
    const task = await queue.ended(await queue.restore(second.id, target, { data_deployment: true }));
    expect(task).toMatchObject({ status: 'done', error_message: null });
    expect(await hashOf(target)).toBe(await hashOf(source));
  });
});

const folderForLoop = await makeTempDir('loop-probe');
const probe = await makeLoopDevice(folderForLoop.path);
const whyNot = typeof probe === 'string' ? probe : null;
if (typeof probe !== 'string') probe.remove();
await folderForLoop.remove();
if (whyNot !== null) process.stderr.write(`skipped: images of loop devices, since ${whyNot}\n`);

describe.skipIf(whyNot !== null)('a block device', () => {
  const loop = async (name: string, sizeBytes: number): Promise<LoopDevice> => {
    const device = await makeLoopDevice(lab.folder.path, { name, sizeBytes });
    if (typeof device === 'string') throw new Error(device);
    cleanUps.push(() => device.remove());
    return device;
  };
  const mount = async (
    device: string,
    name: string,
    options: readonly string[] = [],
  ): Promise<() => void> => {
    const at = place(name);
    await mkdir(at, { recursive: true });
    execFileSync('mount', [...options, device, at]);
    let isMounted = true;
    const unmount = (): void => {
      if (isMounted) execFileSync('umount', [at]);
      isMounted = false;
    };
    cleanUps.push(unmount);
    return unmount;
  };
  const makeFileSystem = async (device: string) => {
    execFileSync('mkfs.ext4', ['-q', '-E', 'lazy_itable_init=0', device]);
    const unmount = await mount(device, 'mounted');
    await writeFile(place('mounted/random'), randomBytes(6 * mib));
    await writeFile(place('mounted/text'), 'some text\n'.repeat(1000));
    await makeSparseFile(place('mounted/holes'), 40 * mib);
    unmount();
  };

  it('with a file system comes back onto another device, bit for bit, and takes what is used', async () => {
    const source = await loop('source.img', 128 * mib);
    await makeFileSystem(source.path);
    const copy = await backedUp(source.path);
    expect(copy).toMatchObject({ size: 128 * mib, backup_type: 'full' });
    // The random file and the little that the file system itself has written.
    expect(copy.real_size).toBeGreaterThan(6 * mib);
    expect(copy.real_size).toBeLessThan(8 * mib);
    await trusted(copy.id);

    const target = await loop('target.img', 130 * mib);
    execFileSync('dd', ['if=/dev/urandom', `of=${target.path}`, 'bs=1M', 'count=130', 'status=none']);
    const task = await queue.ended(await queue.restore(copy.id, target.path, { data_deployment: true }));
    expect(task).toMatchObject({ status: 'done', error_message: null });
    execFileSync('cmp', ['-n', String(128 * mib), source.path, target.path]);
    execFileSync('e2fsck', ['-f', '-n', target.path], { stdio: 'pipe' });
    execFileSync('sync');
    // What was random is not there any more, but for what lies beyond the image.
    expect(await allocated(target.file)).toBeLessThan(12 * mib);
    await mount(target.path, 'restored');
    expect(await readFile(place('restored/text'), 'utf8')).toBe('some text\n'.repeat(1000));
  });

  it('is not written while it is mounted, too small, part of a pool, or not meant', async () => {
    const source = await loop('source.img', 48 * mib);
    await makeFileSystem(source.path);
    const copy = await backedUp(source.path);
    const before = await hashOf(source.file);
    const unmount = await mount(source.path, 'in use', ['-o', 'ro,noload']);
    const refusal = async (target: string, more: object = { data_deployment: true }) => {
      const task = await queue.ended(await queue.restore(copy.id, target, more));
      expect(task.status).toBe('error');
      return task.error_message;
    };
    expect(await refusal(source.path)).toContain(`is mounted at ${place('in use')}; unmount it first`);
    unmount();
    expect(await hashOf(source.file)).toBe(before);

    const small = await loop('small.img', 47 * mib);
    expect(await refusal(small.path)).toContain(
      `is too small: it has ${47 * mib} bytes and the image ${48 * mib}`,
    );
    expect(await allocated(small.file)).toBe(0);

    expect(await refusal(small.path, {})).toContain('set data_deployment to true');

    const store = await loop('store.img', 64 * mib);
    await addBlockPool(store.path);
    expect(await refusal(store.path)).toContain('holds blocks of this server');
    // A copy in a pool of block devices comes back too, and the store was not harmed.
    const other = await backedUp(source.path, { pool: 'Blocks' });
    const target = await loop('target.img', 48 * mib);
    const task = await queue.ended(await queue.restore(other.id, target.path, { data_deployment: true }));
    expect(task).toMatchObject({ status: 'done', error_message: null });
    execFileSync('cmp', [source.path, target.path]);
  });

  it('that is mounted is read with a warning', async () => {
    const source = await loop('source.img', 64 * mib);
    await makeFileSystem(source.path);
    await mount(source.path, 'in use');
    const copy = await backedUp(source.path);
    expect(await clientLog(copy.task_id ?? 0)).toContain(
      `is mounted at ${place('in use')} and may change while it is read`,
    );
  });
});
