import { readFile, stat } from 'node:fs/promises';
import { isAnswering } from './answering.ts';
import { deviceParts } from './native.ts';
import { withinDeadline } from './within-deadline.ts';

/**
 * `major:minor` of the block device that holds the folder or file (or of the block device at `path` itself); null
 * when none is known, for example on a network or memory file system.
 */
export async function blockDeviceOf(path: string): Promise<string | null> {
  return (await isAnswering(path)) ? withinDeadline(find(path), null) : null;
}

async function find(path: string): Promise<string | null> {
  try {
    const facts = await stat(path);
    if (facts.isBlockDevice()) return deviceText(facts.rdev);
    const device = deviceText(facts.dev);
    // Some file systems (btrfs) show a number of their own; the mount table knows the device below it.
    if (!device.startsWith('0:')) return device;
    const source = mountSource(await readFile('/proc/self/mountinfo', 'utf8'), device);
    if (source === null) return null;
    const below = await stat(source);
    return below.isBlockDevice() ? deviceText(below.rdev) : null;
  } catch {
    // Not there or not to be looked at: then there are no figures of it.
    return null;
  }
}

/** `major:minor` of a device number, as the kernel writes it. */
export function deviceText(device: number | bigint): string {
  const { major, minor } = deviceParts(BigInt(device));
  return `${major}:${minor}`;
}

/** What is mounted under the device number, as a path below `/dev`; null for anything else. */
export function mountSource(mountinfo: string, device: string): string | null {
  for (const line of mountinfo.split('\n')) {
    const fields = line.split(' ');
    if (fields[2] !== device) continue;
    const source = fields[fields.indexOf('-') + 2];
    if (source?.startsWith('/dev/')) return source;
  }
  return null;
}
