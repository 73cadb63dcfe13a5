import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualLibraries } from '../../../backend/engine/index.ts';
import type { CartridgeScan, WantedCartridge } from '../../../contract/cartridges/cartridge.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import { openTapeLab, type TapeLab } from './tape-lab.ts';

const mib = 1_048_576;
let lab: TapeLab;
const start = async (...options: Parameters<typeof openTapeLab>): Promise<void> => {
  lab = await openTapeLab(...options);
};
afterEach(() => lab.close());

/** Something that needs `bytes` on tape too. */
const fill = async (bytes: number): Promise<void> => {
  await mkdir(lab.source, { recursive: true });
  await writeFile(join(lab.source, 'random.bin'), randomBytes(bytes));
};
const done = async (task: number): Promise<Copy> => {
  const ended = await lab.queue.ended(task);
  expect([ended.status, ended.error_message]).toEqual(['done', null]);
  return lab.queue.copy(Number(ended.repository_id));
};
const hashes = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found[path.slice(folder.length)] = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  }
  return found;
};
const restoresEqual = async (copy: Copy): Promise<void> => {
  const destination = join(lab.folder.path, `restored-${copy.id}`);
  await mkdir(destination);
  const ended = await lab.queue.ended(await lab.queue.restore(copy.id, destination));
  expect([ended.status, ended.error_message]).toEqual(['done', null]);
  const all = await hashes(destination);
  const own = await hashes(lab.source);
  expect(Object.values(all).sort()).toEqual(Object.values(own).sort());
};
const spoolIsEmpty = async (): Promise<void> => {
  const folder = join(lab.app.dataDir, 'tape-spool');
  await expect.poll(async () => (existsSync(folder) ? readdir(folder) : [])).toEqual([]);
};
const toTape = () => lab.queue.backup(lab.source, { pool: 'Tapes' });

