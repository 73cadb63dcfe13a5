import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { BlockDevice } from '../../../contract/block-devices/block-device.ts';
import { cutOffLab } from '../../support/backend-queue.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { effort } from '../../support/effort.ts';
import { makeSparseFile } from '../../support/loop-device.ts';
import { makeSmallFolder } from '../../support/queue.ts';

const rounds = effort(5, 8);
const mib = 1024 * 1024;
/** How fast a backup may be, so that the moments of the kills spread over all of it. */
const mibPerSecond = 16;
const treeMib = 24;

const lab = cutOffLab('block-kill');
let metadata: string;

/** `treeMib` MiB that are nowhere else. */
async function makeTree(root: string): Promise<void> {
  await makeSmallFolder(root);
  for (let file = 0; file < treeMib / 2; file += 1)
    await writeFile(join(root, `data-${file}`), randomBytes(2 * mib));
}

beforeEach(async () => {
  metadata = join(lab.path, 'metadata');
  await mkdir(metadata);
  await makeTree(lab.source);
});

it(`${rounds} times kill -9 in a backup to block devices: nothing half is left, and the next backup is whole (cases 63, 101)`, {
  timeout: 300_000,
}, async () => {
  let queue = await lab.start();
  await queue.addPool('Metadata', metadata);
  const pool = {
    pool_name: 'Blocks',
    pool_type: 'Block device',
    media_server: hostname(),
    meta_data_pool: 'Metadata',
    block_size: 8192,
  };
  await queue.good('POST', '/pools', { data: pool });
  const device = join(lab.path, 'device.img');
  await makeSparseFile(device, 512 * mib);
  const draft = { device, pool: 'Blocks', overwrite_file_system: false };
  await queue.good('POST', '/storage_block_devices', { data: draft });
  await queue.slowDown('backup', mibPerSecond);
  let whole = 0;
  let cutOff = 0;
  for (let round = 0; round < rounds; round += 1) {
    // There is always something to write.
    const own = join(lab.path, `source-${round}`);
    await makeTree(own);
    const id = await queue.backup(own, { pool: 'Blocks' });
    // From the beginning in the first round to near the end in the last one.
    await queue.until(id, (task) => (task.progress_details?.bytes_done ?? 0) > 0);
    const delayMs = (round / rounds) * (treeMib / mibPerSecond) * 1000;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await lab.kill();
    queue = await lab.start();
    const task = await queue.task(id);
    if (task.status === 'done') whole += 1;
    else if (task.status === 'broken') cutOff += 1;
    const copies = await queue.copies();
    const folders = copies.map((copy) => String(copy.path).split('/').at(-1)).toSorted();
    if (task.status === 'done' || task.status === 'broken') {
      expect((await readdir(metadata)).toSorted(), `round ${round}`).toEqual(folders);
    } else await queue.ended(id);
  }
  expect(cutOff, `${whole} were whole before the kill`).toBeGreaterThan(rounds / 3);

  await queue.fullSpeed();
  const done = await queue.ended(await queue.backup(lab.source, { pool: 'Blocks' }));
  expect(done).toMatchObject({ status: 'done', error_message: null });
  for (const copy of await queue.copies()) {
    await queue.ended(await queue.verify(copy.id));
    expect(await queue.copy(copy.id)).toMatchObject({ status: 'Trusted', damage: null });
  }
  const out = join(lab.path, 'out');
  await queue.ended(await queue.restore(Number(done.repository_id), out));
  expect(compareTrees(lab.source, join(out, 'source'))).toEqual([]);
  const [listed] = await queue.good<BlockDevice[]>('GET', '/storage_block_devices');
  expect(listed?.used).toBeGreaterThan(treeMib * mib);
  expect(await lab.stop()).toBe(0);
  process.stdout.write(`killed ${rounds} times: ${cutOff} in the middle, ${whole} after the end\n`);
});
