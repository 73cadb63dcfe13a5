import { stat } from 'node:fs/promises';
import { deviceText } from '../../platform/device-of.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { deviceFacts, type SystemUse, systemUseOfDevice, systemUseOfFile } from './system-use.ts';

/** What stands behind the path of a device that is to be read. */
export interface ImageSource {
  readonly kind: 'block' | 'file';
  readonly sizeBytes: number;
  /** What the system does with it: then it may change while it is read. */
  readonly use: SystemUse | null;
}

/**
 * Looks without opening it. Rejects with a `DeviceError`: `notFound` (also for a device without bytes), `permission`, or
 * `permanent` for something that is neither a block device nor a plain file.
 */
export async function inspectImageSource(path: string): Promise<ImageSource> {
  try {
    const facts = await stat(path);
    if (facts.isFile()) return { kind: 'file', sizeBytes: facts.size, use: await systemUseOfFile(path) };
    if (facts.isBlockDevice()) {
      const number = deviceText(facts.rdev);
      const sizeBytes = (await deviceFacts(number))?.sizeBytes ?? 0;
      if (sizeBytes === 0) throw new DeviceError('notFound', `${path}: the device has no bytes now.`);
      return { kind: 'block', sizeBytes, use: await systemUseOfDevice(number) };
    }
  } catch (error) {
    throw toDeviceError(error, path);
  }
  throw new DeviceError(
    'permanent',
    `${path} is neither a block device nor a plain file. Use the resource type File system for folders.`,
  );
}
