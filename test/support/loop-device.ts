import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../backend/platform/errors.ts';

export interface LoopDevice {
  readonly path: string;
  /** The file behind it. */
  readonly file: string;
  remove(): void;
}

const sectorBytes = 512;

/** A DOS partition table with one Linux partition of 24 MiB. */
async function writePartitionTable(path: string): Promise<void> {
  const sector = Buffer.alloc(sectorBytes);
  const entry = 446;
  sector[entry + 4] = 0x83;
  sector.writeUInt32LE(2048, entry + 8);
  sector.writeUInt32LE((24 * 1024 * 1024) / sectorBytes, entry + 12);
  sector.writeUInt16BE(0x55aa, 510);
  const file = await open(path, 'r+');
  await file.write(sector, 0, sectorBytes, 0);
  await file.close();
}

/** A real block device made of a sparse file in `folder`; otherwise why there cannot be one here. */
export async function makeLoopDevice(
  folder: string,
  options: { readonly name?: string; readonly sizeBytes?: number; readonly partitions?: boolean } = {},
): Promise<LoopDevice | string> {
  const file = join(folder, options.name ?? 'loop.img');
  await makeSparseFile(file, options.sizeBytes ?? 32 * 1024 * 1024);
  if (options.partitions) await writePartitionTable(file);
  try {
    const flags = options.partitions ? ['--partscan'] : [];
    const path = execFileSync('losetup', ['--find', '--show', ...flags, file], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return { path: path.trim(), file, remove: () => execFileSync('losetup', ['--detach', path.trim()]) };
  } catch (error) {
    return `no loop device can be made here: ${messageOf(error)}`;
  }
}

export async function makeSparseFile(path: string, sizeBytes: number): Promise<void> {
  const file = await open(path, 'w');
  await file.truncate(sizeBytes);
  await file.close();
}
