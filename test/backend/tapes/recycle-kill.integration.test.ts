import { open, readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { cutOffLab } from '../../support/backend-queue.ts';
import { makeBigFolder } from '../../support/queue.ts';
import { addTapeLibrary } from './tape-lab.ts';

const mib = 1_048_576;
/** Of tries to kill it in that moment. */
const mostRounds = 6;
const barcode = 'SR0001L8';
const lab = cutOffLab('recycle-kill');

/** The label that the simulated cartridge begins with; null while it is being written. */
async function labelOnTape(): Promise<string | null> {
  const path = join(lab.path, 'data', 'virtual-libraries', 'rack', 'cartridges', `${barcode}.tape`);
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
    return /"uuid":"([0-9a-f-]{36})"/.exec(buffer.toString('latin1', 0, bytesRead))?.[1] ?? null;
  } finally {
    await file.close();
  }
}

it('kill -9 between the new label of a recycled cartridge and the catalogue: the cartridge is written all the same', {
  timeout: 240_000,
}, async () => {
  const source = join(lab.path, 'source');
  await makeBigFolder(source, 2);
  let queue = await lab.start();
  await queue.good('POST', '/virtual_libraries', {
    media_server: hostname(),
    name: 'rack',
    slots: 2,
    cartridges: [barcode],
    cartridge_size: 16 * mib,
  });
  await addTapeLibrary({ queue });
  const cartridge = async (): Promise<Cartridge | undefined> =>
    (await queue.good<Cartridge[]>('GET', '/cartridges')).find((one) => one.barcode === barcode);
  const first = await queue.ended(await queue.backup(source, { pool: 'Tapes' }));
  expect(first.status).toBe('done');

  // Said after the catalogue knows the label: else the process was killed too late, nothing was seen, and it is tried again.
  const labelledAt = async (): Promise<number> => {
    const logs = await Promise.all((await queue.tasks()).map(({ id }) => queue.log(id, 'servers')));
    const told = logs.flat().filter(({ message }) => message.includes('was given a label'));
    return Math.max(...told.map(({ time }) => Date.parse(`${time}Z`)));
  };
  let written: string | null = null;
  let isSeen = false;
  for (let round = 0; round < mostRounds && !isSeen; round += 1) {
    for (const { id } of await queue.good<{ id: number }[]>('GET', '/repository'))
      await queue.good('DELETE', `/repository/${id}`);
    await expect.poll(async () => (await cartridge())?.copies).toBe(0);
    const before = await labelOnTape();
    expect(before).not.toBeNull();
    const task = await queue.backup(source, { pool: 'Tapes' });
    written = before;
    while (written === null || written === before) {
      await pause(1);
      written = await labelOnTape();
    }
    await lab.kill();
    const killedAt = Date.now();
    queue = await lab.start();
    const again = await queue.ended(task);
    if (again.status !== 'done') {
      expect((await queue.ended(await queue.backup(source, { pool: 'Tapes' }))).status).toBe('done');
    }
    isSeen = (await labelledAt()) > killedAt;
  }
  expect(isSeen).toBe(true);
  expect(await cartridge()).toMatchObject({ state: 'labelled', copies: 1, label_uuid: written });
});

it('kill -9 while a backup goes to tape as it is made: nothing of it is told to be there, its room and its spool come back', {
  timeout: 120_000,
}, async () => {
  const source = join(lab.path, 'source');
  // More than a drive waits for.
  await makeBigFolder(source, 64);
  let queue = await lab.start();
  await queue.good('POST', '/virtual_libraries', {
    media_server: hostname(),
    name: 'rack',
    slots: 2,
    cartridges: [barcode],
    cartridge_size: 256 * mib,
  });
  await addTapeLibrary({ queue });
  const task = await queue.backup(source, { pool: 'Tapes' });
  const cartridge = async (): Promise<Cartridge | undefined> =>
    (await queue.good<Cartridge[]>('GET', '/cartridges')).find((one) => one.barcode === barcode);
  const spool = join(lab.path, 'data', 'tape-spool');
  await expect
    .poll(async () => (await cartridge())?.location, { timeout: 60_000, interval: 5 })
    .toBe('drive');
  // It holds the tape and the source, so that the end cannot come before the kill.
  expect((await queue.call('POST', `/tasks/${task}/pause`)).status).toBe(204);
  expect(await readdir(spool)).toHaveLength(1);
  await lab.kill();
  queue = await lab.start();
  await expect.poll(() => readdir(spool), { timeout: 30_000 }).toEqual([]);
  expect(await queue.good('GET', '/repository')).toEqual([]);
  expect(await cartridge()).toMatchObject({ copies: 0, written: 0 });
  const again = await queue.ended(await queue.backup(source, { pool: 'Tapes' }));
  expect(again.status).toBe('done');
  expect(await cartridge()).toMatchObject({ state: 'labelled', copies: 1 });
  const verified = await queue.ended(await queue.verify(Number(again.repository_id)));
  expect([verified.status, verified.error_message]).toEqual(['done', null]);
});
