import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codecFor } from '../../../../backend/engine/archive/codec.ts';
import { openBlockDeviceFile } from '../../../../backend/engine/blocks/block-device-file.ts';
import { BLOCK_ALGORITHMS, blockHash } from '../../../../backend/engine/blocks/block-hash.ts';
import { openBlockReader } from '../../../../backend/engine/blocks/block-reader.ts';
import type { BlockStore } from '../../../../backend/engine/blocks/block-store.ts';
import { createBlockStore, openBlockStore } from '../../../../backend/engine/blocks/open-store.ts';
import { scanBlockStore } from '../../../../backend/engine/blocks/scan-store.ts';
import { blockOf, hashOf, MIB, makeDevice, numbers, type TestDevice } from './fixture.ts';

let device: TestDevice;
beforeEach(() => {
  device = makeDevice();
  createBlockStore(device.path, { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 });
});
afterEach(() => device.remove());

const open = (): BlockStore => openBlockStore(device.path, { indexFile: device.indexFile });
const put = (store: BlockStore, value: number): boolean => store.put(hashOf(blockOf(value)), blockOf(value));
const has = (store: BlockStore, value: number): boolean | undefined => store.has([hashOf(blockOf(value))])[0];
const expectAll = (store: BlockStore, values: readonly number[]): void => {
  for (const value of values) expect(store.get(hashOf(blockOf(value))).equals(blockOf(value))).toBe(true);
};

describe('a block store', () => {
  test('keeps each block once and gives it back, over several segments and openings', () => {
    const store = open();
    for (const value of numbers(0, 500)) expect(put(store, value)).toBe(true);
    expect(put(store, 3)).toBe(false);
    expectAll(store, numbers(0, 500));
    store.close();
    const again = open();
    expect(again.stats().blocks).toBe(500);
    expect(put(again, 499)).toBe(false);
    expect(put(again, 500)).toBe(true);
    expectAll(again, numbers(0, 501));
    expect(has(again, 9999)).toBe(false);
    again.close();
  });

  let readBytes = 0;
  const counted = (): BlockStore =>
    openBlockStore(device.path, {
      indexFile: device.indexFile,
      openDevice: (path) => {
        const file = openBlockDeviceFile(path, 'write');
        readBytes = 0;
        const read = (into: Uint8Array, position: number): void => {
          readBytes += into.length;
          file.read(into, position);
        };
        return { ...file, read };
      },
    });

  test('is opened with a page and some bytes of each segment that was never used', () => {
    const store = counted();
    const pages = store.table.size + 2;
    expect(store.table.freeCount).toBe(store.table.size);
    expect(readBytes).toBeLessThan(pages * (4096 + 128));
    store.close();
  });

  test('is opened without a search for what lies behind the footers, if it was closed and nobody opened it since', () => {
    const store = counted();
    for (const value of numbers(0, 10)) put(store, value);
    store.close();
    const index = readFileSync(device.indexFile);
    // A segment has 1 MiB.
    const opened = counted();
    expect(readBytes).toBeLessThan(MIB / 4);
    expect(put(opened, 10)).toBe(true);
    opened.sync();
    // As after a kill: what was acknowledged is found, although the saved index and the footer are those of before.
    const again = counted();
    expect(readBytes).toBeGreaterThan(MIB / 2);
    expect(again.stats().blocks).toBe(11);
    expectAll(again, numbers(0, 11));
    again.close();
    opened.device.close();
    writeFileSync(device.indexFile, index);
    const old = counted();
    expect(old.stats().blocks).toBe(11);
    old.close();
  });

  test('reads an index that an earlier version saved, and searches behind the footers then', () => {
    const store = open();
    for (const value of numbers(0, 10)) put(store, value);
    store.close();
    const saved = readFileSync(device.indexFile);
    // The first section: its length and check sum, the name of the format, the uuid, the opening.
    const head = Buffer.concat([Buffer.from('SRBINDX1'), saved.subarray(16, 32)]);
    const section = Buffer.alloc(8);
    section.writeUInt32LE(head.length, 0);
    section.writeUInt32LE(crc32(head), 4);
    writeFileSync(device.indexFile, Buffer.concat([section, head, saved.subarray(38)]));
    const again = open();
    expect(again.stats().blocks).toBe(10);
    expectAll(again, numbers(0, 10));
    again.close();
  });

  test.each(['missing', 'damaged', 'cut off', 'of an earlier moment'])(
    'opens when its index is %s',
    (how) => {
      const store = open();
      for (const value of numbers(0, 300)) put(store, value);
      store.close();
      if (how === 'of an earlier moment') {
        const later = openBlockStore(device.path);
        for (const value of numbers(300, 600)) put(later, value);
        later.close();
      }
      if (how === 'missing') rmSync(device.indexFile);
      if (how === 'damaged') writeFileSync(device.indexFile, Buffer.alloc(5000, 7));
      if (how === 'cut off') truncateSync(device.indexFile, 3000);
      const again = open();
      const count = how === 'of an earlier moment' ? 600 : 300;
      expect(again.stats().blocks).toBe(count);
      expectAll(again, numbers(0, count));
      again.close();
    },
  );

  test('does not trust a saved index when the device was put back to an earlier state and went on from there', () => {
    const store = open();
    for (const value of numbers(0, 200)) put(store, value);
    store.close();
    const earlier = join(device.folder, 'earlier.copy');
    copyFileSync(device.path, earlier);
    const went = open();
    for (const value of numbers(200, 400)) put(went, value);
    went.close();
    copyFileSync(earlier, device.path);
    const other = openBlockStore(device.path);
    for (const value of numbers(1200, 1400)) put(other, value);
    other.close();
    const again = open();
    expectAll(again, [...numbers(0, 200), ...numbers(1200, 1400)]);
    expect(has(again, 300)).toBe(false);
    again.close();
  });

  test('is refused a second time on the same device, unless it may be overwritten', () => {
    const options = { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 } as const;
    expect(() => createBlockStore(device.path, options)).toThrow(/block store on it already/);
    const store = open();
    put(store, 1);
    store.close();
    createBlockStore(device.path, { ...options, overwrite: true });
    const fresh = open();
    expect(fresh.stats().blocks).toBe(0);
    expect(has(fresh, 1)).toBe(false);
    fresh.close();
  });

  test('says that it is full, takes nothing then, and keeps what it has (case 84)', () => {
    const store = open();
    let taken = 0;
    const fill = (): void => {
      for (; ; taken += 1) put(store, taken);
    };
    expect(fill).toThrow(expect.objectContaining({ kind: 'noSpace', bytesNeeded: MIB }));
    expect(has(store, taken)).toBe(false);
    store.close();
    const again = open();
    expect(again.stats()).toMatchObject({ blocks: taken, freeBytes: 0 });
    expectAll(again, numbers(0, taken));
    again.close();
  });

  test('is read by others while it is written', () => {
    const store = open();
    for (const value of numbers(0, 200)) put(store, value);
    const reader = openBlockReader(device.path);
    for (const value of numbers(0, 200)) {
      const hash = hashOf(blockOf(value));
      const address = store.locate(hash);
      expect(address === null ? null : reader.get(hash, address).equals(blockOf(value))).toBe(true);
    }
    reader.close();
    store.close();
  });

  test('keeps compressed blocks and proves them by the hash of what they were', () => {
    const store = open();
    const raw = Buffer.alloc(8192, 'all the same ');
    for (const [encoding, name, value] of [
      ['zstd', 'Optimal', 1],
      ['lz4', 'Fast', 2],
    ] as const) {
      raw[0] = value;
      const stored = codecFor(name).encode(raw);
      store.put(hashOf(raw), stored, { encoding, rawBytes: raw.length });
      expect(store.get(hashOf(raw)).equals(raw)).toBe(true);
    }
    store.close();
  });

  test('proves every block in a scan', () => {
    const store = open();
    for (const value of numbers(0, 250)) put(store, value);
    const scanned = [...scanBlockStore(store)];
    expect(scanned).toHaveLength(250);
    expect(scanned.every((block) => block.isWhole)).toBe(true);
    store.close();
  });
});

