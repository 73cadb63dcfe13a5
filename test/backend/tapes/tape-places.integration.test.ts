import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { CartridgeScan } from '../../../contract/cartridges/cartridge.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { makeSparseFile } from '../../support/loop-device.ts';
import { openTapeLab, type TapeLab } from './tape-lab.ts';

let lab: TapeLab;
afterEach(() => lab.close());

const done = async (task: number): Promise<Copy> => {
  const ended = await lab.queue.ended(task);
  expect([ended.status, ended.error_message]).toEqual(['done', null]);
  return lab.queue.copy(Number(ended.repository_id));
};
const place = (name: string): string => join(lab.folder.path, name);
/** Names and types in a folder of the copy; without one what it holds at all. */
const files = async (id: number): Promise<readonly string[]> =>
  (await lab.queue.good<{ name: string; type: string }[]>('GET', `/repository/${id}/files`)).map(
    ({ name, type }) => `${type} ${name}`,
  );

it.each(['nocrypt', 'aes-256-gcm'])(
  'data in blocks (%s) are copied and moved to tape and back to blocks',
  async (crypto) => {
    lab = await openTapeLab({ cartridgeBytes: 64 * 1_048_576 });
    const { queue } = lab;
    const device = place('device');
    await makeSparseFile(device, 64 * 1_048_576);
    await mkdir(place('metadata'));
    await queue.addPool('Metadata', place('metadata'));
    const [server] = await queue.good<{ name: string }[]>('GET', '/media_servers');
    const pool = {
      pool_name: 'Blocks',
      pool_type: 'Block device',
      media_server: server?.name,
      meta_data_pool: 'Metadata',
      block_size: 65_536,
      algorithm: 'blake3',
      hash_length: 256,
    };
    await queue.good('POST', '/pools', { data: pool });
    const draft = { device, pool: 'Blocks', overwrite_file_system: false };
    await queue.good('POST', '/storage_block_devices', { data: draft });
    const origin = await done(await queue.backup(lab.source, { pool: 'Blocks', crypto }));
    const onTape = await done(await queue.copyTo(origin.id, 'Tapes'));
    expect(onTape).toMatchObject({ pool: 'Tapes', path: null, copy_of: origin.id, crypto });
    // What is on tape needs the block device no longer.
    await done(await queue.moveTo(origin.id, 'Tapes'));
    expect(await queue.copy(origin.id)).toMatchObject({ pool: 'Tapes', path: null, status: 'Trusted' });
    await expect.poll(() => existsSync(String(origin.path)), { timeout: 20_000 }).toBe(false);
    const back = await done(await queue.moveTo(onTape.id, 'Blocks'));
    expect(back).toMatchObject({ pool: 'Blocks', status: 'Trusted' });
    for (const id of [origin.id, onTape.id]) {
      const target = place(`restored-${id}`);
      await mkdir(target);
      const ended = await queue.ended(await queue.restore(id, target));
      expect([ended.status, ended.error_message]).toEqual(['done', null]);
      expect(compareTrees(lab.source, join(target, 'source'))).toEqual([]);
    }
  },
);

it('the file list of a copy on tape goes with the copy: when it is deleted, and when it moves away', async () => {
  lab = await openTapeLab();
  const { queue } = lab;
  const lists = () => readdir(join(lab.app.dataDir, 'tape-lists'));
  const deleted = await done(await queue.backup(lab.source, { pool: 'Tapes' }));
  expect(await lists()).toHaveLength(1);
  await queue.good('DELETE', `/repository/${deleted.id}`);
  expect(await lists()).toEqual([]);
  const moved = await done(await queue.backup(lab.source, { pool: 'Tapes' }));
  expect(await lists()).toHaveLength(1);
  expect((await queue.ended(await queue.moveTo(moved.id, 'Default'))).status).toBe('done');
  await expect.poll(lists).toEqual([]);
});

it('the file list of a copy on tape is looked into without its tape; a scan finds the copy, a verification its list', async () => {
  lab = await openTapeLab();
  const { queue } = lab;
  const copy = await done(await queue.backup(lab.source, { pool: 'Tapes' }));
  await lab.inside([]);
  expect((await lab.cartridge('SR0001L8')).location).toBe('outside');
  const listed = await files(copy.id);
  expect(listed.length).toBeGreaterThan(1);
  await lab.inside(['SR0001L8', 'SR0002L8']);
  // The catalogue and all that is kept beside it are lost.
  const { db } = lab.app.database;
  await db.deleteFrom('copies').execute();
  await db.deleteFrom('tape_parts').execute();
  await rm(join(lab.app.dataDir, 'tape-lists'), { recursive: true });
  const { id } = await lab.cartridge('SR0001L8');
  const scan = await queue.good<CartridgeScan>('POST', `/cartridges/${id}/scan`);
  const found = Number(scan.copies_found[0]);
  const refused = await queue.call('GET', `/repository/${found}/files`);
  expect([refused.status, refused.body.errors.id]).toEqual([400, expect.stringContaining('verify the copy')]);
  expect((await queue.ended(await queue.verify(found))).status).toBe('done');
  expect(await files(found)).toEqual(listed);
});
