import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Task } from '../../../contract/tasks/task.ts';
import { type BackendProcess, loginAt, spawnBackend } from '../../support/backend.ts';
import { readBlockLayout } from '../../support/block-layout.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { makeSparseFile } from '../../support/loop-device.ts';
import { type Queue, queueOf } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const mib = 1024 * 1024;
const files = 24;
const fileBytes = 4 * mib;
const password = 'correct horse battery';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;
let backend: BackendProcess;
let queue: Queue;

async function start(): Promise<void> {
  backend = spawnBackend({
    dataDir: join(folder.path, 'data'),
    env: { STRONGROOM_ADMIN_PASSWORD: password },
  });
  const { url } = await backend.ready;
  queue = queueOf(await loginAt(url, 'admin', password));
}

beforeEach(async () => {
  folder = await makeTempDir('resume');
  source = join(folder.path, 'source');
  for (const name of ['source', 'files', 'metadata']) await mkdir(join(folder.path, name));
  for (let file = 0; file < files; file += 1) {
    await writeFile(join(source, `data-${file}`), randomBytes(fileBytes));
  }
  await start();
  await queue.addPool('Files', join(folder.path, 'files'));
  await queue.addPool('Metadata', join(folder.path, 'metadata'));
  const pool = {
    pool_name: 'Blocks',
    pool_type: 'Block device',
    media_server: hostname(),
    meta_data_pool: 'Metadata',
    block_size: 65_536,
  };
  await queue.good('POST', '/pools', { data: pool });
  const device = join(folder.path, 'device.img');
  await makeSparseFile(device, 512 * mib);
  const draft = { device, pool: 'Blocks', overwrite_file_system: false };
  await queue.good('POST', '/storage_block_devices', { data: draft });
});
afterEach(async () => {
  await backend.kill();
  await folder.remove();
});

/** Bytes of the archive of the one copy in the folder of a pool. */
async function arrivedIn(pool: string): Promise<number> {
  const [name = ''] = await readdir(join(folder.path, pool));
  const archives = ['archive.tar', 'archive.tar.sealed'].map((each) => join(folder.path, pool, name, each));
  const archive = archives.find((each) => existsSync(each));
  return archive === undefined ? 0 : (await stat(archive)).size;
}

const isPast =
  (share: number) =>
  ({ progress_details: figures }: Task): boolean =>
    (figures?.bytes_done ?? 0) >= share * (figures?.bytes_total ?? Number.POSITIVE_INFINITY);

/** Kills the server at that moment; answers the task's figures when it was restarted and has come to its end. */
const killedWhen = (id: number, isIt: (task: Task) => boolean, look?: () => void): Promise<Task> =>
  killedAfter(id, () => queue.until(id, isIt), look);

/** The same as soon as what is waited for is there; `look` sees what the kill has left. */
async function killedAfter(
  id: number,
  wait: () => Promise<unknown>,
  look: () => void = () => undefined,
): Promise<Task> {
  await wait();
  await backend.kill();
  look();
  await start();
  expect((await queue.task(id)).status).toBe('broken');
  await queue.good('POST', '/tasks/restart', { data: { tasks_ids: [id] } });
  return queue.ended(id);
}

/** Blocks on the device, read without the server. */
const laid = () => readBlockLayout(join(folder.path, 'device.img')).records;
const bytesOf = (records: readonly { readonly storedBytes: number }[]): number =>
  records.reduce((sum, { storedBytes }) => sum + storedBytes, 0);

it('kill -9 in the middle of a move to block devices: no block that is there is sent again (cases 63, 101)', {
  timeout: 300_000,
}, async () => {
  const made = await queue.ended(await queue.backup(source, { pool: 'Files' }));
  const copyId = Number(made.repository_id);
  let arrived = 0;
  const end = await killedWhen(await queue.moveTo(copyId, 'Blocks'), isPast(0.7), () => {
    arrived = bytesOf(laid());
  });
  expect(end).toMatchObject({ status: 'done', attempt: 2 });
  expect(arrived).toBeGreaterThan(0.4 * files * fileBytes);
  const copy = await queue.copy(copyId);
  expect(copy).toMatchObject({ pool: 'Blocks', status: 'Trusted' });
  // To the byte: the file list, and the blocks that the kill had not left there.
  const names = await readdir(String(copy.path));
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(String(copy.path), name))).size),
  );
  const listBytes = sizes.reduce((sum, size) => sum + size, 0);
  const records = laid();
  expect(end.transferred).toBe(listBytes + bytesOf(records) - arrived);
  expect(new Set(records.map(({ hash }) => hash)).size).toBe(records.length);
  await queue.ended(await queue.restore(copyId, join(folder.path, 'out')));
  expect(compareTrees(source, join(folder.path, 'out', 'source'))).toEqual([]);
});

