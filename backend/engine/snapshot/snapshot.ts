import { lstat, realpath, stat, statfs } from 'node:fs/promises';
import {
  type ByteString,
  baseName,
  fromDisplay,
  fsPath,
  isUtf8Bytes,
  isWithin,
  toDisplay,
  utf8Bytes,
} from '../../platform/byte-path.ts';
import { readMounts } from '../../platform/mounts.ts';
import { errorCode } from '../../platform/native.ts';
import { ProcessError, type ProcessRequest, runProcess } from '../../platform/process-runner.ts';
import { isNameOfMadeUp } from '../backup/kernel-file-systems.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { SNAPSHOT_PREFIX } from './snapshot-name.ts';
import { BTRFS, subvolumeOf, TOP_INODE } from './subvolume.ts';

/** A resource as it was at one moment; to be removed with `removeSnapshot`. */
export interface Snapshot {
  /** Where the resource is read from. */
  readonly readFrom: ByteString;
  /** The resource itself, without links in its path. */
  readonly source: ByteString;
  /** Device numbers of the files in the snapshot and in the subvolume. */
  readonly device: bigint;
  readonly sourceDevice: bigint;
  /** Not later than the moment that it shows. */
  readonly madeAtMs: number;
  /** What is mounted below the resource (display form), of which the snapshot has nothing. */
  readonly mountsBelow: readonly string[];
}

export interface SnapshotRequest {
  /** Absolute path in display form: a folder, or any single item. */
  readonly source: string;
  /** Part of its name; a UUID. */
  readonly id: string;
  /** Per cent of the file system that must be free for what changes while it is there. */
  readonly roomPercent: number;
}

/** A snapshot that can be made, as far as can be seen. */
export interface SnapshotPlan {
  /** Where it will be. To be kept before `make`, so that it can be removed whatever happens. */
  readonly path: string;
  make(signal?: AbortSignal): Promise<Snapshot>;
}

/** Making one writes out what lies in memory, which takes as long as the disk needs. */
const MAKE_TIMEOUT_MS = 600_000;
const REMOVE_TIMEOUT_MS = 60_000;

/**
 * Looks for a way to make a read-only snapshot of the btrfs subvolume that holds the resource. Throws DeviceError
 * with the reason and the remedy when there is none.
 */
export async function planSnapshot(request: SnapshotRequest): Promise<SnapshotPlan> {
  const asked = fromDisplay(request.source);
  const source = await looking(asked, () => realpath(fsPath(asked), { encoding: 'latin1' }));
  const system = await looking(asked, () => statfs(fsPath(source)));
  if (system.type >>> 0 !== BTRFS) {
    throw noSnapshot(
      asked,
      'it does not lie on btrfs, the only file system of which this server makes snapshots. Switch use_snapshot off, or set ignore_errors_snapshot to go on without',
    );
  }
  const subvolume = await looking(asked, () => subvolumeOf(source));
  if (subvolume === null) {
    throw noSnapshot(
      asked,
      'only a part of its subvolume is mounted there. Name it by a path below a mount of the whole subvolume',
    );
  }
  if (!isUtf8Bytes(subvolume)) {
    throw noSnapshot(
      asked,
      `the name of its subvolume ${toDisplay(subvolume)} is no text. Rename that folder`,
    );
  }
  const freePercent = (system.bavail / Math.max(1, system.blocks)) * 100;
  if (freePercent < request.roomPercent) {
    const has = `${Math.floor(freePercent)} % of its file system are free`;
    throw noSnapshot(
      asked,
      `${has}, and snapshot_size asks for ${request.roomPercent} %. Free space, or ask for less`,
    );
  }
  const mounts = await readMounts();
  const mayRemove = mounts
    .findLast(({ at }) => isWithin(subvolume, at))
    ?.options.includes('user_subvol_rm_allowed');
  if (process.geteuid?.() !== 0 && !mayRemove) {
    throw noSnapshot(
      asked,
      'this server could not remove it again. Run the server as root, or mount the file system with user_subvol_rm_allowed',
    );
  }
  const text = Buffer.from(subvolume, 'latin1').toString('utf8');
  const name = `${SNAPSHOT_PREFIX}${request.id}`;
  const path = text === '/' ? `/${name}` : `${text}/${name}`;
  return {
    path,
    make: async (signal) => {
      const madeAtMs = Date.now();
      await btrfs(asked, ['subvolume', 'snapshot', '-r', text, path], MAKE_TIMEOUT_MS, signal);
      const at = utf8Bytes(path);
      const below = subvolume === '/' ? source : source.slice(subvolume.length);
      return {
        readFrom: below === '' || below === '/' ? at : `${at}${below}`,
        source,
        device: (await stat(fsPath(at), { bigint: true })).dev,
        sourceDevice: (await stat(fsPath(subvolume), { bigint: true })).dev,
        madeAtMs,
        mountsBelow: [...new Set(mounts.filter(({ type }) => !isNameOfMadeUp(type)).map((one) => one.at))]
          .filter((mount) => mount !== source && isWithin(mount, source))
          .map(toDisplay),
      };
    },
  };
}

/** Removes a snapshot of this server by its path; false when there is none. Anything else there is left alone. */
export async function removeSnapshot(path: string): Promise<boolean> {
  const at = utf8Bytes(path);
  try {
    const { ino } = await lstat(fsPath(at), { bigint: true });
    const { type } = await statfs(fsPath(at));
    if (ino !== TOP_INODE || type >>> 0 !== BTRFS || !baseName(at).startsWith(SNAPSHOT_PREFIX)) {
      throw new DeviceError('permanent', `${toDisplay(at)} is no snapshot of this server; it is left alone.`);
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw toDeviceError(error, `The snapshot ${toDisplay(at)} cannot be looked at`);
  }
  await btrfs(null, ['subvolume', 'delete', path], REMOVE_TIMEOUT_MS);
  return true;
}

/** `of`: what a snapshot is made of; null when one is removed. */
async function btrfs(
  of: ByteString | null,
  args: readonly string[],
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const request: ProcessRequest = { program: 'btrfs', args, expected: [0], timeoutMs };
  try {
    await runProcess(signal ? { ...request, signal } : request);
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    if (error.reason === 'cancelled') throw new DeviceError('cancelled', 'The job was stopped.');
    const remedy = error.reason === 'missing' ? ' Install the package btrfs-progs' : '';
    if (of !== null) throw noSnapshot(of, `${error.message}${remedy}`);
    throw new DeviceError('permanent', `A snapshot cannot be removed: ${error.message}${remedy}`, {
      cause: error,
    });
  }
}

function noSnapshot(of: ByteString, reason: string): DeviceError {
  return new DeviceError(
    'permanent',
    `No snapshot of ${toDisplay(of)} can be made: ${reason.replace(/\.$/, '')}.`,
  );
}

async function looking<R>(asked: ByteString, look: () => Promise<R>): Promise<R> {
  try {
    return await look();
  } catch (error) {
    throw toDeviceError(error, `The resource ${toDisplay(asked)} cannot be read`);
  }
}
