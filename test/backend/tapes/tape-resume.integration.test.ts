import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import type { BackendProcess } from '../../support/backend.ts';
import { spawnWithQueue } from '../../support/backend-queue.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { makeBigFolder, type Queue } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { addTapeLibrary } from './tape-lab.ts';

const mib = 1_048_576;
const blockBytes = 262_144;
const barcodes = ['SR0001L8', 'SR0002L8'];
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;
let backend: BackendProcess;

async function start(): Promise<Queue> {
  const started = spawnWithQueue(join(folder.path, 'data'));
  backend = started.backend;
  return started.queue;
}

beforeEach(async () => {
  folder = await makeTempDir('tape-resume');
  source = join(folder.path, 'source');
  await makeBigFolder(source, 12);
});
afterEach(async () => {
  await backend.kill();
  await folder.remove();
});

it('kill -9 while a move from tape waits for its second cartridge: what came from the first one is not read again (cases 85, 101)', {
  timeout: 120_000,
}, async () => {
  let queue = await start();
  const { id: virtual } = await queue.good<{ id: number }>('POST', '/virtual_libraries', {
    media_server: hostname(),
    name: 'rack',
    slots: 4,
    cartridges: barcodes,
    cartridge_size: 10 * mib,
  });
  const library = await addTapeLibrary({ queue });
  const made = await queue.ended(await queue.backup(source));
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
  await backend.kill();
  const spool = join(folder.path, 'data', 'tape-spool');
  expect(await readdir(spool)).toEqual([`task-${task}`]);

  queue = await start();
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
  await queue.ended(await queue.restore(id, join(folder.path, 'out')));
  expect(compareTrees(source, join(folder.path, 'out', 'source'))).toEqual([]);
});
