import { type FileHandle, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../platform/native.ts';
import { toDeviceError } from '../device-error.ts';
import type { PieceSums } from './piece-sums.ts';
import { tapeBlockBytes } from './tape-record.ts';

/** Bytes of each file that an earlier attempt has brought to `folder`, which is made when it is not there. */
export async function keptFiles(folder: string, isResumable: boolean): Promise<ReadonlyMap<string, number>> {
  const kept = new Map<string, number>();
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!isResumable || errorCode(error) !== 'EEXIST')
      throw toDeviceError(error, `The folder ${folder} cannot be made`);
    for (const name of await readdir(folder)) kept.set(name, (await lstat(join(folder, name))).size);
  }
  return kept;
}

/**
 * Blocks of the tape that need not be read again of a piece of `pieceBytes`, of which `keptBytes` are there. One is always left:
 * behind it the drive meets the filemark as ever.
 */
export function blocksToSkip(pieceBytes: number, keptBytes: number): number {
  const most = Math.ceil(pieceBytes / tapeBlockBytes) - 1;
  return Math.max(0, Math.min(Math.floor(keptBytes / tapeBlockBytes), most));
}

/** Takes what is there into the hash, as if it had come from the tape. */
export async function hashKept(
  handle: FileHandle,
  { from, bytes }: { readonly from: number; readonly bytes: number },
  sums: Pick<PieceSums, 'update'>,
  signal: AbortSignal,
): Promise<void> {
  const buffer = Buffer.alloc(tapeBlockBytes);
  for (let done = 0; done < bytes; ) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, bytes - done), from + done);
    if (bytesRead === 0) throw new Error('a file that was kept became shorter meanwhile');
    sums.update(buffer.subarray(0, bytesRead));
    done += bytesRead;
  }
}
