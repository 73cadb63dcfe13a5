import fs from 'node:fs';
import path from 'node:path';
import { workerData } from 'node:worker_threads';
import { readFullySync, syncDirectorySync, writeAllSync } from '../../platform/files.ts';
import { toDeviceError } from '../device-error.ts';
import { Control, Throttle } from '../job/control.ts';
import { finishWorker, runWorkerAsync, sendLog } from '../job/worker-side.ts';
import { inOrderOfSending, type KeptBytes, keptBytes } from './kept-bytes.ts';

/** Copies the files of a copy, byte for byte, and puts them on the disk. */
export interface TransferInput {
  readonly control: SharedArrayBuffer;
  readonly sourcePath: string;
  readonly targetPath: string;
  /** The target holds what an earlier attempt brought; else it is empty. */
  readonly isBegun: boolean;
  readonly files: readonly { readonly name: string; readonly sizeBytes: number }[];
}

const CHUNK_BYTES = 1_048_576;

const input = workerData as TransferInput;
const control = new Control(input.control);
const throttle = new Throttle(control);
const chunk = Buffer.alloc(CHUNK_BYTES);

runWorkerAsync(control, async () => {
  const kept = input.isBegun ? await keptOf() : new Map<string, number>();
  for (const { name, sizeBytes } of inOrderOfSending(input.files))
    transfer(name, sizeBytes, kept.get(name) ?? 0);
  try {
    syncDirectorySync(input.targetPath);
  } catch (error) {
    throw unwritten(error);
  }
  finishWorker(null);
});

/** What is there and right counts as done; anything else that is there goes. */
async function keptOf(): Promise<KeptBytes> {
  try {
    const sizes = new Map(input.files.map(({ name, sizeBytes }) => [name, sizeBytes]));
    for (const name of fs.readdirSync(input.targetPath)) {
      if (!sizes.has(name)) fs.rmSync(path.join(input.targetPath, name), { recursive: true });
    }
    const found = await keptBytes(input.targetPath, () => control.check());
    const kept = [...found].map(([name, bytes]) => [name, Math.min(bytes, sizes.get(name) ?? 0)] as const);
    const bytes = kept.reduce((sum, [, each]) => sum + each, 0);
    control.add('bytesDone', bytes);
    sendLog(
      'info',
      `${bytes} bytes had arrived before, were read back and are right; they are not sent again.`,
    );
    return new Map(kept);
  } catch (error) {
    throw unwritten(error);
  }
}

function transfer(name: string, sizeBytes: number, kept: number): void {
  const from = openSource(path.join(input.sourcePath, name));
  try {
    const to = openTarget(path.join(input.targetPath, name), kept);
    try {
      for (let at = kept; at < sizeBytes; ) {
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

/** Whatever is written goes behind the first `kept` bytes, and nothing else stands there. */
function openTarget(file: string, kept: number): number {
  const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW } = fs.constants;
  const begins = input.isBegun ? O_APPEND | O_NOFOLLOW : O_EXCL;
  try {
    const fd = fs.openSync(file, O_WRONLY | O_CREAT | begins, 0o600);
    if (input.isBegun) fs.ftruncateSync(fd, kept);
    return fd;
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
