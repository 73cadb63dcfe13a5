import { open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { cutOffLab } from '../../support/backend-queue.ts';
import { makeBigFolder } from '../../support/queue.ts';
import { addTapeLibrary } from './tape-lab.ts';

const mib = 1_048_576;
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
  timeout: 120_000,
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
  await queue.good('DELETE', `/repository/${first.repository_id}`);
  await expect.poll(async () => (await cartridge())?.copies).toBe(0);
  const before = await labelOnTape();
  expect(before).not.toBeNull();

  const task = await queue.backup(source, { pool: 'Tapes' });
  let written: string | null = before;
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
  // Said after the catalogue knows the label: else the process was killed too late, and nothing was seen.
  const lines = (await queue.tasks()).map(({ id }) => queue.log(id, 'servers'));
  const labelled = (await Promise.all(lines))
    .flat()
    .filter(({ message }) => message.includes('was given a label'));
  const times = labelled.map(({ time }) => Date.parse(`${time}Z`)).sort();
  expect(times).toHaveLength(2);
  expect(times.at(-1)).toBeGreaterThan(killedAt);
  expect(await cartridge()).toMatchObject({ state: 'labelled', copies: 1, label_uuid: written });
});
