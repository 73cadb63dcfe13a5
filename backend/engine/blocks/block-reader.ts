import { codecFor, type FrameCodec } from '../archive/codec.ts';
import type { BlockSeal } from '../crypto/block-seal.ts';
import { DeviceError } from '../device-error.ts';
import { type BlockDeviceFile, openBlockDeviceFile } from './block-device-file.ts';
import { blockHash } from './block-hash.ts';
import { deviceSizeSync } from './device-size.ts';
import { type Layout, layoutOf } from './layout.ts';
import {
  BLOCK_ENCODINGS,
  type BlockEncoding,
  isWholeRecord,
  mostStoredBytes,
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
  /** The whole block where that can be had without a key, else what is stored. */
  readonly prove: (hash: Buffer, address: BlockAddress) => void;
}

/**
 * One for each thread: it uses one buffer again and again. What `block` gives may be kept. With `seal`, blocks are those of an
 * encrypted copy, and no others; without it, those of copies that are not.
 */
export function blockReading(
  device: BlockDeviceFile,
  layout: Layout,
  hashOf: HashOf,
  seal: BlockSeal | null = null,
): BlockReading {
  const { hashBytes, seed } = layout;
  const record = Buffer.alloc(recordBytes(hashBytes, mostStoredBytes(layout.geometry.blockBytes)));
  const found = Buffer.alloc(hashBytes);
  // Its library is loaded by the first block that is read: a store that only takes blocks is open 10 ms sooner without.
  let zstd: FrameCodec | null = null;
  const decoders: Readonly<Record<Exclude<BlockEncoding, 'sealed'>, FrameCodec['decode']>> = {
    raw: (stored) => Buffer.from(stored),
    zstd: (stored, rawLength) => {
      zstd ??= codecFor('Optimal');
      return zstd.decode(stored, rawLength);
    },
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
    const plain = facts.encoding === 'sealed' ? opened(hash, stored) : { content: stored, ...facts };
    if (plain === null || plain.encoding === 'sealed' || (seal === null) !== (facts.encoding !== 'sealed')) {
      throw damaged(device, hash);
    }
    const raw = decoders[plain.encoding](plain.content, facts.rawBytes);
    if (seal === null) hashOf(raw, found);
    else seal.nameOf(raw, found);
    if (raw.length !== facts.rawBytes || !found.equals(hash)) throw damaged(device, hash);
    return raw;
  };
  const opened = (hash: Buffer, stored: Buffer) => {
    const plain = seal?.open(hash, stored) ?? null;
    const encoding = plain === null ? undefined : BLOCK_ENCODINGS[plain.encoding];
    return plain === null || encoding === undefined ? null : { content: plain.content, encoding };
  };
  return {
    block: readBlock,
    stored: (hash, address) => readRecord(hash, address).stored,
    prove: (hash, address) => {
      if (readRecord(hash, address).facts.encoding !== 'sealed') readBlock(hash, address);
    },
  };
}

type HashOf = (bytes: Buffer, into: Buffer) => void;

function damaged(device: BlockDeviceFile, hash: Buffer): DeviceError {
  return new DeviceError('corrupt', `${device.path}: the block ${hash.toString('hex')} is damaged.`);
}

/** For threads that only read. `get` throws `corrupt` too when cleaning moved the block meanwhile: locate it again then. */
export interface BlockReader {
  readonly get: ReadBlock;
  readonly stored: ReadStored;
  readonly close: () => void;
}

/** `seal`: for the blocks of an encrypted copy. */
export function openBlockReader(path: string, seal: BlockSeal | null = null): BlockReader {
  const sizeBytes = deviceSizeSync(path);
  const device = openBlockDeviceFile(path, 'read');
  try {
    const superblock = readSuperblock(device, sizeBytes);
    if (superblock === null) throw new DeviceError('corrupt', `${path}: there is no block store on it.`);
    const hashOf = blockHash(superblock.algorithm, superblock.hashBytes * 8);
    const { block, stored } = blockReading(device, layoutOf(superblock), hashOf, seal);
    return { get: block, stored, close: device.close };
  } catch (error) {
    device.close();
    throw error;
  }
}
