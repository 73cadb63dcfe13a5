import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectorySync } from '../../platform/files.ts';
import { toDeviceError } from '../device-error.ts';

/** Writes a file beside a store anew: it is there whole or as it was before. Throws a `DeviceError`, and leaves nothing half done. */
export function replaceFile(path: string, write: (fd: number) => void): void {
  const temporary = `${path}.tmp`;
  try {
    const fd = openSync(temporary, 'w', 0o600);
    try {
      write(fd);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
    syncDirectorySync(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw toDeviceError(error, path);
  }
}
