import { randomBytes } from 'node:crypto';
import { cp, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Copy } from '../../../../contract/repository/copy.ts';
import { type HandClock, handClock } from '../../../support/backend.ts';
import { type BackupLab, openBackupLab } from '../../../support/backup-lab.ts';
import { compareTrees } from '../../../support/compare-trees.ts';
import { makeSparseFile } from '../../../support/loop-device.ts';
import { type Queue, queueOf } from '../../../support/queue.ts';

let lab: BackupLab;
let clock: HandClock;
let first: string;
let second: string;
let poolId: number;

beforeEach(async () => {
  clock = handClock();
  lab = await openBackupLab('metadata-moves', { clock });
  const { queue, folder, source } = lab;
  await writeFile(join(source, 'data'), randomBytes(300_000));
  [first, second] = ['first', 'second'].map((name) => join(folder.path, name)) as [string, string];
  for (const name of ['first', 'second']) {
    await mkdir(join(folder.path, name));
    await queue.addPool(name, join(folder.path, name));
  }
  const pool = { pool_name: 'Blocks', pool_type: 'Block device', media_server: hostname(), block_size: 8192 };
  poolId = (
    await queue.good<{ id: number }>('POST', '/pools', { data: { ...pool, meta_data_pool: 'first' } })
  ).id;
  const device = join(folder.path, 'device.img');
  await makeSparseFile(device, 64 * 1024 * 1024);
  await queue.good('POST', '/storage_block_devices', {
    data: { device, pool: 'Blocks', overwrite_file_system: false },
  });
});
afterEach(() => lab.close());

async function backUp(crypto = 'nocrypt'): Promise<Copy> {
  const task = await lab.queue.ended(await lab.queue.backup(lab.source, { pool: 'Blocks', crypto }));
  expect(task).toMatchObject({ status: 'done', error_message: null });
  return lab.queue.copy(Number(task.repository_id));
}

/** Signed in anew: the more minutes go by for the server until it comes to something, the sooner a session is over. */
const signedIn = async (): Promise<Queue> => queueOf((await lab.app.loginAs('superuser')).send);
const change = async (values: object) => (await signedIn()).good('PATCH', `/pools/${poolId}`, values);
const idOf = (copy: Copy) => String(copy.path).split('/').at(-1) ?? '';

/** Minutes go by for the server, and it comes to be. More than one: a look that had begun before does not see what is new. */
async function soon(what: () => Promise<unknown>, expected: unknown): Promise<void> {
  const later = async (): Promise<unknown> => {
    clock.advance(61_000);
    return what();
  };
  await expect.poll(later, { timeout: 90_000, interval: 500 }).toEqual(expected);
}

async function isWhole(copy: Copy, storage: string): Promise<void> {
  const { folder, source } = lab;
  const queue = await signedIn();
  await queue.ended(await queue.verify(copy.id));
  expect(await queue.copy(copy.id)).toMatchObject({ storage, status: 'Trusted', damage: null });
  const out = join(folder.path, `out-${copy.id}`);
  expect(await queue.ended(await queue.restore(copy.id, out))).toMatchObject({ status: 'done' });
  expect(compareTrees(source, join(out, 'source'))).toEqual([]);
}

it('move_old_metadata brings the file lists of all copies to the new metadata pool, and they are as before', async () => {
  const copies = [await backUp(), await backUp('aes-256-gcm')];
  await change({ meta_data_pool: 'second', move_old_metadata: true });
  await soon(() => readdir(first), []);
  expect((await readdir(second)).toSorted()).toEqual(copies.map(idOf).toSorted());
  for (const copy of copies) await isWhole(copy, second);
  expect(await backUp()).toMatchObject({ storage: second });
});

it('without it they stay where they are, new ones go to the new pool, and all keep their blocks', async () => {
  const old = await backUp();
  await change({ meta_data_pool: 'second' });
  await writeFile(join(lab.source, 'more'), randomBytes(50_000));
  expect(await backUp()).toMatchObject({ storage: second });
  await lab.queue.good('PATCH', '/global_configuration', {
    service_window_start: '00:00:00',
    service_window_end: '00:00:00',
    dedup_clean_period: 1,
  });
  await soon(async () => (await readdir(first)).length, 1);
  const queue = await signedIn();
  const settings = () => queue.good<{ dedup_clean_last_time: string | null }>('GET', '/global_configuration');
  await expect.poll(async () => (await settings()).dedup_clean_last_time, { timeout: 20_000 }).not.toBeNull();
  await queue.ended(await queue.verify(old.id));
  expect(await queue.copy(old.id)).toMatchObject({ storage: first, status: 'Trusted', damage: null });
});

it('a copy that is in use is moved when it is not any more', async () => {
  const { queue } = lab;
  const [used, free] = [await backUp(), await backUp()];
  await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: true });
  const task = await queue.verify(used.id);
  await queue.good('POST', `/tasks/${task}/pause`);
  await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: false });
  await change({ meta_data_pool: 'second', move_old_metadata: true });
  await soon(() => readdir(second), [idOf(free)]);
  await expect.poll(() => readdir(first), { timeout: 20_000 }).toEqual([idOf(used)]);
  await (await signedIn()).good('POST', `/tasks/${task}/kill`);
  await soon(() => readdir(first), []);
  await isWhole(used, second);
});

it('what was cut off in the middle goes on, and no list is lost or left over', async () => {
  const copy = await backUp();
  const id = idOf(copy);
  // Cut off before the catalogue knew of it, with half of it there.
  await mkdir(join(second, id));
  await writeFile(join(second, id, 'manifest.ndjson.zst'), 'not all of it');
  await change({ meta_data_pool: 'second', move_old_metadata: true });
  await soon(() => readdir(first), []);
  await isWhole(copy, second);
  // Cut off after that, before the former folder was removed.
  await cp(join(second, id), join(first, id), { recursive: true });
  await change({ move_old_metadata: true });
  await soon(() => readdir(first), []);
  expect(await readdir(second)).toEqual([id]);
  // The catalogue was put back to a state before the move.
  const { db } = lab.app.built.features;
  const { id: storageId } = await db
    .selectFrom('storages')
    .select('id')
    .where('path', '=', first)
    .executeTakeFirstOrThrow();
  await db.updateTable('copies').set({ storage_id: storageId }).where('id', '=', copy.id).execute();
  await change({ move_old_metadata: true });
  await soon(async () => (await (await signedIn()).copy(copy.id)).storage, second);
  await isWhole(copy, second);
});

it('a storage that is away holds the move up and loses nothing', async () => {
  const copy = await backUp();
  await rename(second, `${second} away`);
  await change({ meta_data_pool: 'second', move_old_metadata: true });
  clock.advance(61_000);
  await soon(() => readdir(first), [idOf(copy)]);
  await rename(`${second} away`, second);
  await soon(() => readdir(first), []);
  await isWhole(copy, second);
});
