import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { startTapeLibrary, type TapeLibraryLab } from '../../lab/tape/tape-library.ts';
import { type BackupLab, openBackupLab } from '../../support/backup-lab.ts';
import { addTapeLibrary } from './tape-lab.ts';

const mib = 1_048_576;
let library: TapeLibraryLab;
let lab: BackupLab;

beforeEach(async () => {
  // One drive: of several tgtd tells the serial number of the first ones only.
  const barcodes = ['A00001L8', 'A00002L8', 'CLN001L1'];
  library = await startTapeLibrary({ barcodes, drives: 1, cartridgeMb: 8, transfer: 'big' });
  lab = await openBackupLab('iscsi-tapes');
  const { address, port } = library;
  await lab.queue.good('POST', '/scsi_portals', { media_server: hostname(), address, port });
  await addTapeLibrary(lab);
});
afterEach(async () => {
  await lab?.close();
  await library?.stop();
});

const cartridge = async (barcode: string): Promise<Cartridge | undefined> =>
  (await lab.queue.good<Cartridge[]>('GET', '/cartridges')).find((one) => one.barcode === barcode);
const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

it('a backup over iSCSI goes on to a second cartridge at the early warning, and is restored from both (case 104)', async () => {
  const bytes = randomBytes(11 * mib);
  await writeFile(join(lab.source, 'random.bin'), bytes);
  const task = await lab.queue.ended(await lab.queue.backup(lab.source, { pool: 'Tapes' }));
  expect([task.status, task.error_message]).toEqual(['done', null]);
  expect(await cartridge('A00001L8')).toMatchObject({ state: 'full', copies: 1, location: 'storage' });
  expect(await cartridge('A00002L8')).toMatchObject({ state: 'labelled', copies: 1, location: 'storage' });
  expect(await cartridge('CLN001L1')).toMatchObject({ state: 'cleaning', written: 0 });
  const id = Number(task.repository_id);
  expect((await lab.queue.ended(await lab.queue.verify(id))).status).toBe('done');
  const target = join(lab.folder.path, 'restored');
  await mkdir(target);
  expect((await lab.queue.ended(await lab.queue.restore(id, target))).status).toBe('done');
  const [found] = (await readdir(target, { recursive: true })).filter((name) => name.endsWith('random.bin'));
  expect(hash(await readFile(join(target, String(found))))).toBe(hash(bytes));
});

it('a library that dies while it is written costs the task, and nothing that was on tape before', async () => {
  const first = await lab.queue.ended(await lab.queue.backup(lab.source, { pool: 'Tapes' }));
  expect(first.status).toBe('done');
  await writeFile(join(lab.source, 'random.bin'), randomBytes(6 * mib));
  const id = await lab.queue.backup(lab.source, { pool: 'Tapes' });
  await expect
    .poll(async () => (await cartridge('A00001L8'))?.location, { timeout: 30_000, interval: 2 })
    .toBe('drive');
  await library.kill();
  const ended = await lab.queue.until(id, ({ status }) => ['suspended', 'error', 'done'].includes(status));
  await library.restart();
  if (ended.status !== 'done') expect(await lab.queue.copies()).toHaveLength(1);
  // All cartridges are in their first slots again, which the next use finds out.
  const verified = await lab.queue.ended(await lab.queue.verify(Number(first.repository_id)));
  expect([verified.status, verified.error_message]).toEqual(['done', null]);
  expect((await lab.queue.ended(await lab.queue.backup(lab.source, { pool: 'Tapes' }))).status).toBe('done');
});
