import { randomBytes } from 'node:crypto';
import { cp, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Cartridge, CartridgeScan } from '../../../contract/cartridges/cartridge.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import { startTapeLibrary, type TapeLibraryLab } from '../../lab/tape/tape-library.ts';
import { type BackupLab, openBackupLab } from '../../support/backup-lab.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { addTapeLibrary, openTapeLab } from './tape-lab.ts';

const mib = 1_048_576;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
const kept = <L extends BackupLab>(lab: L): L => {
  closing.push(lab.close);
  return lab;
};

const cartridges = ({ queue }: BackupLab) => queue.good<Cartridge[]>('GET', '/cartridges');
const done = async ({ queue }: BackupLab, task: number): Promise<Copy> => {
  const ended = await queue.ended(task);
  expect([ended.status, ended.error_message]).toEqual(['done', null]);
  return queue.copy(Number(ended.repository_id));
};
/** Two copies: one over several cartridges, and a small one behind its end. */
const writeTwo = async (lab: BackupLab, large: number): Promise<readonly Copy[]> => {
  await writeFile(join(lab.source, 'random.bin'), randomBytes(large));
  const first = await done(lab, await lab.queue.backup(lab.source, { pool: 'Tapes' }));
  const small = join(lab.folder.path, 'small');
  await mkdir(small);
  await writeFile(join(small, 'small.bin'), randomBytes(50_000));
  return [first, await done(lab, await lab.queue.backup(small, { pool: 'Tapes' }))];
};
/** Of a server that has never seen these cartridges: what it reads of them, in the order told. */
const scanAll = async (fresh: BackupLab, order: readonly string[]): Promise<readonly Copy[]> => {
  const found: number[] = [];
  for (const barcode of order) {
    const one = (await cartridges(fresh)).find((cartridge) => cartridge.barcode === barcode);
    const scan = await fresh.queue.good<CartridgeScan>('POST', `/cartridges/${one?.id}/scan`);
    expect(scan.problems).toEqual([]);
    found.push(...scan.copies_found);
  }
  return Promise.all(found.map((id) => fresh.queue.copy(id)));
};
const restoresLike = async (
  fresh: BackupLab,
  copies: readonly Copy[],
  sources: Readonly<Record<string, string>>,
): Promise<void> => {
  expect(copies.map(({ resource }) => resource).sort()).toEqual(Object.keys(sources).sort());
  for (const copy of copies) {
    const to = join(fresh.folder.path, `restored-${copy.id}`);
    await mkdir(to);
    const ended = await fresh.queue.ended(await fresh.queue.restore(copy.id, to));
    expect([ended.status, ended.error_message]).toEqual(['done', null]);
    const name = String(copy.resource).split('/').at(-1) ?? '';
    expect(compareTrees(sources[String(copy.resource)] ?? '', join(to, name))).toEqual([]);
  }
};
/** What a server says that finds labels which it has not written: nothing of them is written over. */
const refusesForeign = async (fresh: BackupLab, barcodes: readonly string[]): Promise<void> => {
  const task = await fresh.queue.backup(fresh.source, { pool: 'Tapes' });
  const waiting = await fresh.queue.until(task, ({ status }) =>
    ['suspended', 'error', 'done'].includes(status),
  );
  expect(waiting.status).toBe('suspended');
  const log = (await fresh.queue.log(task, 'servers')).map(({ message }) => message).join('\n');
  for (const barcode of barcodes) {
    expect(log).toMatch(
      new RegExp(
        `The cartridge ${barcode} has a label of the pool Tapes that was not written here .*; it is not written\\. Read it`,
      ),
    );
    const one = (await cartridges(fresh)).find((cartridge) => cartridge.barcode === barcode);
    expect(one).toMatchObject({ state: 'foreign', copies: 0, written: 0 });
  }
  await fresh.queue.good('POST', `/tasks/${task}/kill`);
  await fresh.queue.ended(task);
};

