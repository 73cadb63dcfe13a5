import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  cleanBlockStore,
  createBlockStore,
  openBlockReader,
  openBlockStore,
} from '../../../../backend/engine/blocks/index.ts';
import { type LoopDevice, makeLoopDevice } from '../../../support/loop-device.ts';
import { blockOf, hashOf, numbers } from './fixture.ts';

let folder = '';
let device: LoopDevice | string = '';
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strongroom-raw-'));
  device = await makeLoopDevice(folder);
  if (typeof device === 'string')
    process.stderr.write(`skipped: a block store on a raw device, since ${device}\n`);
});
afterEach(() => {
  if (typeof device !== 'string') device.remove();
  rmSync(folder, { recursive: true, force: true });
});

test('a block store lives on a real block device, which nobody else can write to meanwhile', ({ skip }) => {
  if (typeof device === 'string') return skip(device);
  const { path } = device;
  createBlockStore(path, { blockBytes: 65_536, algorithm: 'sha2', hashBits: 256 });
  const store = openBlockStore(path);
  const blocks = numbers(0, 200).map((value) => blockOf(value, 65_536));
  for (const block of blocks) store.put(hashOf(block), block);
  store.sync();
  expect(() => openBlockStore(path)).toThrow(expect.objectContaining({ kind: 'busy' }));
  const reader = openBlockReader(path);
  const live = blocks.slice(0, 30).map(hashOf);
  expect(cleanBlockStore(store, live)).toMatchObject({ missingBlocks: 0, damagedBlocks: 0 });
  for (const [index, hash] of live.entries()) {
    const address = store.locate(hash);
    expect(address !== null && reader.get(hash, address).equals(blockOf(index, 65_536))).toBe(true);
  }
  reader.close();
  store.close();
  const again = openBlockStore(path);
  expect(again.has(live)).toEqual(live.map(() => true));
  again.close();
});
