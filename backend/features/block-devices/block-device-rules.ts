import { sep } from 'node:path';
import type { BlockInspection } from '../../engine/index.ts';
import { counted } from '../bulk.ts';

/** Smaller than this nothing useful fits: labels at both ends and a table of hashes. */
const smallestBytes = 1024 * 1024;

/**
 * Why a device cannot take blocks, or null. What the system uses is refused whatever the caller says; what only lies
 * there goes when `overwrites`.
 */
export function whyDeviceIsRefused(found: BlockInspection, overwrites: boolean): string | null {
  if (found.use?.kind === 'mounted') return `is mounted at ${found.use.at}; unmount it first`;
  if (found.use?.kind === 'swap') return 'is used as swap space; switch that off first';
  if (found.use?.kind === 'part of') return `is used by ${found.use.of}; take it out of there first`;
  if (found.use !== null) return 'is used by the system or another program; release it first';
  if (found.readOnly) return 'is write-protected; remove the protection or choose another device';
  if (found.sizeBytes < smallestBytes) return 'is smaller than 1 MiB; choose a larger device';
  if (overwrites) return null;
  if (found.signatures.length > 0) {
    return `holds ${found.signatures.join(', ')}; choose another device, or set overwrite_file_system to true to lose it`;
  }
  if (found.hasData) {
    return 'holds data of an unknown kind; choose another device, or set overwrite_file_system to true to lose it';
  }
  return null;
}

/**
 * Why a plain file cannot serve as a device, or null: among the files of this server and of its storages there are
 * none to spare. `path` has its links followed.
 */
export function whyFileIsRefused(
  path: string,
  places: { readonly storages: readonly string[]; readonly dataDir: string },
): string | null {
  if (path.startsWith(places.dataDir + sep))
    return 'lies in the data of this server; choose a file elsewhere';
  const storage = places.storages.find((folder) => path.startsWith(folder + sep));
  return storage === undefined ? null : `lies in the storage ${storage}; choose a file elsewhere`;
}

export interface BlockDeviceUse {
  readonly id: number;
  readonly device: string;
  readonly usedBytes: number;
  /** Tasks that may be writing to it right now. */
  readonly runningTasks: number;
}

/** Why the device cannot go, or null. */
export function whyBlockDeviceStays(use: BlockDeviceUse): string | null {
  if (use.usedBytes > 0) {
    return `the block device ${use.device} holds ${counted(use.usedBytes, 'byte')} of blocks in use; delete their copies first`;
  }
  if (use.runningTasks > 0) {
    return `the block device ${use.device} may be used by ${counted(use.runningTasks, 'running task')}; wait for the end`;
  }
  return null;
}
