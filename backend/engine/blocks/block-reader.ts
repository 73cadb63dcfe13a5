import { codecFor, type FrameCodec } from '../archive/codec.ts';
import type { BlockSeal } from '../crypto/block-seal.ts';
import { DeviceError } from '../device-error.ts';
import { type BlockDeviceFile, openBlockDeviceFile } from './block-device-file.ts';
import { blockHash } from './block-hash.ts';
import { deviceSizeSync } from './device-size.ts';
import { type Layout, layoutOf } from './layout.ts';
import {
  BLOCK_ENCODINGS,
  isWholeRecord,
  mostStoredBytes,
  RECORD_HEADER_BYTES,
  readRecordHeader,
  recordBytes,
} from './record.ts';
import { type BytesBehind, nothingBehind, RecordReader } from './record-reader.ts';
import { readSuperblock } from './superblock.ts';

/** Where a block lies on the device. */
export interface BlockAddress {
  readonly position: number;
  readonly sequence: number;
  readonly storedBytes: number;
  readonly rawBytes: number;
}

/**
 * Reads one block and proves it. Throws `corrupt` when what lies there is not, or no longer, that block. `isHashed`: the caller has a hash of the
 * content and compares it, so a sealed block, whose seal says that it was sealed under this name, is not hashed here too.
 */
export type ReadBlock = (
  hash: Buffer,
  address: BlockAddress,
  behind?: BytesBehind,
  isHashed?: boolean,
) => Buffer;

/** A record as it is kept: check sum proved, not decoded. Valid until the next read. */
export type ReadStored = (hash: Buffer, address: BlockAddress, behind?: BytesBehind) => Buffer;

export interface BlockReading {
  readonly block: ReadBlock;
  readonly stored: ReadStored;
  /** The whole block where that can be had without a key, else what is stored. */
  readonly prove: (hash: Buffer, address: BlockAddress) => void;
}

/** What a thread that reads many blocks reads at once. */
export const AHEAD_BYTES = 262_144;

/**
 * One for each thread: it uses its buffers again and again, so what it gives is valid until the next read. With `seal`, blocks are those of
 * an encrypted copy, and no others; without it, those of copies that are not.
 */
export function blockReading(
  device: BlockDeviceFile,
  layout: Layout,
  hashOf: HashOf,
  { seal = null, readsMany = false }: { readonly seal?: BlockSeal | null; readonly readsMany?: boolean } = {},
): BlockReading {
  const { hashBytes, seed, geometry } = layout;
  const mostBytes = recordBytes(hashBytes, mostStoredBytes(geometry.blockBytes));
  const records = new RecordReader(device, readsMany ? Math.max(mostBytes, AHEAD_BYTES) : mostBytes);
  const found = Buffer.alloc(hashBytes);
  let decoded = Buffer.alloc(0);
  // A library is loaded by the first block that needs it: a store that only takes blocks is open 10 ms sooner without.
  const codecs: Partial<Record<'zstd' | 'lz4', FrameCodec>> = {};
  const decode = (encoding: 'zstd' | 'lz4', stored: Buffer, rawBytes: number): Buffer => {
    codecs[encoding] ??= codecFor(encoding === 'zstd' ? 'Optimal' : 'Fast');
    if (decoded.length < rawBytes) decoded = Buffer.allocUnsafeSlow(geometry.blockBytes);
    const into = decoded.subarray(0, rawBytes);
    codecs[encoding].decodeInto(stored, into);
    return into;
  };
  const readRecord = (hash: Buffer, address: BlockAddress, behind: BytesBehind) => {
    const view = records.read(address.position, recordBytes(hashBytes, address.storedBytes), behind);
    const facts = readRecordHeader(view, 0, hashBytes);
    const start = RECORD_HEADER_BYTES + hashBytes;
    const kept = view.subarray(RECORD_HEADER_BYTES, start);
    if (facts?.sequence !== address.sequence || !kept.equals(hash)) throw damaged(device, hash);
    if (facts.storedBytes !== address.storedBytes || !isWholeRecord(view, 0, facts, hashBytes, seed)) {
      throw damaged(device, hash);
    }
    return { facts, stored: view.subarray(start, start + facts.storedBytes) };
  };
  const readBlock: ReadBlock = (hash, address, behind = nothingBehind, isHashed = false) => {
    // The record tells itself how it is encoded: its check sum covers that, which that of a footer is not asked for each time.
    const { facts, stored } = readRecord(hash, address, behind);
    const plain =
      facts.encoding === 'sealed' ? opened(hash, stored) : { content: stored, encoding: facts.encoding };
    const isOther = (seal === null) !== (facts.encoding !== 'sealed') || facts.rawBytes > geometry.blockBytes;
    if (plain === null || plain.encoding === 'sealed' || isOther) throw damaged(device, hash);
    const { content, encoding } = plain;
    const raw = encoding === 'raw' ? content : decode(encoding, content, facts.rawBytes);
    if (raw.length !== facts.rawBytes) throw damaged(device, hash);
    if (seal !== null && isHashed) return raw;
    if (seal === null) hashOf(raw, found);
    else seal.nameOf(raw, found);
    if (!found.equals(hash)) throw damaged(device, hash);
    return raw;
  };
  const opened = (hash: Buffer, stored: Buffer) => {
    const plain = seal?.open(hash, stored) ?? null;
    const encoding = plain === null ? undefined : BLOCK_ENCODINGS[plain.encoding];
    return plain === null || encoding === undefined ? null : { content: plain.content, encoding };
  };
  return {
    block: readBlock,
    stored: (hash, address, behind = nothingBehind) => readRecord(hash, address, behind).stored,
    prove: (hash, address) => {
      if (readRecord(hash, address, nothingBehind).facts.encoding !== 'sealed') readBlock(hash, address);
    },
  };
}

type HashOf = (bytes: Buffer, into: Buffer) => void;

function damaged(device: BlockDeviceFile, hash: Buffer): DeviceError {
  return new DeviceError('corrupt', `${device.path}: the block ${hash.toString('hex')} is damaged.`);
}

/**
 * For threads that only read, one block behind the other; what it gives is valid until the next one. `get` throws `corrupt` too
 * when cleaning moved the block meanwhile: locate it again then.
 */
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
    const { block, stored } = blockReading(device, layoutOf(superblock), hashOf, {
      seal,
      readsMany: true,
    });
    return { get: block, stored, close: device.close };
  } catch (error) {
    device.close();
    throw error;
  }
}