describe('a backup to tape', () => {
  it('is on a cartridge that was labelled for it, is verified and restored from there', async () => {
    await start();
    const copy = await done(await toTape());
    expect(copy).toMatchObject({
      pool: 'Tapes',
      storage: null,
      path: null,
      backup_type: 'full',
      status: 'Not Verified',
    });
    expect(await lab.cartridge('SR0001L8')).toMatchObject({
      state: 'labelled',
      location: 'storage',
      element_address: 1000,
      written: copy.real_size,
      copies: 1,
    });
    expect((await lab.queue.ended(await lab.queue.verify(copy.id))).status).toBe('done');
    expect((await lab.queue.copy(copy.id)).status).toBe('Trusted');
    await restoresEqual(copy);
    await spoolIsEmpty();
  });

  it('can be read with zstd and tar alone', async () => {
    await start();
    await done(await toTape());
    const libraries = createVirtualLibraries(join(lab.app.dataDir, 'virtual-libraries'));
    await lab.app.built.stop();
    const signal = new AbortController().signal;
    const robot = await libraries.driver.openChanger('virtual://rack/0', signal);
    await robot.move(1000, 256, signal);
    const drive = await libraries.driver.openDrive('virtual://rack/1', signal);
    await drive.load(signal);
    await drive.skipFilemarks(2, signal);
    const blocks: Uint8Array[] = [];
    for (let next = await drive.read(262_144, signal); next.kind === 'block'; ) {
      blocks.push(next.data);
      next = await drive.read(262_144, signal);
    }
    await libraries.close();
    const tar = spawnSync('zstd', ['-dc'], { input: Buffer.concat(blocks), maxBuffer: 2 ** 26 });
    expect(tar.status).toBe(0);
    const target = join(lab.folder.path, 'by-hand');
    await mkdir(target);
    expect(spawnSync('tar', ['-x', '-C', target], { input: tar.stdout }).status).toBe(0);
    expect(Object.values(await hashes(target)).sort()).toEqual(
      Object.values(await hashes(lab.source)).sort(),
    );
  });

  it('goes on to as many cartridges as it takes, and comes back from all of them (case 104)', async () => {
    await start();
    await fill(15 * mib);
    const copy = await done(await toTape());
    const states = await Promise.all(['SR0001L8', 'SR0002L8', 'SR0003L8'].map(lab.cartridge));
    expect(states.map(({ state }) => state)).toEqual(['full', 'full', 'labelled']);
    expect(states.reduce((sum, { written }) => sum + written, 0)).toBe(copy.real_size);
    expect(states.map(({ copies }) => copies)).toEqual([1, 1, 1]);
    const wanted = await lab.queue.good<WantedCartridge[]>('GET', `/cartridges/of_copy/${copy.id}`);
    expect(wanted.map(({ cartridge, parts }) => [cartridge.barcode, parts])).toEqual([
      ['SR0001L8', 1],
      ['SR0002L8', 1],
      ['SR0003L8', 1],
    ]);
    expect(wanted.map(({ bytes }) => bytes)).toEqual(states.map(({ written }) => written));
    expect((await lab.superuser.send('GET', '/cartridges/of_copy/999')).status).toBe(404);
    await restoresEqual(copy);
  });

  it('over 25 cartridges warns while it grows so long, and every view of it answers (case 121)', async () => {
    const barcodes = Array.from({ length: 30 }, (_, index) => `SR${String(index + 1).padStart(4, '0')}L8`);
    await start({ barcodes, cartridgeBytes: mib });
    await fill(21 * mib);
    const task = await toTape();
    const copy = await done(task);
    const warnings = (await lab.queue.log(task, 'servers')).filter(({ level }) => level === 'warning');
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^This copy has come to its cartridge 10 .*each restore needs all of them/),
    ]);
    const wanted = await lab.queue.good<WantedCartridge[]>('GET', `/cartridges/of_copy/${copy.id}`);
    expect(wanted.length).toBeGreaterThanOrEqual(25);
    expect(new Set(wanted.map(({ cartridge }) => cartridge.barcode)).size).toBe(wanted.length);
    expect((await lab.queue.good<Copy[]>('GET', '/repository')).map(({ id }) => id)).toEqual([copy.id]);
    const views = [
      '/cartridges',
      '/tape_libraries',
      `/tape_libraries/${lab.library}/slots`,
      `/repository/${copy.id}/files`,
    ];
    for (const view of views) {
      expect([view, (await lab.superuser.send('GET', view)).status]).toEqual([view, 200]);
    }
    expect((await lab.superuser.send('POST', '/tape_libraries/tree', {})).status).toBe(200);
    expect((await lab.queue.ended(await lab.queue.verify(copy.id))).status).toBe('done');
    await restoresEqual(copy);
    expect((await lab.superuser.send('DELETE', `/repository/${copy.id}`)).status).toBe(200);
    expect((await lab.cartridge('SR0001L8')).copies).toBe(0);
  });

  it('is read back when new copies are verified, and encrypted ones go to tape as they are', async () => {
    await start();
    await lab.queue.good('PATCH', '/global_configuration', { verify_archive_after_creation: 'yes' });
    const copy = await done(await lab.queue.backup(lab.source, { pool: 'Tapes', crypto: 'aes-256-gcm' }));
    expect(copy).toMatchObject({ status: 'Trusted', crypto: 'aes-256-gcm' });
    await restoresEqual(copy);
  });

  it('waits with the barcode of what a person can bring, and goes on then', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    await fill(10 * mib);
    expect((await lab.inside(['SR0001L8'])).status).toBe(200);
    const id = await toTape();
    const waiting = await lab.queue.until(id, ({ status }) => status === 'suspended');
    expect(waiting.error_message).toContain('put SR0002L8 back into the library and synchronise it');
    // What was begun on the first cartridge is given up, so nothing of it is told to be there.
    expect(await lab.cartridge('SR0001L8')).toMatchObject({ written: 0, copies: 0 });
    expect((await lab.inside(['SR0001L8', 'SR0002L8'])).status).toBe(200);
    await lab.queue.good('POST', `/tasks/${id}/continue`, { data: { task_id: id } });
    await restoresEqual(await done(id));
    const begun = (await lab.queue.log(id, 'servers')).filter(({ message }) =>
      message.includes('written to tape from its beginning'),
    );
    expect(begun).toHaveLength(2);
  });

  it('never uses a cartridge that holds something, nor one that fails; it takes the next one', async () => {
    await start();
    await lab.faults({
      cartridges: [
        { barcode: 'SR0001L8', read_error_at: 0 },
        { barcode: 'SR0002L8', write_error_at: 9 },
      ],
    });
    await fill(3 * mib);
    const task = await toTape();
    const copy = await done(task);
    const lines = await lab.queue.good<{ message: string }[]>('GET', `/tasks/${task}/info/servers?limit=500`);
    // What the second one had taken was kept nowhere.
    expect(lines.filter(({ message }) => message.includes('the backup begins anew'))).toHaveLength(1);
    const states = await Promise.all(['SR0001L8', 'SR0002L8', 'SR0003L8'].map(lab.cartridge));
    expect(states.map(({ state, copies }) => `${state} ${copies}`)).toEqual([
      'foreign 0',
      'suspect 0',
      'labelled 1',
    ]);
    await restoresEqual(copy);
  });

  it('waits when no cartridge can be written to its end, and tells of no copy', async () => {
    await start({ barcodes: ['SR0001L8'] });
    await lab.label('SR0001L8');
    await lab.faults({ cartridges: [{ barcode: 'SR0001L8', write_error_at: 6 }] });
    await fill(3 * mib);
    const id = await toTape();
    const waiting = await lab.queue.until(id, ({ status }) => status === 'suspended');
    expect(waiting.error_message).toContain('No cartridge in the library of pool Tapes has room');
    expect(await lab.queue.copies()).toEqual([]);
    expect(await lab.cartridge('SR0001L8')).toMatchObject({ state: 'suspect', copies: 0 });
    await spoolIsEmpty();
  });

  it('and another one at the same time take turns at the drive (case 118)', async () => {
    await start({ drives: 1 });
    const ids = await Promise.all([toTape(), toTape(), toTape()]);
    const copies = await Promise.all(ids.map(done));
    expect((await lab.cartridge('SR0001L8')).copies).toBe(3);
    for (const copy of copies) await restoresEqual(copy);
  });

  it('can be killed while it waits for a drive or writes, and gives the room back', async () => {
    await start({ barcodes: ['SR0001L8'], cartridgeBytes: 512 * mib });
    await fill(60 * mib);
    const id = await toTape();
    await expect
      .poll(async () => (await lab.cartridge('SR0001L8')).location, { timeout: 30_000, interval: 5 })
      .toBe('drive');
    await lab.queue.call('POST', `/tasks/${id}/kill`);
    await lab.queue.ended(id);
    await expect
      .poll(async () => (await lab.cartridge('SR0001L8')).location, { timeout: 30_000 })
      .toBe('storage');
    expect(await lab.cartridge('SR0001L8')).toMatchObject({ copies: 0, written: 0 });
  });

  it('can be paused and goes on where it was', async () => {
    await start({ barcodes: ['SR0001L8'], cartridgeBytes: 512 * mib });
    await fill(40 * mib);
    const id = await toTape();
    await expect
      .poll(async () => (await lab.cartridge('SR0001L8')).location, { timeout: 30_000, interval: 5 })
      .toBe('drive');
    expect((await lab.queue.call('POST', `/tasks/${id}/pause`)).status).toBe(204);
    expect((await lab.queue.task(id)).status).toBe('suspended');
    expect((await lab.cartridge('SR0001L8')).written).toBe(0);
    await lab.queue.good('POST', `/tasks/${id}/continue`, { data: { task_id: id } });
    await restoresEqual(await done(id));
  });
});

