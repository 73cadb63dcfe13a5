import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { readFullySync, writeAllSync } from '../../platform/files.ts';
import { errorCode } from '../../platform/native.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';

/** The bytes of a raw device or plain file, by position. Calls are synchronous: they belong into a worker thread. */
export interface BlockDeviceFile {
  readonly path: string;
  /** Fills `into`; throws `corrupt` when the device ends before. */
  readonly read: (into: Uint8Array, position: number) => void;
  readonly write: (bytes: Uint8Array, position: number) => void;
  /** Everything written before is durable afterwards. An error is final: what reached the disk is unknown then. */
  readonly sync: () => void;
  readonly close: () => void;
}

/**
 * Opens for reading, or for writing too. A device opened for writing is claimed exclusively, as a mount would do it, so
 * `busy` comes when it is mounted or another process writes to it.
 */
export function openBlockDeviceFile(path: string, access: 'read' | 'write'): BlockDeviceFile {
  const fd = attempt(path, () => openSync(path, openFlags(access)));
  return {
    path,
    read: (into, position) => {
      const count = attempt(path, () => readFullySync(fd, into, position));
      if (count < into.length) {
        throw new DeviceError('corrupt', `${path}: it ends at ${position + count}, before what lies on it.`);
      }
    },
    write: (bytes, position) => attempt(path, () => writeAllSync(fd, bytes, position)),
    sync: () => attempt(path, () => fsyncSync(fd)),
    close: () => closeSync(fd),
  };
}

/** Of plain files, O_EXCL without O_CREAT says nothing. */
function openFlags(access: 'read' | 'write'): number {
  return access === 'read' ? constants.O_RDONLY : constants.O_RDWR | constants.O_EXCL;
}

function attempt<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    // What a device past its end says, and what a sparse file says when its disk is full, is the same to the caller.
    if (errorCode(error) === 'ENXIO') throw new DeviceError('notFound', `${path}: the device is gone.`);
    throw toDeviceError(error, path);
  }
}
