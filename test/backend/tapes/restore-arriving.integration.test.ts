import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Copy } from '../../../contract/repository/copy.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { openTapeLab, type TapeLab } from './tape-lab.ts';

const mib = 1_048_576;
let lab: TapeLab;
let copy: Copy;
let destination: string;
let count = 0;

/** One copy on two cartridges, long enough to be decoded by a thread of its own. */
beforeAll(async () => {
  lab = await openTapeLab({ cartridgeBytes: 14 * mib });
  for (const name of ['random.bin', 'sand.bin']) {
    await writeFile(join(lab.source, name), randomBytes(10 * mib));
  }
  await link(join(lab.source, 'random.bin'), join(lab.source, 'zz'));
  const made = await lab.queue.ended(await lab.queue.backup(lab.source, { pool: 'Tapes' }));
  expect([made.status, made.error_message]).toEqual(['done', null]);
  copy = await lab.queue.copy(Number(made.repository_id));
});
afterAll(() => lab.close());
afterEach(async () => {
  const spool = join(lab.app.dataDir, 'tape-spool');
  await expect.poll(async () => (existsSync(spool) ? readdir(spool) : [])).toEqual([]);
});

const restore = async (before: () => Promise<unknown> = async () => null, more: object = {}) => {
  count += 1;
  destination = join(lab.folder.path, `restored-${count}`);
  await mkdir(destination);
  await before();
  return lab.queue.restore(copy.id, destination, more);
};
const isEqual = async (task: number): Promise<void> => {
  const ended = await lab.queue.ended(task);
  expect([ended.status, ended.error_message]).toEqual(['done', null]);
  expect(compareTrees(lab.source, join(destination, 'source'))).toEqual([]);
};
const said = async (task: number, side: 'clients' | 'servers'): Promise<string> =>
  (await lab.queue.log(task, side)).map(({ message }) => message).join('\n');

it('a copy is restored while it is read from its cartridges, and done when all of them were read', async () => {
  const task = await restore();
  await isEqual(task);
  const servers = await said(task, 'servers');
  expect(servers).toMatch(/Part 1 was read[\s\S]*Part 2 was read/);
  expect(servers).not.toContain('file list');
});

it('a few files of it are restored from where the tape brings them', async () => {
  const wanted = [join(lab.source, 'random.bin')];
  const ended = await lab.queue.ended(await restore(undefined, { granular_restore_files: wanted }));
  expect([ended.status, ended.error_message]).toEqual(['done', null]);
  expect(await readdir(destination, { recursive: true })).toEqual(['source', 'source/random.bin']);
  const [back, own] = await Promise.all(
    [join(destination, 'source', 'random.bin'), ...wanted].map((file) => readFile(file)),
  );
  expect(own !== undefined && back?.equals(own)).toBe(true);
});

it('what is damaged near the end of the tape ends the restore, however much was restored until then', async () => {
  await lab.faults({ cartridges: [{ barcode: 'SR0002L8', read_error_at: 20 }] });
  const task = await restore();
  const ended = await lab.queue.ended(task);
  expect([ended.status, ended.error_message]).toEqual(['error', expect.stringContaining('file 2')]);
  expect(await said(task, 'clients')).toContain('a part of the copy only');
  await lab.faults(null);
  await isEqual(await restore());
});

it('a restore that cannot go on lets the tape go', async () => {
  const target = join(lab.folder.path, 'no-folder');
  await writeFile(target, 'a file');
  const ended = await lab.queue.ended(await lab.queue.restore(copy.id, target));
  expect([ended.status, ended.error_message]).toEqual(['error', expect.stringContaining('not a folder')]);
  expect((await lab.cartridge('SR0001L8')).location).toBe('storage');
});

it('what is wanted again when it is not kept any more is read from tape once more', async () => {
  const task = await restore(async () =>
    mkdir(join(destination, 'source', 'random.bin'), { recursive: true }),
  );
  const ended = await lab.queue.ended(task);
  // A folder is in the place of the first name; the second one, behind another file, has to bring the content.
  expect([ended.status, ended.skipped_items]).toEqual(['done', 1]);
  expect(await said(task, 'servers')).toContain('Not all was restored in the order of the tape');
  const [back, own] = await Promise.all(
    [destination, lab.folder.path].map((folder) => readFile(join(folder, 'source', 'zz'))),
  );
  expect(own !== undefined && back?.equals(own)).toBe(true);
});

it('a kept file list that is damaged is not believed: the one of the tape is', async () => {
  const [own = ''] = await readdir(join(lab.app.dataDir, 'tape-lists'));
  const kept = join(lab.app.dataDir, 'tape-lists', own);
  const [name = ''] = (await readdir(kept)).filter((one) => one.startsWith('manifest'));
  const list = join(kept, name);
  const right = await readFile(list);
  // Its beginning, and a stretch in its middle.
  const some = Math.floor(right.length / 4);
  for (const from of [0, 2 * some]) {
    const wrong = Buffer.from(right);
    wrong.fill(0x5a, from, from + some);
    await writeFile(list, wrong);
    const task = await restore();
    await isEqual(task);
    expect(await said(task, 'servers')).toContain('The kept file list of the copy is damaged');
    expect(await readFile(list)).toEqual(right);
  }
});

const isWriting = (task: number) =>
  lab.queue.until(task, ({ progress_details: details }) => (details?.bytes_done ?? 0) > 0);

it('pausing holds both, continuing goes on, and killing ends both', async () => {
  await lab.queue.slowDown('restore', 4);
  const task = await restore();
  await isWriting(task);
  expect((await lab.queue.call('POST', `/tasks/${task}/pause`)).status).toBe(204);
  expect((await lab.queue.task(task)).status).toBe('suspended');
  await lab.queue.good('POST', `/tasks/${task}/continue`, { data: { task_id: task } });
  await lab.queue.fullSpeed();
  await isEqual(task);

  await lab.queue.slowDown('restore', 4);
  const second = await restore();
  await isWriting(second);
  await lab.queue.call('POST', `/tasks/${second}/kill`);
  expect((await lab.queue.ended(second)).status).toBe('killed');
  await lab.queue.fullSpeed();
  await expect.poll(async () => (await lab.cartridge('SR0001L8')).location).toBe('storage');
});
