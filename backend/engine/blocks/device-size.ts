import { readFileSync, statSync } from 'node:fs';
import { deviceText } from '../../platform/device-of.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';

const SECTOR_BYTES = 512;

/**
 * The size of a raw device or plain file, synchronously as worker threads need it. Throws `permanent` for anything else,
 * `notFound` for a device without bytes: an empty reader, a loop device that was taken down.
 */
export function deviceSizeSync(path: string): number {
  try {
    const facts = statSync(path, { bigint: true });
    if (facts.isFile()) return Number(facts.size);
    if (!facts.isBlockDevice()) {
      throw new DeviceError('permanent', `${path}: it is neither a block device nor a plain file.`);
    }
    const sectors = Number(readFileSync(`/sys/dev/block/${deviceText(facts.rdev)}/size`, 'latin1'));
    if (sectors > 0) return sectors * SECTOR_BYTES;
    throw new DeviceError('notFound', `${path}: the device has no bytes now.`);
  } catch (error) {
    throw toDeviceError(error, path);
  }
}
