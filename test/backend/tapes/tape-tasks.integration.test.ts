import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createVirtualLibraries } from '../../../backend/engine/index.ts';
import type { WantedCartridge } from '../../../contract/cartridges/cartridge.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import { mib, tapeTasks } from './tape-task-lab.ts';

const tapes = tapeTasks();
const { start, fill, done, hashes, restoresEqual, spoolIsEmpty, toTape } = tapes;

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
    expect(await tapes.lab.cartridge('SR0001L8')).toMatchObject({
      state: 'labelled',
      location: 'storage',
      element_address: 1000,
      written: copy.real_size,
      copies: 1,
    });
    expect((await tapes.lab.queue.ended(await tapes.lab.queue.verify(copy.id))).status).toBe('done');
    expect((await tapes.lab.queue.copy(copy.id)).status).toBe('Trusted');
    await restoresEqual(copy);
    await spoolIsEmpty();
  });

  it('tells listeners of each move of the robot, so that a board follows without being asked', async () => {
    await start();
    await done(await toTape());
    const { db } = tapes.lab.app.database;
    const before = await tapes.lab.eventAfterAll();
    await done(await toTape());
    await expect
      .poll(async () => {
        const told = await db
          .selectFrom('events')
          .select(['kind', 'action', 'object_id'])
          .where('id', '>', before)
          .where('kind', '=', 'library')
          .execute();
        return told;
      })
      // To the drive, and back to its slot.
      .toEqual(Array(2).fill({ kind: 'library', action: 'changed', object_id: tapes.lab.library }));
  });

  it('can be read with zstd and tar alone', async () => {
    await start();
    await done(await toTape());
    const libraries = createVirtualLibraries(join(tapes.lab.app.dataDir, 'virtual-libraries'));
    await tapes.lab.app.built.stop();
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
    const target = join(tapes.lab.folder.path, 'by-hand');
    await mkdir(target);
    expect(spawnSync('tar', ['-x', '-C', target], { input: tar.stdout }).status).toBe(0);
    expect(Object.values(await hashes(target)).sort()).toEqual(
      Object.values(await hashes(tapes.lab.source)).sort(),
    );
  });

  it('goes on to as many cartridges as it takes, and comes back from all of them (case 104)', async () => {
    await start();
    await fill(15 * mib);
    const copy = await done(await toTape());
    const states = await Promise.all(['SR0001L8', 'SR0002L8', 'SR0003L8'].map(tapes.lab.cartridge));
    expect(states.map(({ state }) => state)).toEqual(['full', 'full', 'labelled']);
    expect(states.reduce((sum, { written }) => sum + written, 0)).toBe(copy.real_size);
    expect(states.map(({ copies }) => copies)).toEqual([1, 1, 1]);
    const wanted = await tapes.lab.queue.good<WantedCartridge[]>('GET', `/cartridges/of_copy/${copy.id}`);
    expect(wanted.map(({ cartridge, parts }) => [cartridge.barcode, parts])).toEqual([
      ['SR0001L8', 1],
      ['SR0002L8', 1],
      ['SR0003L8', 1],
    ]);
    expect(wanted.map(({ bytes }) => bytes)).toEqual(states.map(({ written }) => written));
    expect((await tapes.lab.superuser.send('GET', '/cartridges/of_copy/999')).status).toBe(404);
    for (const { media_set } of states) expect(media_set).toEqual(['SR0001L8', 'SR0002L8', 'SR0003L8']);
    await restoresEqual(copy);
    // What the next one will take is known from this one, though it is made while it is written.
    const next = await toTape();
    await tapes.lab.queue.until(next, ({ status }) => status === 'suspended');
    const told = (await tapes.lab.queue.log(next, 'servers')).map(({ message }) => message).join('\n');
    expect(told).toMatch(/will take about \d cartridges.* have \d more at hand.* that of the copy before/);
  });

  it('over 25 cartridges warns while it grows so long, and every view of it answers (case 121)', async () => {
    const barcodes = Array.from({ length: 30 }, (_, index) => `SR${String(index + 1).padStart(4, '0')}L8`);
    await start({ barcodes, cartridgeBytes: mib });
    await fill(21 * mib);
    const task = await toTape();
    const copy = await done(task);
    const warnings = (await tapes.lab.queue.log(task, 'servers')).filter(({ level }) => level === 'warning');
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^This copy has come to its cartridge 10 .*each restore needs all of them/),
    ]);
    const wanted = await tapes.lab.queue.good<WantedCartridge[]>('GET', `/cartridges/of_copy/${copy.id}`);
    expect(wanted.length).toBeGreaterThanOrEqual(25);
    expect(new Set(wanted.map(({ cartridge }) => cartridge.barcode)).size).toBe(wanted.length);
    expect((await tapes.lab.queue.good<Copy[]>('GET', '/repository')).map(({ id }) => id)).toEqual([copy.id]);
    const views = [
      '/cartridges',
      '/tape_libraries',
      `/tape_libraries/${tapes.lab.library}/slots`,
      `/repository/${copy.id}/files`,
    ];
    for (const view of views) {
      expect([view, (await tapes.lab.superuser.send('GET', view)).status]).toEqual([view, 200]);
    }
    expect((await tapes.lab.superuser.send('POST', '/tape_libraries/tree', {})).status).toBe(200);
    expect((await tapes.lab.queue.ended(await tapes.lab.queue.verify(copy.id))).status).toBe('done');
    await restoresEqual(copy);
    expect((await tapes.lab.superuser.send('DELETE', `/repository/${copy.id}`)).status).toBe(200);
    expect((await tapes.lab.cartridge('SR0001L8')).copies).toBe(0);
  });

  it('is read back when new copies are verified, and encrypted ones go to tape as they are', async () => {
    await start();
    await tapes.lab.queue.good('PATCH', '/global_configuration', { verify_archive_after_creation: 'yes' });
    const copy = await done(
      await tapes.lab.queue.backup(tapes.lab.source, { pool: 'Tapes', crypto: 'aes-256-gcm' }),
    );
    expect(copy).toMatchObject({ status: 'Trusted', crypto: 'aes-256-gcm' });
    await restoresEqual(copy);
  });

  it('waits with the barcode of what a person can bring, and goes on then', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    await fill(10 * mib);
    expect((await tapes.lab.inside(['SR0001L8'])).status).toBe(200);
    const id = await toTape();
    const waiting = await tapes.lab.queue.until(id, ({ status }) => status === 'suspended');
    expect(waiting.error_message).toContain('put SR0002L8 back into the library and synchronise it');
    // What was begun on the first cartridge is given up, so nothing of it is told to be there.
    expect(await tapes.lab.cartridge('SR0001L8')).toMatchObject({ written: 0, copies: 0 });
    expect((await tapes.lab.inside(['SR0001L8', 'SR0002L8'])).status).toBe(200);
    await tapes.lab.queue.good('POST', `/tasks/${id}/continue`, { data: { task_id: id } });
    await restoresEqual(await done(id));
    const begun = (await tapes.lab.queue.log(id, 'servers')).filter(({ message }) =>
      message.includes('written to tape from its beginning'),
    );
    expect(begun).toHaveLength(2);
  });

  it('never uses a cartridge that holds something, nor one that fails; it takes the next one', async () => {
    await start();
    await tapes.lab.faults({
      cartridges: [
        { barcode: 'SR0001L8', read_error_at: 0 },
        // Behind the first 2 MiB of data, which are kept until then.
        { barcode: 'SR0002L8', write_error_at: 14 },
      ],
    });
    await fill(3 * mib);
    const task = await toTape();
    const copy = await done(task);
    const lines = await tapes.lab.queue.good<{ message: string }[]>(
      'GET',
      `/tasks/${task}/info/servers?limit=500`,
    );
    // What the second one had taken was kept nowhere.
    expect(lines.filter(({ message }) => message.includes('the backup begins anew'))).toHaveLength(1);
    const states = await Promise.all(['SR0001L8', 'SR0002L8', 'SR0003L8'].map(tapes.lab.cartridge));
    expect(states.map(({ state, copies }) => `${state} ${copies}`)).toEqual([
      'foreign 0',
      'suspect 0',
      'labelled 1',
    ]);
    await restoresEqual(copy);
  });

  it('names a write-protected cartridge, where it is and what to do, and takes the next one', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    await tapes.lab.faults({ cartridges: [{ barcode: 'SR0001L8', write_protected: true }] });
    const id = await toTape();
    const copy = await done(id);
    expect(await tapes.lab.cartridge('SR0001L8')).toMatchObject({
      write_protected: true,
      state: 'unlabelled',
    });
    const log = (await tapes.lab.queue.log(id, 'servers')).map(({ message }) => message).join('\n');
    expect(log).toContain(
      'The cartridge SR0001L8 (a storage slot, element 1000) is write-protected and is not used',
    );
    await restoresEqual(copy);
    // Known as protected it is no longer loaded first, though it is the older one.
    const second = await toTape();
    await done(second);
    expect((await tapes.lab.queue.log(second, 'servers')).map(({ message }) => message).join()).not.toContain(
      'SR0001L8',
    );
  });

  it('whose cartridge may be the one that the robot cannot read says so, and calls its place unknown, not outside (case 120)', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    const copy = await done(await toTape());
    await tapes.lab.faults({ unreadable_barcodes: ['SR0001L8'] });
    const id = await tapes.lab.queue.verify(copy.id);
    const waiting = await tapes.lab.queue.until(id, ({ status }) => ['suspended', 'error'].includes(status));
    expect([waiting.status, waiting.error_message]).toEqual([
      'suspended',
      expect.stringContaining('cannot read the barcode in storage slot 1: look there'),
    ]);
    expect(await tapes.lab.cartridge('SR0001L8')).toMatchObject({
      location: 'unknown',
      element_address: null,
    });
    await tapes.lab.faults(null);
    expect((await tapes.lab.superuser.send('POST', `/tape_libraries/${tapes.lab.library}/sync`)).status).toBe(
      200,
    );
    expect(await tapes.lab.cartridge('SR0001L8')).toMatchObject({
      location: 'storage',
      element_address: 1000,
    });
    await tapes.lab.queue.good('POST', `/tasks/${id}/continue`, { data: { task_id: id } });
    expect((await tapes.lab.queue.ended(id)).status).toBe('done');
  });

  it('whose cartridge is pulled out of the drive in the middle goes on with the next, and says which one to bring back', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    await fill(3 * mib);
    const copy = await done(await toTape());
    const whole = await tapes.lab.cartridge('SR0001L8');
    await tapes.lab.faults({ cartridges: [{ barcode: 'SR0001L8', pulled_at: 24 }] });
    const id = await toTape();
    const second = await done(id);
    const log = (await tapes.lab.queue.log(id, 'servers')).map(({ message }) => message).join('\n');
    expect(log).toMatch(
      /The cartridge SR0001L8 is not used: The cartridge SR0001L8 was taken out of virtual:\/\/rack\/1 while it was used\. Put it back/,
    );
    expect(await tapes.lab.cartridge('SR0001L8')).toEqual({
      ...whole,
      location: 'outside',
      element_address: null,
    });
    expect(await tapes.lab.cartridge('SR0002L8')).toMatchObject({ copies: 1, location: 'storage' });
    await restoresEqual(second);
    await tapes.lab.inside(['SR0001L8', 'SR0002L8']);
    await restoresEqual(copy);
  });

  it('waits with a robot that brings nothing, names what it asked for, and marks no cartridge for it', async () => {
    const barcodes = ['SR0001L8', 'SR0002L8', 'SR0003L8', 'SR0004L8'];
    await start({ barcodes });
    await tapes.lab.faults({ robot: 'stuck' });
    const id = await toTape();
    const waiting = await tapes.lab.queue.until(id, ({ status }) => ['suspended', 'error'].includes(status));
    expect([waiting.status, waiting.error_message]).toEqual([
      'suspended',
      'The robot could not bring: SR0001L8 (a storage slot, element 1000), SR0002L8 (a storage slot, element 1001), SR0003L8 (a storage slot, element 1002); look at the robot and at these places, then synchronise.',
    ]);
    const states = await Promise.all(barcodes.map(tapes.lab.cartridge));
    expect(states.map(({ state, location }) => `${state} ${location}`)).toEqual(
      Array(4).fill('unlabelled storage'),
    );
    await tapes.lab.faults(null);
    expect((await tapes.lab.superuser.send('POST', `/tape_libraries/${tapes.lab.library}/sync`)).status).toBe(
      200,
    );
    await tapes.lab.queue.good('POST', `/tasks/${id}/continue`, { data: { task_id: id } });
    await restoresEqual(await done(id));
  });

  it('waits when no cartridge can be written to its end, and tells of no copy', async () => {
    await start({ barcodes: ['SR0001L8'] });
    await tapes.lab.label('SR0001L8');
    await tapes.lab.faults({ cartridges: [{ barcode: 'SR0001L8', write_error_at: 6 }] });
    await fill(3 * mib);
    const id = await toTape();
    const waiting = await tapes.lab.queue.until(id, ({ status }) => status === 'suspended');
    expect(waiting.error_message).toContain('No cartridge in the library of pool Tapes has room');
    expect(await tapes.lab.queue.copies()).toEqual([]);
    expect(await tapes.lab.cartridge('SR0001L8')).toMatchObject({ state: 'suspect', copies: 0 });
    await spoolIsEmpty();
  });

  it('and another one at the same time take turns at the drive (case 118)', async () => {
    await start({ drives: 1 });
    const ids = await Promise.all([toTape(), toTape(), toTape()]);
    const copies = await Promise.all(ids.map(done));
    expect((await tapes.lab.cartridge('SR0001L8')).copies).toBe(3);
    for (const copy of copies) await restoresEqual(copy);
  });

  it('can be killed while it waits for a drive or writes, and gives the room back', async () => {
    await start({ barcodes: ['SR0001L8'], cartridgeBytes: 512 * mib });
    await fill(60 * mib);
    const id = await toTape();
    await expect
      .poll(async () => (await tapes.lab.cartridge('SR0001L8')).location, { timeout: 30_000, interval: 5 })
      .toBe('drive');
    await tapes.lab.queue.call('POST', `/tasks/${id}/kill`);
    await tapes.lab.queue.ended(id);
    await expect
      .poll(async () => (await tapes.lab.cartridge('SR0001L8')).location, { timeout: 30_000 })
      .toBe('storage');
    expect(await tapes.lab.cartridge('SR0001L8')).toMatchObject({ copies: 0, written: 0 });
  });

  it('can be paused and goes on where it was', async () => {
    await start({ barcodes: ['SR0001L8'], cartridgeBytes: 512 * mib });
    await fill(40 * mib);
    const id = await toTape();
    await expect
      .poll(async () => (await tapes.lab.cartridge('SR0001L8')).location, { timeout: 30_000, interval: 5 })
      .toBe('drive');
    expect((await tapes.lab.queue.call('POST', `/tasks/${id}/pause`)).status).toBe(204);
    expect((await tapes.lab.queue.task(id)).status).toBe('suspended');
    expect((await tapes.lab.cartridge('SR0001L8')).written).toBe(0);
    await tapes.lab.queue.good('POST', `/tasks/${id}/continue`, { data: { task_id: id } });
    await restoresEqual(await done(id));
  });
});
