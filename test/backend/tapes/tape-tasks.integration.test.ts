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

  it('tells listeners of each move of the robot, so that a board follows without being asked', async () => {
    await start();
    await done(await toTape());
    const { db } = lab.app.database;
    const last = await db.selectFrom('events').select('id').orderBy('id', 'desc').executeTakeFirst();
    await done(await toTape());
    await expect
      .poll(async () => {
        const told = await db
          .selectFrom('events')
          .select(['kind', 'action', 'object_id'])
          .where('id', '>', last?.id ?? 0)
          .where('kind', '=', 'library')
          .execute();
        return told;
      })
      // To the drive, and back to its slot.
      .toEqual(Array(2).fill({ kind: 'library', action: 'changed', object_id: lab.library }));
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
    for (const { media_set } of states) expect(media_set).toEqual(['SR0001L8', 'SR0002L8', 'SR0003L8']);
    await restoresEqual(copy);
    // What the next one will take is known from this one, though it is made while it is written.
    const next = await toTape();
    await lab.queue.until(next, ({ status }) => status === 'suspended');
    const told = (await lab.queue.log(next, 'servers')).map(({ message }) => message).join('\n');
    expect(told).toMatch(/will take about \d cartridges.* have \d more at hand.* that of the copy before/);
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

  it('names a write-protected cartridge, where it is and what to do, and takes the next one', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    await lab.faults({ cartridges: [{ barcode: 'SR0001L8', write_protected: true }] });
    const id = await toTape();
    const copy = await done(id);
    expect(await lab.cartridge('SR0001L8')).toMatchObject({ write_protected: true, state: 'unlabelled' });
    const log = (await lab.queue.log(id, 'servers')).map(({ message }) => message).join('\n');
    expect(log).toContain(
      'The cartridge SR0001L8 (a storage slot, element 1000) is write-protected and is not used',
    );
    await restoresEqual(copy);
    // Known as protected it is no longer loaded first, though it is the older one.
    const second = await toTape();
    await done(second);
    expect((await lab.queue.log(second, 'servers')).map(({ message }) => message).join()).not.toContain(
      'SR0001L8',
    );
  });

  it('whose cartridge may be the one that the robot cannot read says so, and calls its place unknown, not outside (case 120)', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    const copy = await done(await toTape());
    await lab.faults({ unreadable_barcodes: ['SR0001L8'] });
    const id = await lab.queue.verify(copy.id);
    const waiting = await lab.queue.until(id, ({ status }) => ['suspended', 'error'].includes(status));
    expect([waiting.status, waiting.error_message]).toEqual([
      'suspended',
      expect.stringContaining('cannot read the barcode in storage slot 1: look there'),
    ]);
    expect(await lab.cartridge('SR0001L8')).toMatchObject({ location: 'unknown', element_address: null });
    await lab.faults(null);
    expect((await lab.superuser.send('POST', `/tape_libraries/${lab.library}/sync`)).status).toBe(200);
    expect(await lab.cartridge('SR0001L8')).toMatchObject({ location: 'storage', element_address: 1000 });
    await lab.queue.good('POST', `/tasks/${id}/continue`, { data: { task_id: id } });
    expect((await lab.queue.ended(id)).status).toBe('done');
  });

  it('whose cartridge is pulled out of the drive in the middle goes on with the next, and says which one to bring back', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    await fill(3 * mib);
    const copy = await done(await toTape());
    const whole = await lab.cartridge('SR0001L8');
    await lab.faults({ cartridges: [{ barcode: 'SR0001L8', pulled_at: 24 }] });
    const id = await toTape();
    const second = await done(id);
    const log = (await lab.queue.log(id, 'servers')).map(({ message }) => message).join('\n');
    expect(log).toMatch(
      /The cartridge SR0001L8 is not used: The cartridge SR0001L8 was taken out of virtual:\/\/rack\/1 while it was used\. Put it back/,
    );
    expect(await lab.cartridge('SR0001L8')).toEqual({ ...whole, location: 'outside', element_address: null });
    expect(await lab.cartridge('SR0002L8')).toMatchObject({ copies: 1, location: 'storage' });
    await restoresEqual(second);
    await lab.inside(['SR0001L8', 'SR0002L8']);
    await restoresEqual(copy);
  });

  it('waits with a robot that brings nothing, names what it asked for, and marks no cartridge for it', async () => {
    const barcodes = ['SR0001L8', 'SR0002L8', 'SR0003L8', 'SR0004L8'];
    await start({ barcodes });
    await lab.faults({ robot: 'stuck' });
    const id = await toTape();
    const waiting = await lab.queue.until(id, ({ status }) => ['suspended', 'error'].includes(status));
    expect([waiting.status, waiting.error_message]).toEqual([
      'suspended',
      'The robot could not bring: SR0001L8 (a storage slot, element 1000), SR0002L8 (a storage slot, element 1001), SR0003L8 (a storage slot, element 1002); look at the robot and at these places, then synchronise.',
    ]);
    const states = await Promise.all(barcodes.map(lab.cartridge));
    expect(states.map(({ state, location }) => `${state} ${location}`)).toEqual(
      Array(4).fill('unlabelled storage'),
    );
    await lab.faults(null);
    expect((await lab.superuser.send('POST', `/tape_libraries/${lab.library}/sync`)).status).toBe(200);
    await lab.queue.good('POST', `/tasks/${id}/continue`, { data: { task_id: id } });
    await restoresEqual(await done(id));
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

  it('whose cartridge is pulled out of the drive while it is read is waited for, and comes back whole', async () => {
    await start();
    await fill(3 * mib);
    const copy = await done(await toTape());
    await lab.faults({ cartridges: [{ barcode: 'SR0001L8', pulled_at: 8 }] });
    const to = join(lab.folder.path, 'pulled');
    await mkdir(to);
    const id = await lab.queue.restore(copy.id, to);
    const waiting = await lab.queue.until(id, ({ status }) => ['suspended', 'error'].includes(status));
    expect([waiting.status, waiting.error_message]).toEqual([
      'suspended',
      expect.stringContaining('SR0001L8 was taken out of virtual://rack/1 while it was used. Put it back'),
    ]);
    expect((await lab.queue.copy(copy.id)).status).toBe('Not Verified');
    await lab.inside(['SR0001L8', 'SR0002L8', 'SR0003L8', 'CLN001L1']);
    await lab.queue.good('POST', `/tasks/${id}/continue`, { data: { task_id: id } });
    const ended = await lab.queue.ended(id);
    expect([ended.status, ended.error_message]).toEqual(['done', null]);
    expect(Object.values(await hashes(to)).sort()).toEqual(Object.values(await hashes(lab.source)).sort());
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

  it('leaves a cartridge alone whose last part cannot be read to its end', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    await fill(1000);
    await done(await toTape());
    const lost = await done(await toTape());
    const { db } = lab.app.database;
    const before = await db
      .selectFrom('cartridges')
      .select(['id', 'next_file'])
      .where('barcode', '=', 'SR0001L8')
      .executeTakeFirstOrThrow();
    // The trailer of the last part: each file before it is one block and its mark.
    const trailer = 2 * (before.next_file - 1);
    await lab.faults({ cartridges: [{ barcode: 'SR0001L8', read_error_at: trailer }] });
    const scan = () => lab.queue.good<CartridgeScan>('POST', `/cartridges/${before.id}/scan`);
    const whileKnown = await scan();
    expect([whileKnown.state, whileKnown.parts.length]).toEqual(['suspect', 1]);
    const now = await db.selectFrom('cartridges').select('next_file').where('id', '=', before.id).execute();
    expect(now).toEqual([{ next_file: before.next_file }]);
    await db.deleteFrom('copies').execute();
    await db.deleteFrom('tape_parts').execute();
    await db
      .updateTable('cartridges')
      .set({ label_uuid: null, state: 'unlabelled', written: 0, next_file: 0 })
      .where('id', '=', before.id)
      .execute();
    const after = await scan();
    expect([after.state, after.copies_found.length]).toEqual(['suspect', 1]);
    expect(after.problems.join()).toContain('cannot be read');
    // The next backup goes elsewhere, so that what is there can be read once the drive reads it again.
    await done(await toTape());
    expect((await lab.cartridge('SR0002L8')).copies).toBe(1);
    await lab.faults(null);
    const again = await scan();
    expect([again.state, again.problems]).toEqual(['labelled', []]);
    const [found] = await Promise.all(again.copies_found.map((id) => lab.queue.copy(id)));
    expect(found).toMatchObject({ real_size: lost.real_size, created: lost.created });
  });

  it('does not bring back a copy that was given up, though all of it is on the tape; its room is used again', async () => {
    await start();
    await lab.queue.good('PATCH', '/global_configuration', { verify_archive_after_creation: 'yes' });
    await fill(3 * mib);
    // It is written whole, and cannot be read back.
    await lab.faults({ cartridges: [{ barcode: 'SR0001L8', read_error_at: 10 }] });
    const failed = await lab.queue.ended(await toTape());
    expect(failed.status).toBe('error');
    await lab.faults(null);
    const scan = async () => {
      const { id } = await lab.cartridge('SR0001L8');
      return lab.queue.good<CartridgeScan>('POST', `/cartridges/${id}/scan`);
    };
    const found = await scan();
    expect(found.parts).toEqual([expect.objectContaining({ number: 1, is_last: true })]);
    expect([found.copies_found, found.copies_incomplete, found.problems]).toEqual([[], 0, []]);
    expect(await lab.queue.copies()).toEqual([]);
    expect(await lab.cartridge('SR0001L8')).toMatchObject({ copies: 0, written: 0 });
    const copy = await done(await toTape());
    expect((await lab.cartridge('SR0001L8')).written).toBe(copy.real_size);
    expect((await scan()).parts).toHaveLength(1);
    await restoresEqual(copy);
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