it('kill -9 in the middle of a move from block devices: the archive is gone on with, and proved before the blocks are given up (cases 85, 101)', {
  timeout: 300_000,
}, async () => {
  const made = await queue.ended(await queue.backup(source, { pool: 'Blocks' }));
  const copyId = Number(made.repository_id);
  // By the file itself: what the task tells of its progress comes up to a second later, when all may be done.
  const end = await killedAfter(await queue.moveTo(copyId, 'Files'), async () => {
    while ((await arrivedIn('files')) < 0.55 * files * fileBytes) await setImmediate();
  });
  expect(end).toMatchObject({ status: 'done', attempt: 2 });
  expect(end.transferred).toBeLessThan(0.6 * files * fileBytes);
  const log = (await queue.log(end.id, 'servers')).map(({ message }) => message).join('\n');
  expect(log).toMatch(/\d{8,} bytes were made before, were read back and are right/);
  const copy = await queue.copy(copyId);
  expect(copy).toMatchObject({ pool: 'Files', status: 'Trusted' });
  // A full archive and file list, and nothing else.
  expect((await readdir(String(copy.path))).toSorted()).toEqual(['archive.tar', 'manifest.ndjson.zst']);
  await queue.ended(await queue.restore(copyId, join(folder.path, 'out')));
  expect(compareTrees(source, join(folder.path, 'out', 'source'))).toEqual([]);
  // Cut off in its last look, a copy has only that to do again.
  const second = await queue.ended(await queue.backup(source, { pool: 'Blocks' }));
  const copied = await killedWhen(
    await queue.copyTo(Number(second.repository_id), 'Files'),
    ({ status }) => status === 'at_server',
  );
  expect(copied).toMatchObject({ status: 'done', transferred: 0 });
  expect(await readdir(join(folder.path, 'files'))).toHaveLength(2);
});

it('kill -9 in the middle of an encrypted copy from block devices: what was sealed is not sealed again (cases 85, 101)', {
  timeout: 300_000,
}, async () => {
  const more = { pool: 'Blocks', crypto: 'aes-256-gcm' };
  const made = await queue.ended(await queue.backup(source, more));
  const end = await killedAfter(await queue.copyTo(Number(made.repository_id), 'Files'), async () => {
    while ((await arrivedIn('files')) < 0.55 * files * fileBytes) await setImmediate();
  });
  expect(end).toMatchObject({ status: 'done', attempt: 2 });
  expect(end.transferred).toBeLessThan(0.6 * files * fileBytes);
  const copyId = Number(end.repository_id);
  const copy = await queue.copy(copyId);
  expect(copy).toMatchObject({ pool: 'Files', status: 'Trusted' });
  const { version, earlier } = JSON.parse(await readFile(join(String(copy.path), 'key.json'), 'utf8'));
  expect(version).toBe(2);
  expect(earlier).toHaveLength(1);
  await queue.ended(await queue.restore(copyId, join(folder.path, 'out')));
  expect(compareTrees(source, join(folder.path, 'out', 'source'))).toEqual([]);
});

it('a copy that is paused over a stop of the server goes on with what has arrived (case 85)', {
  timeout: 300_000,
}, async () => {
  const made = await queue.ended(await queue.backup(source, { pool: 'Files' }));
  const id = await queue.copyTo(Number(made.repository_id), 'Metadata');
  const arrived = () => arrivedIn('metadata');
  while ((await arrived()) < 2 * fileBytes) await setImmediate();
  expect((await queue.call('POST', `/tasks/${id}/pause`)).status).toBe(204);
  expect(await backend.stop()).toBe(0);
  const kept = await arrived();
  expect(kept).toBeGreaterThan(fileBytes);
  await start();
  expect(await queue.task(id)).toMatchObject({ status: 'suspended', suspend_reason: 'user' });
  expect(await arrived()).toBe(kept);
  expect((await queue.call('POST', `/tasks/${id}/continue`, { task_id: id })).status).toBe(204);
  const end = await queue.ended(id);
  expect(end).toMatchObject({ status: 'done', attempt: 1 });
  // The frame that was being written when it stopped is sent again, and what stands around the files is not counted by them.
  expect(end.transferred).toBeLessThan(files * fileBytes - kept + 2 * fileBytes);
  expect(await queue.copy(Number(end.repository_id))).toMatchObject({ pool: 'Metadata', status: 'Trusted' });
});