describe('a server that is new, with none of the old data directory but the tapes', () => {
  it.each([
    ['SR0001L8', 'SR0002L8', 'SR0003L8'],
    ['SR0003L8', 'SR0002L8', 'SR0001L8'],
  ])(
    'writes on none of them, and restores all byte for byte once they were read in the order %s, %s, %s (case 123)',
    async (...order) => {
      const old = kept(await openTapeLab());
      const [large, small] = await writeTwo(old, 15 * mib);
      await old.app.built.stop();
      const dataDir = await makeTempDir('new-server');
      closing.push(dataDir.remove);
      // The library with its cartridges is what survives; the catalogue does not.
      await cp(join(old.app.dataDir, 'virtual-libraries'), join(dataDir.path, 'virtual-libraries'), {
        recursive: true,
      });
      const fresh = kept(await openBackupLab('new-server', { dataDir: dataDir.path }));
      expect(await fresh.queue.copies()).toEqual([]);
      await addTapeLibrary(fresh);
      await refusesForeign(fresh, ['SR0001L8', 'SR0002L8', 'SR0003L8']);
      const copies = await scanAll(fresh, order);
      await restoresLike(fresh, copies, {
        [String(large?.resource)]: old.source,
        [String(small?.resource)]: join(old.folder.path, 'small'),
      });
    },
  );

  it('does so over iSCSI too, with the cartridges read last to first (case 123)', async () => {
    const barcodes = ['A00001L8', 'A00002L8', 'A00003L8'];
    const target: TapeLibraryLab = await startTapeLibrary({
      drives: 1,
      transfer: 'big',
      barcodes,
      cartridgeMb: 8,
    });
    closing.push(target.stop);
    const at = { media_server: hostname(), address: target.address, port: target.port };
    const old = kept(await openBackupLab('old-server'));
    await old.queue.good('POST', '/scsi_portals', at);
    await addTapeLibrary(old);
    const [large, small] = await writeTwo(old, 20 * mib);
    await old.app.built.stop();
    const fresh = kept(await openBackupLab('new-server'));
    await fresh.queue.good('POST', '/scsi_portals', at);
    await addTapeLibrary(fresh);
    await refusesForeign(fresh, barcodes);
    const copies = await scanAll(fresh, [...barcodes].reverse());
    await restoresLike(fresh, copies, {
      [String(large?.resource)]: old.source,
      [String(small?.resource)]: join(old.folder.path, 'small'),
    });
  });
});

describe('one byte that has changed on the tape itself', () => {
  const changeByte = async (file: string, near: Buffer): Promise<void> => {
    const at = (await readFile(file)).indexOf(near);
    if (at === -1) throw new Error('the bytes of the source are not on the tape as they are');
    const handle = await open(file, 'r+');
    await handle.write(Buffer.from([(near[0] ?? 0) ^ 0x01]), 0, 1, at);
    await handle.close();
  };
  /** What is told by a verification; another copy on the same cartridge stays right. */
  const verifyBoth = async (lab: BackupLab, file: string): Promise<string> => {
    const random = randomBytes(3 * mib);
    await writeFile(join(lab.source, 'random.bin'), random);
    const hit = await done(lab, await lab.queue.backup(lab.source, { pool: 'Tapes' }));
    await writeFile(join(lab.source, 'random.bin'), randomBytes(3 * mib));
    const other = await done(lab, await lab.queue.backup(lab.source, { pool: 'Tapes' }));
    await changeByte(file, random.subarray(1_500_000, 1_500_064));
    const verified = await lab.queue.ended(await lab.queue.verify(hit.id));
    expect(verified.status).toBe('error');
    expect((await lab.queue.copy(hit.id)).status).toBe('Suspicious');
    const right = await lab.queue.ended(await lab.queue.verify(other.id));
    expect([right.status, right.error_message]).toEqual(['done', null]);
    return String(verified.error_message);
  };

  it('of an iSCSI library, which gives it as good, is found by the hash: cartridge, part and file are named', async () => {
    const target = await startTapeLibrary({ drives: 1, transfer: 'big', barcodes: ['A00001L8'] });
    closing.push(target.stop);
    const lab = kept(await openBackupLab('flip'));
    await lab.queue.good('POST', '/scsi_portals', {
      media_server: hostname(),
      address: target.address,
      port: target.port,
    });
    await addTapeLibrary(lab);
    const told = await verifyBoth(lab, join(target.mediaFolder, 'A00001L8'));
    expect(told).toMatch(/A00001L8/);
    expect(told).toMatch(/part 1/i);
  });

  it('of a virtual library, which calls it a medium error, is named with its block', async () => {
    const lab = kept(await openTapeLab({ cartridgeBytes: 64 * mib }));
    const told = await verifyBoth(
      lab,
      join(lab.app.dataDir, 'virtual-libraries/rack/cartridges/SR0001L8.tape'),
    );
    expect(told).toMatch(/SR0001L8/);
    expect(told).toMatch(/block \d+/);
  });
});