describe('hashes of blocks', () => {
  const lengths = { sha2: [256, 512], blake2b: [256, 512], blake3: [256, 512], sha1: [160] } as const;
  test.each(BLOCK_ALGORITHMS.flatMap((algorithm) => lengths[algorithm].map((bits) => ({ algorithm, bits }))))(
    '$algorithm with $bits bits fills its length and makes a working store',
    ({ algorithm, bits }) => {
      const other = makeDevice();
      try {
        createBlockStore(other.path, { blockBytes: 16_384, algorithm, hashBits: bits });
        const hash = Buffer.alloc(bits / 8);
        blockHash(algorithm, bits)(blockOf(5), hash);
        expect(hash.subarray(-8).equals(Buffer.alloc(8))).toBe(false);
        const store = openBlockStore(other.path);
        store.put(hash, blockOf(5));
        expect(store.get(hash).equals(blockOf(5))).toBe(true);
        store.close();
      } finally {
        other.remove();
      }
    },
  );

  test('are those that the standards give', () => {
    const hexOf = (algorithm: 'sha2' | 'blake2b' | 'blake3' | 'sha1', bits: number): string => {
      const hash = Buffer.alloc(bits / 8);
      blockHash(algorithm, bits)(Buffer.from('abc'), hash);
      return hash.toString('hex').slice(0, 16);
    };
    expect(hexOf('sha1', 160)).toBe('a9993e364706816a');
    expect(hexOf('sha2', 256)).toBe('ba7816bf8f01cfea');
    expect(hexOf('sha2', 512)).toBe('ddaf35a193617aba');
    expect(hexOf('blake2b', 256)).toBe('bddd813c63423972');
    expect(hexOf('blake2b', 512)).toBe('ba80a53f981c4d0d');
    expect(hexOf('blake3', 256)).toBe('6437b3ac38465133');
    expect(hexOf('blake3', 512)).toBe('6437b3ac38465133');
    expect(() => blockHash('sha1', 256)).toThrow(/160 bits, not 256/);
  });
});
