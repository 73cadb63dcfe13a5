import { randomBytes } from 'node:crypto';
import { DeviceError } from '../device-error.ts';
import { type BlockDeviceFile, openBlockDeviceFile } from './block-device-file.ts';
import { type BlockAlgorithm, blockHash } from './block-hash.ts';
import { BlockStore } from './block-store.ts';
import { deviceSizeSync } from './device-size.ts';
import { planGeometry } from './geometry.ts';
import { readSuperblock, type Superblock, writeSuperblocks } from './superblock.ts';

export interface NewBlockStore {
  readonly blockBytes: number;
  readonly algorithm: BlockAlgorithm;
  readonly hashBits: number;
  /** Makes the store although one is on the device already; all its blocks are lost. */
  readonly overwrite?: boolean;
}

export interface OpenBlockStore {
  /** Where the index is saved at close; without it each opening reads all footers. */
  readonly indexFile?: string;
  /** Above it, the index moves most of itself into a file beside `indexFile`. Default 128 MiB. */
  readonly indexMemoryBytes?: number;
  /** Another way to the bytes, for tests of crashes. */
  readonly openDevice?: (path: string) => BlockDeviceFile;
}

const INDEX_MEMORY_BYTES = 134_217_728;

/**
 * Makes an empty store. Whether something else is on the device, the caller asked before. Throws `busy` for a device in use,
 * `noSpace` for one too small, `permanent` for values that do not exist or when a store is there.
 */
export function createBlockStore(path: string, options: NewBlockStore): Superblock {
  blockHash(options.algorithm, options.hashBits);
  const deviceBytes = deviceSizeSync(path);
  const geometry = planGeometry(deviceBytes, options.blockBytes);
  const device = openBlockDeviceFile(path, 'write');
  try {
    if (options.overwrite !== true && readSuperblock(device, deviceBytes) !== null) {
      throw new DeviceError('permanent', `${path}: there is a block store on it already.`);
    }
    const superblock: Superblock = {
      uuid: randomBytes(16),
      generation: 1,
      algorithm: options.algorithm,
      hashBytes: options.hashBits / 8,
      createdMs: Date.now(),
      geometry,
    };
    writeSuperblocks(device, superblock);
    return superblock;
  } finally {
    device.close();
  }
}

/** Makes a store unless one is there. Throws as `createBlockStore`. */
export function ensureBlockStore(path: string, options: NewBlockStore): void {
  const device = openBlockDeviceFile(path, 'read');
  let isThere: boolean;
  try {
    isThere = readSuperblock(device, deviceSizeSync(path)) !== null;
  } finally {
    device.close();
  }
  if (!isThere) createBlockStore(path, options);
}

/**
 * Opens a store for writing and brings it in order after a crash. Throws `corrupt` when no store is on the device, or the
 * device became smaller; `busy` when another process has it.
 */
export function openBlockStore(path: string, options: OpenBlockStore = {}): BlockStore {
  const deviceBytes = deviceSizeSync(path);
  const device = (options.openDevice ?? openForWriting)(path);
  try {
    const found = readSuperblock(device, deviceBytes);
    if (found === null) throw new DeviceError('corrupt', `${path}: there is no block store on it.`);
    const { geometry } = found;
    if (geometry.deviceBytes > deviceBytes) {
      throw new DeviceError(
        'corrupt',
        `${path}: the device has ${deviceBytes} bytes; the block store on it was made for ${geometry.deviceBytes}.`,
      );
    }
    // What the system still holds in memory from a process that died must not be lost once it was seen.
    device.sync();
    const superblock = { ...found, generation: found.generation + 1 };
    writeSuperblocks(device, superblock);
    const hashOf = blockHash(superblock.algorithm, superblock.hashBytes * 8);
    const indexFile = options.indexFile ?? null;
    const memoryBytes = options.indexMemoryBytes ?? INDEX_MEMORY_BYTES;
    const working = indexFile === null ? {} : { workingFile: `${indexFile}.work` };
    return new BlockStore(device, superblock, hashOf, indexFile, { memoryBytes, ...working });
  } catch (error) {
    device.close();
    throw error;
  }
}

function openForWriting(path: string): BlockDeviceFile {
  return openBlockDeviceFile(path, 'write');
}