describe('a copy of a file pool', () => {
  const onDisk = async () => done(await lab.queue.backup(lab.source));

  it('goes to tape as a second one, and comes back to a file pool', async () => {
    await start();
    const origin = await onDisk();
    const onTape = await done(await lab.queue.copyTo(origin.id, 'Tapes'));
    expect(onTape).toMatchObject({ copy_of: origin.id, pool: 'Tapes', path: null, status: 'Not Verified' });
    const folder = join(lab.folder.path, 'far');
    await mkdir(folder);
    await lab.queue.addPool('Far', folder);
    const back = await done(await lab.queue.copyTo(onTape.id, 'Far'));
    expect(back).toMatchObject({ copy_of: onTape.id, pool: 'Far', status: 'Trusted' });
    expect(await hashes(String(back.path))).toEqual(await hashes(String(origin.path)));
  });

  it('is moved to tape once all of it was read back, and moved back again', async () => {
    await start();
    const origin = await onDisk();
    const id = await lab.queue.moveTo(origin.id, 'Tapes');
    expect((await lab.queue.ended(id)).status).toBe('done');
    expect(await lab.queue.copy(origin.id)).toMatchObject({ pool: 'Tapes', path: null, status: 'Trusted' });
    await expect.poll(() => existsSync(String(origin.path))).toBe(false);
    expect((await lab.cartridge('SR0001L8')).copies).toBe(1);
    const log = await lab.queue.log(id, 'servers');
    expect(log.map(({ message }) => message).join('\n')).toContain('were read back from tape and are right');
    expect((await lab.queue.ended(await lab.queue.moveTo(origin.id, 'Default'))).status).toBe('done');
    const back = await lab.queue.copy(origin.id);
    expect(existsSync(String(back.path))).toBe(true);
    expect((await lab.cartridge('SR0001L8')).copies).toBe(0);
    await restoresEqual(back);
  });

  it('that is damaged does not go to tape, and stays where it is', async () => {
    await start();
    const origin = await onDisk();
    const archive = join(String(origin.path), 'archive.tar.zst');
    const name = existsSync(archive) ? archive : join(String(origin.path), 'archive.tar');
    const bytes = await readFile(name);
    bytes[100] = (bytes[100] ?? 0) ^ 0xff;
    await writeFile(name, bytes);
    const task = await lab.queue.ended(await lab.queue.moveTo(origin.id, 'Tapes'));
    expect([task.status, task.error_message]).toEqual([
      'error',
      expect.stringContaining('damaged where it is'),
    ]);
    expect((await lab.cartridge('SR0001L8')).copies).toBe(0);
    expect(existsSync(name)).toBe(true);
  });
});

