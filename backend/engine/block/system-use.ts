import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { toDisplay } from '../../platform/byte-path.ts';
import { readMounts, unescapeOctal } from '../../platform/mounts.ts';
import { errorCode } from '../../platform/native.ts';

/** What the kernel already does with a block device or file; `null` = nothing that it tells. */
export type SystemUse =
  | { readonly kind: 'mounted'; readonly at: string }
  | { readonly kind: 'swap' }
  | { readonly kind: 'part of'; readonly of: string };

/** Looks at a block device by its number: mounts, swap, what is built upon it, and the same of its partitions. */
export async function systemUseOfDevice(number: string): Promise<SystemUse | null> {
  const folder = await sysFolder(number);
  const numbers = [number, ...(folder === null ? [] : await partitionNumbers(folder))];
  const mount = (await readMounts()).find((one) => numbers.includes(one.device));
  if (mount) return { kind: 'mounted', at: toDisplay(mount.at) };
  for (const path of await swapPaths()) {
    const swap = await realpath(path).catch(() => path);
    const swapNumber = (await attribute(join('/sys/class/block', baseName(swap), 'dev'))) ?? '';
    if (numbers.includes(swapNumber)) return { kind: 'swap' };
  }
  for (const each of numbers) {
    const holders = await list(join('/sys/dev/block', each, 'holders'));
    if (holders[0] !== undefined) return { kind: 'part of', of: `/dev/${holders[0]}` };
  }
  return null;
}

/** Looks at a plain file: swap, and loop devices that are made of it. */
export async function systemUseOfFile(path: string): Promise<SystemUse | null> {
  const real = await realpath(path);
  if ((await swapPaths()).includes(real)) return { kind: 'swap' };
  for (const name of await list('/sys/block')) {
    const backing = await attribute(join('/sys/block', name, 'loop/backing_file'));
    if (backing === real) return { kind: 'part of', of: `/dev/${name}` };
  }
  return null;
}

/** Bytes of a block device, and whether it can be written; null when the kernel does not know it. */
export async function deviceFacts(
  number: string,
): Promise<{ readonly sizeBytes: number; readonly readOnly: boolean } | null> {
  const folder = join('/sys/dev/block', number);
  const sectors = await attribute(join(folder, 'size'));
  if (sectors === null) return null;
  // The kernel counts in 512 bytes here, whatever the sectors of the device are.
  return { sizeBytes: Number(sectors) * 512, readOnly: (await attribute(join(folder, 'ro'))) === '1' };
}

/**
 * Two devices share bytes when one is a partition of the other: the folder of a partition lies in that of its disk.
 * Null when the kernel does not know the device.
 */
export async function sysFolder(number: string): Promise<string | null> {
  const link = await readlink(join('/sys/dev/block', number)).catch(() => null);
  return link === null ? null : join('/sys/dev/block', link);
}

async function partitionNumbers(folder: string): Promise<readonly string[]> {
  const numbers: string[] = [];
  for (const name of await list(folder)) {
    if ((await attribute(join(folder, name, 'partition'))) === null) continue;
    const number = await attribute(join(folder, name, 'dev'));
    if (number !== null) numbers.push(number);
  }
  return numbers;
}

async function swapPaths(): Promise<readonly string[]> {
  return (await readLines('/proc/swaps')).slice(1).map((line) => unescapeOctal(line.split(/\s+/)[0] ?? ''));
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

async function readLines(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  } catch (error) {
    // Systems other than Linux have no such file; there the exclusive opening of the device has to tell.
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Null when there is no such attribute. */
async function attribute(path: string): Promise<string | null> {
  return readFile(path, 'utf8').then(
    (text) => text.replace(/\n$/, ''),
    () => null,
  );
}

const list = (path: string): Promise<readonly string[]> => readdir(path).catch(() => []);
