import fs from 'node:fs';
import path from 'node:path';
import { workerData } from 'node:worker_threads';
import { readFullySync, syncDirectorySync, writeAllSync } from '../../platform/files.ts';
import { toDeviceError } from '../device-error.ts';
import { Control, Throttle } from '../job/control.ts';
import { finishWorker, runWorker } from '../job/worker-side.ts';

/** Copies the files of a copy, byte for byte, and puts them on the disk. */
export interface TransferInput {
  readonly control: SharedArrayBuffer;
  readonly sourcePath: string;
  /** Is there and empty. */
  readonly targetPath: string;
  readonly files: readonly { readonly name: string; readonly sizeBytes: number }[];
}

const CHUNK_BYTES = 1_048_576;

const input = workerData as TransferInput;
const control = new Control(input.control);
const throttle = new Throttle(control);
const chunk = Buffer.alloc(CHUNK_BYTES);

runWorker(control, () => {
  for (const { name, sizeBytes } of input.files) transfer(name, sizeBytes);
  try {
    syncDirectorySync(input.targetPath);
  } catch (error) {
    throw unwritten(error);
  }
  finishWorker(null);
});

function transfer(name: string, sizeBytes: number): void {
  const from = openSource(path.join(input.sourcePath, name));
  try {
    const to = openTarget(path.join(input.targetPath, name));
    try {
      for (let at = 0; at < sizeBytes; ) {
        control.check();
        const part = chunk.subarray(0, Math.min(CHUNK_BYTES, sizeBytes - at));
        const count = read(from, part, at);
        // Shorter than its size: the read-back that follows finds what is missing and says so.
        if (count === 0) break;
        throttle.spend(count);
        write(to, part.subarray(0, count));
        control.add('bytesDone', count);
        control.add('transferredBytes', count);
        at += count;
      }
      sync(to);
    } finally {
      fs.closeSync(to);
    }
  } finally {
    fs.closeSync(from);
  }
}

function openSource(file: string): number {
  try {
    return fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  } catch (error) {
    throw toDeviceError(error, 'The copy cannot be read from its storage');
  }
}

function openTarget(file: string): number {
  try {
    return fs.openSync(file, 'wx', 0o600);
  } catch (error) {
    throw unwritten(error);
  }
}

function read(fd: number, into: Buffer, position: number): number {
  try {
    return readFullySync(fd, into, position);
  } catch (error) {
    throw toDeviceError(error, 'The copy cannot be read from its storage');
  }
}

function write(fd: number, bytes: Buffer): void {
  try {
    writeAllSync(fd, bytes);
  } catch (error) {
    throw unwritten(error);
  }
}

function sync(fd: number): void {
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    throw unwritten(error);
  }
}

function unwritten(error: unknown): Error {
  return toDeviceError(error, `The copy cannot be written to the storage ${path.dirname(input.targetPath)}`);
}
