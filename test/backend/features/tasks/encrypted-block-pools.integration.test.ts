import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BackupLab, openBackupLab } from '../../../support/backup-lab.ts';
import { compareTrees } from '../../../support/compare-trees.ts';
import { makeSparseFile } from '../../../support/loop-device.ts';

const crypto = 'aes-256-gcm';
let lab: BackupLab;

beforeEach(async () => {
  lab = await openBackupLab('encrypted-block-pools');
  const { queue, folder, source } = lab;
  await writeFile(join(source, 'data'), randomBytes(300_000));
  for (const name of ['metadata', 'far']) await mkdir(join(folder.path, name));
  await queue.addPool('Metadata', join(folder.path, 'metadata'));
  await queue.addPool('Far', join(folder.path, 'far'), { compression_type: 'Fast' });
  const pool = { pool_name: 'Blocks', pool_type: 'Block device', media_server: hostname() };
  await queue.good('POST', '/pools', { data: { ...pool, meta_data_pool: 'Metadata', block_size: 8192 } });
  const device = join(folder.path, 'device.img');
  await makeSparseFile(device, 64 * 1024 * 1024);
  const draft = { device, pool: 'Blocks', overwrite_file_system: false };
  await queue.good('POST', '/storage_block_devices', { data: draft });
});
afterEach(() => lab.close());

async function backUp() {
  const id = await lab.queue.backup(lab.source, { pool: 'Blocks', crypto });
  const task = await lab.queue.ended(id);
  expect(task).toMatchObject({ status: 'done', error_message: null });
  return lab.queue.copy(Number(task.repository_id));
}

async function comesBack(copyId: number, name: string): Promise<void> {
  const out = join(lab.folder.path, name);
  const task = await lab.queue.ended(await lab.queue.restore(copyId, out));
  expect(task).toMatchObject({ status: 'done', error_message: null });
  expect(compareTrees(lab.source, join(out, 'source'))).toEqual([]);
}

async function verified(copyId: number) {
  const id = await lab.queue.verify(copyId);
  await lab.queue.ended(id);
  const log = (await lab.queue.log(id, 'servers')).map(({ message }) => message).join('\n');
  return { copy: await lab.queue.copy(copyId), log };
}

it('an encrypted copy on block devices is stored once, listed, verified, restored, moved to files and back', async () => {
  const { queue, folder } = lab;
  const first = await backUp();
  expect(first).toMatchObject({ pool: 'Blocks', crypto });
  expect(first.real_size).toBeGreaterThan(300_000);
  expect((await readdir(String(first.path))).toSorted()).toEqual([
    'blocks.ndjson',
    'key.json',
    'manifest.ndjson.zst.sealed',
    'sums.ndjson',
  ]);
  const second = await backUp();
  expect(second.real_size).toBeLessThan(10_000);
  expect((await verified(second.id)).copy).toMatchObject({ status: 'Trusted', damage: null });
  const files = await queue.good<{ name: string }[]>('GET', `/repository/${second.id}/files`);
  expect(files.map(({ name }) => name)).toContain('data');
  await comesBack(second.id, 'out of blocks');

  const out = await queue.ended(await queue.moveTo(second.id, 'Far'));
  expect(out).toMatchObject({ status: 'done', error_message: null });
  const moved = await queue.copy(second.id);
  expect(moved).toMatchObject({ pool: 'Far', crypto, status: 'Trusted' });
  expect(await readdir(String(moved.path))).toContain('archive.tar.lz4.sealed');
  await comesBack(second.id, 'out of far');
  const back = await queue.ended(await queue.copyTo(second.id, 'Blocks'));
  expect(back).toMatchObject({ status: 'done', error_message: null });
  const copied = await queue.copy(Number(back.repository_id));
  expect(copied).toMatchObject({ pool: 'Blocks', crypto, copy_of: second.id, status: 'Trusted' });
  // Its blocks are those of the first copy.
  expect(copied.real_size).toBeLessThan(10_000);
  await comesBack(copied.id, 'out of blocks again');
  expect(await readdir(join(folder.path, 'metadata'))).toHaveLength(2);
});

it('without the key, or with another, nothing is done that needs it, and a verification says what it could not see', async () => {
  const { queue, app, folder, source } = lab;
  const copy = await backUp();
  const keys = join(app.dataDir, 'client-keys');
  const [name = ''] = await readdir(keys);
  await rename(join(keys, name), join(folder.path, name));
  const unread = await verified(copy.id);
  expect(unread.copy).toMatchObject({ status: 'Trusted', damage: [{ severity: 'warning' }] });
  expect(unread.log).toContain('put back');
  const restoring = await queue.ended(await queue.restore(copy.id, join(folder.path, 'out')));
  expect(restoring).toMatchObject({ status: 'error', error_message: expect.stringContaining(name) });
  const moving = await queue.ended(await queue.moveTo(copy.id, 'Far'));
  expect(moving).toMatchObject({ status: 'error', error_message: expect.stringContaining(name) });
  expect(await readdir(join(folder.path, 'far'))).toEqual([]);

  // A backup makes a new key, which opens nothing of the former one.
  const other = await backUp();
  expect(other.real_size).toBeGreaterThan(300_000);
  const wrong = await queue.ended(await queue.moveTo(copy.id, 'Far'));
  expect(wrong).toMatchObject({ status: 'error', error_message: expect.stringContaining('another key') });
  await rename(join(folder.path, name), join(keys, name));
  expect((await verified(copy.id)).copy).toMatchObject({ status: 'Trusted', damage: null });
  await comesBack(copy.id, 'out');
  const age = await queue.call(
    'POST',
    '/task_queue',
    await queue.draft(source, { pool: 'Blocks', crypto: 'age' }),
  );
  expect([age.status, age.body.errors.crypto]).toEqual([
    400,
    expect.stringContaining('age seals whole files'),
  ]);
});
