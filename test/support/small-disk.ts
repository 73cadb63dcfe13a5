import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../backend/platform/errors.ts';
import { makeSparseFile } from './loop-device.ts';

export interface SmallDisk {
  /** Where it is mounted. */
  readonly path: string;
  remove(): void;
}

type FileSystem = 'ext4' | 'btrfs';

const makers = {
  ext4: ['mkfs.ext4', '-q', '-m', '0'],
  btrfs: ['mkfs.btrfs', '-q'],
} as const;

/** Why there can be none here; null when there can. Printed by whoever skips its tests. */
export function whyNoSmallDisk(kind: FileSystem): string | null {
  if (process.platform !== 'linux') return 'small disks are made with Linux’ loop devices';
  if (process.getuid?.() !== 0) return 'only root can mount';
  try {
    execFileSync('losetup', ['--find'], { stdio: 'ignore' });
    execFileSync(makers[kind][0], ['-V'], { stdio: 'ignore' });
  } catch {
    return `there is no free loop device or no ${makers[kind][0]}`;
  }
  if (kind === 'ext4') return null;
  try {
    execFileSync('grep', ['-qw', kind, '/proc/filesystems'], { stdio: 'ignore' });
    return null;
  } catch {
    return `this kernel has no ${kind}`;
  }
}

/** A file system of its own, mounted at `folder/name`. */
export async function makeSmallDisk(
  folder: string,
  options: {
    readonly kind: FileSystem;
    readonly megabytes: number;
    readonly name?: string;
    /** Further ones of the file system, as its `mkfs -O` calls them. */
    readonly features?: string;
  },
): Promise<SmallDisk> {
  const { kind, megabytes, name = 'disk', features } = options;
  const path = join(folder, name);
  const image = join(folder, `${name}.img`);
  await mkdir(path);
  await makeSparseFile(image, megabytes * 1024 * 1024);
  const [program, ...args] = makers[kind];
  const wished = features === undefined ? [] : ['-O', features];
  execFileSync(program, [...args, ...wished, image], { stdio: 'pipe' });
  execFileSync('mount', ['-o', 'loop', image, path]);
  return {
    path,
    remove: () => {
      try {
        execFileSync('umount', [path], { stdio: 'pipe' });
      } catch (error) {
        process.stderr.write(`${path} is still in use: ${messageOf(error)}\n`);
        execFileSync('umount', ['-l', path]);
      }
    },
  };
}
