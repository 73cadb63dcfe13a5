import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mib, tapeTasks } from './tape-task-lab.ts';

const tapes = tapeTasks();
const { start, fill, done, hashes, restoresEqual, toTape } = tapes;

describe('a copy of a file pool', () => {
  const onDisk = async () => done(await tapes.lab.queue.backup(tapes.lab.source));

  it('goes to tape as a second one, and comes back to a file pool', async () => {
    await start();
    const origin = await onDisk();
    const onTape = await done(await tapes.lab.queue.copyTo(origin.id, 'Tapes'));
    expect(onTape).toMatchObject({ copy_of: origin.id, pool: 'Tapes', path: null, status: 'Not Verified' });
    const folder = join(tapes.lab.folder.path, 'far');
    await mkdir(folder);
    await tapes.lab.queue.addPool('Far', folder);
    const back = await done(await tapes.lab.queue.copyTo(onTape.id, 'Far'));
    expect(back).toMatchObject({ copy_of: onTape.id, pool: 'Far', status: 'Trusted' });
    expect(await hashes(String(back.path))).toEqual(await hashes(String(origin.path)));
  });

  it('is moved to tape once all of it was read back, and moved back again', async () => {
    await start();
    const origin = await onDisk();
    const id = await tapes.lab.queue.moveTo(origin.id, 'Tapes');
    expect((await tapes.lab.queue.ended(id)).status).toBe('done');
    expect(await tapes.lab.queue.copy(origin.id)).toMatchObject({
      pool: 'Tapes',
      path: null,
      status: 'Trusted',
    });
    await expect.poll(() => existsSync(String(origin.path))).toBe(false);
    expect((await tapes.lab.cartridge('SR0001L8')).copies).toBe(1);
    const log = await tapes.lab.queue.log(id, 'servers');
    expect(log.map(({ message }) => message).join('\n')).toContain('were read back from tape and are right');
    expect((await tapes.lab.queue.ended(await tapes.lab.queue.moveTo(origin.id, 'Default'))).status).toBe(
      'done',
    );
    const back = await tapes.lab.queue.copy(origin.id);
    expect(existsSync(String(back.path))).toBe(true);
    expect((await tapes.lab.cartridge('SR0001L8')).copies).toBe(0);
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
    const task = await tapes.lab.queue.ended(await tapes.lab.queue.moveTo(origin.id, 'Tapes'));
    expect([task.status, task.error_message]).toEqual([
      'error',
      expect.stringContaining('damaged where it is'),
    ]);
    expect((await tapes.lab.cartridge('SR0001L8')).copies).toBe(0);
    expect(existsSync(name)).toBe(true);
  });
});

describe('a copy on tape', () => {
  it('whose cartridge is away is waited for, by barcode', async () => {
    await start();
    const copy = await done(await toTape());
    await tapes.lab.inside(['SR0002L8', 'CLN001L1']);
    const id = await tapes.lab.queue.verify(copy.id);
    const waiting = await tapes.lab.queue.until(id, ({ status }) => status === 'suspended');
    expect(waiting.error_message).toContain(
      'The cartridge SR0001L8 is not in the library of pool Tapes; put it in',
    );
    expect((await tapes.lab.queue.copy(copy.id)).status).toBe('Not Verified');
    await tapes.lab.inside(['SR0001L8', 'SR0002L8', 'CLN001L1']);
    await tapes.lab.queue.good('POST', `/tasks/${id}/continue`, { data: { task_id: id } });
    expect((await tapes.lab.queue.ended(id)).status).toBe('done');
  });

  it('whose cartridge is pulled out of the drive while it is read is waited for, and comes back whole', async () => {
    await start();
    await fill(3 * mib);
    const copy = await done(await toTape());
    await tapes.lab.faults({ cartridges: [{ barcode: 'SR0001L8', pulled_at: 8 }] });
    const to = join(tapes.lab.folder.path, 'pulled');
    await mkdir(to);
    const id = await tapes.lab.queue.restore(copy.id, to);
    const waiting = await tapes.lab.queue.until(id, ({ status }) => ['suspended', 'error'].includes(status));
    expect([waiting.status, waiting.error_message]).toEqual([
      'suspended',
      expect.stringContaining('SR0001L8 was taken out of virtual://rack/1 while it was used. Put it back'),
    ]);
    expect((await tapes.lab.queue.copy(copy.id)).status).toBe('Not Verified');
    await tapes.lab.inside(['SR0001L8', 'SR0002L8', 'SR0003L8', 'CLN001L1']);
    await tapes.lab.queue.good('POST', `/tasks/${id}/continue`, { data: { task_id: id } });
    const ended = await tapes.lab.queue.ended(id);
    expect([ended.status, ended.error_message]).toEqual(['done', null]);
    expect(Object.values(await hashes(to)).sort()).toEqual(
      Object.values(await hashes(tapes.lab.source)).sort(),
    );
  });

  it('that cannot be read any more is suspicious after a verification, with the place (case 103)', async () => {
    await start();
    const copy = await done(await toTape());
    await tapes.lab.faults({ cartridges: [{ barcode: 'SR0001L8', read_error_at: 4 }] });
    const task = await tapes.lab.queue.ended(await tapes.lab.queue.verify(copy.id));
    expect([task.status, task.error_message]).toEqual(['error', expect.stringContaining('file 2')]);
    expect((await tapes.lab.queue.copy(copy.id)).status).toBe('Suspicious');
  });

  it('that was deleted leaves room that is used again only where the cartridge is (case 117)', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    await fill(5 * mib);
    const first = await done(await toTape());
    const second = await done(await toTape());
    await tapes.lab.queue.good('DELETE', `/repository/${first.id}`);
    await tapes.lab.queue.good('DELETE', `/repository/${second.id}`);
    const before = await Promise.all(['SR0001L8', 'SR0002L8'].map(tapes.lab.cartridge));
    expect(before.map(({ copies }) => copies)).toEqual([0, 0]);
    await tapes.lab.inside(['SR0002L8']);
    const third = await done(await toTape());
    expect(await tapes.lab.cartridge('SR0001L8')).toEqual({
      ...before[0],
      location: 'outside',
      element_address: null,
    });
    expect((await tapes.lab.cartridge('SR0002L8')).copies).toBe(1);
    await restoresEqual(third);
  });

  it('keeps its cartridges from being labelled or forgotten', async () => {
    await start();
    await done(await toTape());
    const { id } = await tapes.lab.cartridge('SR0001L8');
    const labelled = await tapes.lab.label('SR0001L8', { overwrite: true });
    expect([labelled.status, labelled.body.errors.label]).toEqual([
      400,
      expect.stringContaining('holds 1 copies'),
    ]);
    expect((await tapes.lab.superuser.send('DELETE', `/cartridges/${id}`)).status).toBe(400);
  });
});
