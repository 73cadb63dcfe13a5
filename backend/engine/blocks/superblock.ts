import { crc32 } from 'node:zlib';
import { DeviceError } from '../device-error.ts';
import type { BlockDeviceFile } from './block-device-file.ts';
import { BLOCK_ALGORITHMS, type BlockAlgorithm } from './block-hash.ts';
import { type Geometry, lastPage, PAGE_BYTES } from './geometry.ts';

/** What a store is. Two copies lie on the device, at its start and in its last page. */
export interface Superblock {
  readonly uuid: Buffer;
  /** Counts the openings for writing. The valid copy with the higher one is the true one. */
  readonly generation: number;
  readonly algorithm: BlockAlgorithm;
  readonly hashBytes: number;
  readonly createdMs: number;
  readonly geometry: Geometry;
}

const MAGIC = Buffer.from('SRBLOCKS', 'latin1');
const FORMAT_VERSION = 1;
const USED_BYTES = 112;

export function encodeSuperblock(block: Superblock): Buffer {
  const page = Buffer.alloc(PAGE_BYTES);
  MAGIC.copy(page, 0);
  page.writeUInt32LE(FORMAT_VERSION, 8);
  block.uuid.copy(page, 16, 0, 16);
  page.writeBigUInt64LE(BigInt(block.generation), 32);
  page.writeUInt32LE(BLOCK_ALGORITHMS.indexOf(block.algorithm), 40);
  page.writeUInt32LE(block.hashBytes, 44);
  page.writeUInt32LE(block.geometry.blockBytes, 48);
  page.writeUInt32LE(block.geometry.recordsPerSegment, 52);
  page.writeBigUInt64LE(BigInt(block.geometry.deviceBytes), 56);
  page.writeBigUInt64LE(BigInt(block.geometry.dataStart), 64);
  page.writeBigUInt64LE(BigInt(block.geometry.segmentBytes), 72);
  page.writeUInt32LE(block.geometry.segmentCount, 80);
  page.writeBigUInt64LE(BigInt(block.createdMs), 88);
  page.writeUInt32LE(crc32(page.subarray(0, USED_BYTES)), USED_BYTES);
  return page;
}

/** Null when the page is not, or no longer, a superblock. */
export function decodeSuperblock(page: Buffer): Superblock | null {
  if (!page.subarray(0, 8).equals(MAGIC)) return null;
  if (page.readUInt32LE(USED_BYTES) !== crc32(page.subarray(0, USED_BYTES))) return null;
  const version = page.readUInt32LE(8);
  const algorithm = BLOCK_ALGORITHMS[page.readUInt32LE(40)];
  if (version !== FORMAT_VERSION || algorithm === undefined) {
    throw new DeviceError(
      'permanent',
      `The block store has format ${version}, which this version cannot read.`,
    );
  }
  return {
    uuid: Buffer.from(page.subarray(16, 32)),
    generation: Number(page.readBigUInt64LE(32)),
    algorithm,
    hashBytes: page.readUInt32LE(44),
    createdMs: Number(page.readBigUInt64LE(88)),
    geometry: {
      blockBytes: page.readUInt32LE(48),
      recordsPerSegment: page.readUInt32LE(52),
      deviceBytes: Number(page.readBigUInt64LE(56)),
      dataStart: Number(page.readBigUInt64LE(64)),
      segmentBytes: Number(page.readBigUInt64LE(72)),
      segmentCount: page.readUInt32LE(80),
    },
  };
}

/** The newest valid copy; null when there is none. `deviceBytes` tells where the last page is. */
export function readSuperblock(device: BlockDeviceFile, deviceBytes: number): Superblock | null {
  const page = Buffer.alloc(PAGE_BYTES);
  let newest: Superblock | null = null;
  for (const position of [0, lastPage(deviceBytes)]) {
    if (position < 0 || position + PAGE_BYTES > deviceBytes) continue;
    device.read(page, position);
    const found = decodeSuperblock(page);
    if (found !== null && (newest === null || found.generation > newest.generation)) newest = found;
  }
  return newest;
}

/** One copy after the other, each made durable before the next, so that one of them is whole at every moment. */
export function writeSuperblocks(device: BlockDeviceFile, block: Superblock): void {
  const page = encodeSuperblock(block);
  for (const position of [0, lastPage(block.geometry.deviceBytes)]) {
    device.write(page, position);
    device.sync();
  }
}
