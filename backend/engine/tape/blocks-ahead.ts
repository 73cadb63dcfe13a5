import { type FileHandle, open } from 'node:fs/promises';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { TapeFileFacts } from './tape-content.ts';
import { tapeBlockBytes } from './tape-record.ts';

/** A file of a copy in blocks of the tape. One user, one call at a time. */
export interface BlocksAhead {
  /** The next block, null behind the last one. It stays as it is until `readOn` is called after the next one was taken. */
  next(signal: AbortSignal): Promise<Buffer | null>;
  /** Whether no block follows. May wait until that is known. */
  isOver(signal: AbortSignal): Promise<boolean>;
  /** Reads on in the background. The block before the one that was taken last is not needed any more. */
  readOn(): void;
  close(): Promise<void>;
}

/** So many blocks are read at once: a thread has to be asked for each reading, and be woken. */
const blocksAtOnce = 4;

/** From byte `from` on. `about`: how much there has to be; less is a failure. */
export async function openBlocks(path: string, about: TapeFileFacts, from: number): Promise<BlocksAhead> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw toDeviceError(error, `${about.name} of the copy cannot be read`);
  });
  const most = blocksAtOnce * tapeBlockBytes;
  const bytes = Math.min(most, Math.max(1, about.bytes - from));
  const rooms = [Buffer.allocUnsafe(bytes), Buffer.allocUnsafe(bytes)] as const;
  let turn = 0;
  let offset = from;
  let here: Buffer = Buffer.alloc(0);
  let coming: Promise<Buffer> | null = null;

  const readOn = (): void => {
    if (coming !== null || offset >= about.bytes) return;
    turn = 1 - turn;
    const reading = readWhole(handle, rooms[turn] as Buffer, { about, offset });
    // It is looked at in its turn.
    reading.catch(() => undefined);
    offset = Math.min(about.bytes, offset + bytes);
    coming = reading;
  };

  return {
    readOn,
    next: async () => {
      if (here.length === 0) {
        readOn();
        here = (await coming) ?? here;
        coming = null;
      }
      if (here.length === 0) return null;
      const block = here.subarray(0, tapeBlockBytes);
      here = here.subarray(block.length);
      return block;
    },
    isOver: async () => here.length === 0 && coming === null && offset >= about.bytes,
    close: async () => {
      await coming?.catch(() => undefined);
      await handle.close();
    },
  };
}

async function readWhole(
  handle: FileHandle,
  room: Buffer,
  { about, offset }: { readonly about: TapeFileFacts; readonly offset: number },
): Promise<Buffer> {
  const wanted = Math.min(room.length, about.bytes - offset);
  let done = 0;
  while (done < wanted) {
    const { bytesRead } = await handle.read(room, done, wanted - done, offset + done);
    if (bytesRead === 0) {
      throw new DeviceError('permanent', `${about.name} of the copy became shorter while it was read.`);
    }
    done += bytesRead;
  }
  return room.subarray(0, wanted);
}