describe('a copy on tape', () => {
  it('whose cartridge is away is waited for, by barcode', async () => {
    await start();
    const copy = await done(await toTape());
    await lab.inside(['SR0002L8', 'CLN001L1']);
    const id = await lab.queue.verify(copy.id);
    const waiting = await lab.queue.until(id, ({ status }) => status === 'suspended');
    expect(waiting.error_message).toContain(
      'The cartridge SR0001L8 is not in the library of pool Tapes; put it in',
    );
    expect((await lab.queue.copy(copy.id)).status).toBe('Not Verified');
    await lab.inside(['SR0001L8', 'SR0002L8', 'CLN001L1']);
    await lab.queue.good('POST', `/tasks/${id}/continue`, { data: { task_id: id } });
    expect((await lab.queue.ended(id)).status).toBe('done');
  });

  it('that cannot be read any more is suspicious after a verification, with the place (case 103)', async () => {
    await start();
    const copy = await done(await toTape());
    await lab.faults({ cartridges: [{ barcode: 'SR0001L8', read_error_at: 4 }] });
    const task = await lab.queue.ended(await lab.queue.verify(copy.id));
    expect([task.status, task.error_message]).toEqual(['error', expect.stringContaining('file 2')]);
    expect((await lab.queue.copy(copy.id)).status).toBe('Suspicious');
  });

  it('that was deleted leaves room that is used again only where the cartridge is (case 117)', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    await fill(5 * mib);
    const first = await done(await toTape());
    const second = await done(await toTape());
    await lab.queue.good('DELETE', `/repository/${first.id}`);
    await lab.queue.good('DELETE', `/repository/${second.id}`);
    const before = await Promise.all(['SR0001L8', 'SR0002L8'].map(lab.cartridge));
    expect(before.map(({ copies }) => copies)).toEqual([0, 0]);
    await lab.inside(['SR0002L8']);
    const third = await done(await toTape());
    expect(await lab.cartridge('SR0001L8')).toEqual({
      ...before[0],
      location: 'outside',
      element_address: null,
    });
    expect((await lab.cartridge('SR0002L8')).copies).toBe(1);
    await restoresEqual(third);
  });

  it('keeps its cartridges from being labelled or forgotten', async () => {
    await start();
    await done(await toTape());
    const { id } = await lab.cartridge('SR0001L8');
    const labelled = await lab.label('SR0001L8', { overwrite: true });
    expect([labelled.status, labelled.body.errors.label]).toEqual([
      400,
      expect.stringContaining('holds 1 copies'),
    ]);
    expect((await lab.superuser.send('DELETE', `/cartridges/${id}`)).status).toBe(400);
  });
});

