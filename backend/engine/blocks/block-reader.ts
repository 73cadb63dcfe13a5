import { codecFor, type FrameCodec, zstdCodec } from '../archive/codec.ts';
import { DeviceError } from '../device-error.ts';
import { type BlockDeviceFile, openBlockDeviceFile } from './block-device-file.ts';
import { blockHash } from './block-hash.ts';
import { deviceSizeSync } from './device-size.ts';
import { type Layout, layoutOf } from './layout.ts';
import {
  type BlockEncoding,
  isWholeRecord,
  RECORD_HEADER_BYTES,
  readRecordHeader,
  recordBytes,
} from './record.ts';
import { readSuperblock } from './superblock.ts';

/** Where a block lies on the device; plain data, so that it can go to another thread. */
export interface BlockAddress {
  readonly position: number;
  readonly sequence: number;
  readonly storedBytes: number;
  readonly rawBytes: number;
  readonly encoding: BlockEncoding;
}

/** Reads one block and proves it. Throws `corrupt` when what lies there is not, or no longer, that block. */
export type ReadBlock = (hash: Buffer, address: BlockAddress) => Buffer;

/** A record as it is kept: check sum proved, not decoded. Valid until the next read. */
export type ReadStored = (hash: Buffer, address: BlockAddress) => Buffer;

export interface BlockReading {
  readonly block: ReadBlock;
  readonly stored: ReadStored;
}

const ZSTD_LEVEL = 3;

/** One for each thread: it uses one buffer again and again. What `block` gives may be kept. */
export function blockReading(device: BlockDeviceFile, layout: Layout, hashOf: HashOf): BlockReading {
  const { hashBytes, seed } = layout;
  const record = Buffer.alloc(recordBytes(hashBytes, layout.geometry.blockBytes));
  const found = Buffer.alloc(hashBytes);
  const zstd = zstdCodec(ZSTD_LEVEL);
  const decoders: Readonly<Record<BlockEncoding, FrameCodec['decode']>> = {
    raw: (stored) => Buffer.from(stored),
    zstd: zstd.decode,
    lz4: codecFor('Fast').decode,
  };
  const readRecord = (hash: Buffer, address: BlockAddress) => {
    const view = record.subarray(0, recordBytes(hashBytes, address.storedBytes));
    if (view.length < recordBytes(hashBytes, address.storedBytes)) throw damaged(device, hash);
    device.read(view, address.position);
    const facts = readRecordHeader(view, 0, hashBytes);
    const start = RECORD_HEADER_BYTES + hashBytes;
    const kept = view.subarray(RECORD_HEADER_BYTES, start);
    if (facts?.sequence !== address.sequence || !kept.equals(hash)) throw damaged(device, hash);
    if (facts.storedBytes !== address.storedBytes || !isWholeRecord(view, 0, facts, hashBytes, seed)) {
      throw damaged(device, hash);
    }
    return { facts, stored: view.subarray(start, start + facts.storedBytes) };
  };
  const readBlock: ReadBlock = (hash, address) => {
    // The record tells itself how it is encoded: its check sum covers that, which that of a footer is not asked for each time.
    const { facts, stored } = readRecord(hash, address);
    const raw = decoders[facts.encoding](stored, facts.rawBytes);
    hashOf(raw, found);
    if (raw.length !== facts.rawBytes || !found.equals(hash)) throw damaged(device, hash);
    return raw;
  };
  return { block: readBlock, stored: (hash, address) => readRecord(hash, address).stored };
}

type HashOf = (bytes: Buffer, into: Buffer) => void;

function damaged(device: BlockDeviceFile, hash: Buffer): DeviceError {
  return new DeviceError('corrupt', `${device.path}: the block ${hash.toString('hex')} is damaged.`);
}

/** For threads that only read. `get` throws `corrupt` too when cleaning moved the block meanwhile: locate it again then. */
export interface BlockReader {
  readonly get: ReadBlock;
  readonly close: () => void;
}

export function openBlockReader(path: string): BlockReader {
  const sizeBytes = deviceSizeSync(path);
  const device = openBlockDeviceFile(path, 'read');
  try {
    const superblock = readSuperblock(device, sizeBytes);
    if (superblock === null) throw new DeviceError('corrupt', `${path}: there is no block store on it.`);
    const hashOf = blockHash(superblock.algorithm, superblock.hashBytes * 8);
    return { get: blockReading(device, layoutOf(superblock), hashOf).block, close: device.close };
  } catch (error) {
    device.close();
    throw error;
  }
}
