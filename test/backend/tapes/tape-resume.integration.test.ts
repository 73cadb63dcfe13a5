import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { cutOffLab } from '../../support/backend-queue.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { addTapeLibrary } from './tape-lab.ts';

const mib = 1_048_576;
const blockBytes = 262_144;
const barcodes = ['SR0001L8', 'SR0002L8'];
const lab = cutOffLab('tape-resume', 12);

it('kill -9 while a move from tape waits for its second cartridge: what came from the first one is not read again (cases 85, 101)', {
  timeout: 120_000,
}, async () => {
  let queue = await lab.start();
  const { id: virtual } = await queue.good<{ id: number }>('POST', '/virtual_libraries', {
    media_server: hostname(),
    name: 'rack',
    slots: 4,
    cartridges: barcodes,
    cartridge_size: 10 * mib,
  });
  const library = await addTapeLibrary({ queue });
  const made = await queue.ended(await queue.backup(lab.source));
  const id = Number(made.repository_id);
  expect((await queue.ended(await queue.moveTo(id, 'Tapes'))).status).toBe('done');
  const parts = await queue.good<Cartridge[]>('GET', '/cartridges');
  const first = parts.find(({ barcode }) => barcode === barcodes[0]);
  const inside = async (cartridges: readonly string[]): Promise<void> => {
    await queue.good('PATCH', `/virtual_libraries/${virtual}`, { cartridges });
    await queue.good('POST', `/tape_libraries/${library}/sync`);
  };
  const logOf = async (task: number): Promise<string> =>
    (await queue.log(task, 'servers')).map(({ message }) => message).join('\n');

  await inside(barcodes.slice(0, 1));
  const task = await queue.moveTo(id, 'Default');
  const waiting = await queue.until(task, ({ status }) => status === 'suspended');
  expect(waiting.error_message).toContain('The cartridge SR0002L8 is not in the library');
  expect(await logOf(task)).toContain('Part 1 was read from the cartridge SR0001L8.');
  await lab.kill();
  const spool = join(lab.path, 'data', 'tape-spool');
  expect(await readdir(spool)).toEqual([`task-${task}`]);

  queue = await lab.start();
  await inside(barcodes);
  await queue.good('POST', `/tasks/${task}/continue`, { data: { task_id: task } });
  expect((await queue.ended(task)).status).toBe('done');
  const passed = [...(await logOf(task)).matchAll(/SR0001L8; (\d+) bytes of it were there/g)].map(
    ([, bytes]) => Number(bytes),
  );
  // Of each piece the last block is read, so that the tape stands where it should.
  expect(passed.at(-1)).toBeGreaterThanOrEqual(Number(first?.written) - blockBytes);
  expect(await queue.copy(id)).toMatchObject({ pool: 'Default', status: 'Trusted' });
  await expect.poll(async () => (existsSync(spool) ? readdir(spool) : [])).toEqual([]);
  await queue.ended(await queue.restore(id, join(lab.path, 'out')));
  expect(compareTrees(lab.source, join(lab.path, 'out', 'source'))).toEqual([]);
});