it('a label whose process ended before the catalogue knew it written is taken over, not taken for a foreign one', async () => {
  await start();
  await fill(1000);
  await done(await toTape());
  const { db } = lab.app.database;
  const labels = async () =>
    (await db.selectFrom('cartridges').select(['barcode', 'label_uuid', 'state']).execute()).filter(
      ({ state }) => state !== 'unlabelled',
    );
  const [before] = await labels();
  // As it is between the label on the tape and the next transaction: known, but not yet written.
  await db.deleteFrom('copies').execute();
  await db.deleteFrom('tape_parts').execute();
  await db.updateTable('cartridges').set({ state: 'unlabelled', written: 0, next_file: 0 }).execute();
  await fill(2000);
  await done(await toTape());
  expect(await labels()).toEqual([before]);
});

describe('a catalogue that was lost', () => {
  it.each([
    ['SR0001L8', 'SR0002L8', 'SR0003L8'],
    ['SR0003L8', 'SR0001L8', 'SR0002L8'],
    ['SR0002L8', 'SR0003L8', 'SR0001L8'],
  ])('comes back from the tapes, scanned in the order %s, %s, %s (case 123)', async (...order) => {
    await start();
    await fill(15 * mib);
    const large = await done(await toTape());
    await fill(1000);
    const small = await done(await toTape());
    const { db } = lab.app.database;
    await db.deleteFrom('copies').execute();
    await db.deleteFrom('tape_parts').execute();
    await db
      .updateTable('cartridges')
      .set({ label_uuid: null, state: 'unlabelled', written: 0, next_file: 0 })
      .execute();
    const found: number[] = [];
    for (const [index, barcode] of order.entries()) {
      const { id } = await lab.cartridge(barcode);
      const scan = await lab.queue.good<CartridgeScan>('POST', `/cartridges/${id}/scan`);
      expect(scan.problems).toEqual([]);
      found.push(...scan.copies_found);
      expect(scan.copies_incomplete).toBe(index === 2 ? 0 : 1);
      if (index === 2) expect(scan.cartridges_missing).toEqual([]);
    }
    const copies = await Promise.all(found.map((id) => lab.queue.copy(id)));
    for (const lost of [large, small]) {
      expect(copies).toContainEqual(
        expect.objectContaining({
          resource: lost.resource,
          size: lost.size,
          real_size: lost.real_size,
          created: lost.created,
          client_id: lost.client_id,
          store_until: null,
          status: 'Not Verified',
        }),
      );
    }
    // The last source is that of the small copy.
    const again = copies.find(({ real_size: size }) => size === small.real_size);
    if (again === undefined) throw new Error('the small copy is not there');
    await restoresEqual(again);
    // And the next backup goes behind what was found.
    await restoresEqual(await done(await toTape()));
  });

  it('does not bring back what was deleted while the catalogue knew the tape', async () => {
    await start();
    const copy = await done(await toTape());
    await lab.queue.good('DELETE', `/repository/${copy.id}`);
    const { id } = await lab.cartridge('SR0001L8');
    const scan = await lab.queue.good<CartridgeScan>('POST', `/cartridges/${id}/scan`);
    expect([scan.parts.length, scan.copies_found]).toEqual([1, []]);
    expect(await lab.queue.copies()).toEqual([]);
  });
});
