import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { startTapeLibrary, type TapeLibraryLab } from '../../lab/tape/tape-library.ts';
import { type BackupLab, openBackupLab } from '../../support/backup-lab.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { addTapeLibrary, openTapeLab, type TapeLab } from './tape-lab.ts';

const mib = 1_048_576;
let lab: BackupLab | null = null;
let target: TapeLibraryLab | null = null;
afterEach(async () => {
  await lab?.close();
  await target?.stop();
  lab = null;
  target = null;
});

const where = async ({ queue }: BackupLab): Promise<Readonly<Record<string, string>>> => {
  const all = await queue.good<Cartridge[]>('GET', '/cartridges');
  return Object.fromEntries(all.map((one) => [one.barcode, `${one.location} ${one.element_address}`]));
};

/** One backup stands still in its drive; another one is made meanwhile. Both come back right. */
async function useBothDrives(server: BackupLab, first: string): Promise<void> {
  const { queue, source, folder } = server;
  await writeFile(join(source, 'random.bin'), randomBytes(40 * mib));
  const small = join(folder.path, 'small');
  await mkdir(small);
  await writeFile(join(small, 'small.bin'), randomBytes(mib));
  const slow = await queue.backup(source, { pool: 'Tapes' });
  await expect
    .poll(async () => (await where(server))[first], { timeout: 60_000, interval: 5 })
    .toMatch(/^drive/);
  expect((await queue.call('POST', `/tasks/${slow}/pause`)).status).toBe(204);
  const quick = await queue.ended(await queue.backup(small, { pool: 'Tapes' }));
  expect([quick.status, quick.error_message]).toEqual(['done', null]);
  expect((await queue.task(slow)).status).toBe('suspended');
  expect((await where(server))[first]).toMatch(/^drive/);
  await queue.good('POST', `/tasks/${slow}/continue`, { data: { task_id: slow } });
  const done = await queue.ended(slow);
  expect([done.status, done.error_message]).toEqual(['done', null]);
  const restores = await Promise.all(
    [
      { id: Number(done.repository_id), of: source },
      { id: Number(quick.repository_id), of: small },
    ].map(async ({ id, of }) => {
      const to = join(folder.path, `restored-${id}`);
      await mkdir(to);
      return { task: await queue.restore(id, to), to, of };
    }),
  );
  for (const { task, to, of } of restores) {
    const ended = await queue.ended(task);
    expect([ended.status, ended.error_message]).toEqual(['done', null]);
    expect(compareTrees(of, join(to, basename(of)))).toEqual([]);
  }
  expect(Object.values(await where(server)).every((place) => place.startsWith('storage'))).toBe(true);
}

it('two tasks use two drives and two cartridges at the same time, each what it has reserved (case 118)', async () => {
  lab = await openTapeLab({ drives: 2, cartridgeBytes: 256 * mib });
  await useBothDrives(lab, 'SR0001L8');
});

it('two drives that tell no serial number of their own are told apart by their units, and both are used', async () => {
  target = await startTapeLibrary({
    drives: 2,
    driveSerial: 'NONE',
    transfer: 'big',
    barcodes: ['A00001L8', 'A00002L8'],
    cartridgeMb: 256,
  });
  lab = await openBackupLab('two-drives');
  const { address, port } = target;
  await lab.queue.good('POST', '/scsi_portals', { media_server: hostname(), address, port });
  await addTapeLibrary(lab);
  await useBothDrives(lab, 'A00001L8');
});

it('a cartridge that a person has brought to the other drive, or to import/export, is used from there (case 115)', async () => {
  const server: TapeLab = await openTapeLab({ drives: 2 });
  lab = server;
  const { queue, library } = server;
  const first = await queue.ended(await queue.backup(server.source, { pool: 'Tapes' }));
  expect(first.status).toBe('done');
  const copy = Number(first.repository_id);
  const move = (from: number, to: number) =>
    queue.good('POST', `/tape_libraries/${library}/move`, { from, to });
  for (const address of [257, 16]) {
    await move(1000, address);
    // As it is when that was done at the library, and not by this server.
    await server.app.database.db
      .updateTable('cartridges')
      .set({ location: 'storage', element_address: 1000 })
      .where('barcode', '=', 'SR0001L8')
      .execute();
    const verified = await queue.ended(await queue.verify(copy));
    expect([verified.status, verified.error_message]).toEqual(['done', null]);
    const { element_address: now } = await server.cartridge('SR0001L8');
    if (now !== 1000) await move(Number(now), 1000);
  }
});
