import { ContentHash } from '../archive/hash.ts';
import { BlockBatch } from '../blocks/block-batch.ts';
import { BlockOutput } from '../blocks/block-output.ts';
import type { StoreClient } from '../blocks/store-client.ts';
import { DeviceError } from '../device-error.ts';
import { type Control, Throttle } from '../job/control.ts';
import type { Slot } from '../job/ring.ts';
import type { StoredOutput } from './stored-output.ts';

/** What is told of the frames that are stored, once the position of the output is behind them. */
export interface FrameNotes {
  /** What stands of a frame of an archive in the table of frames. */
  readonly line: (line: string) => void;
  readonly block: (rawLength: number, hash: Buffer) => void;
  /** So many blocks that are known, by their lines in the table, and how long they are. */
  readonly run: (lines: Buffer, count: number, rawLength: number) => void;
}

/** Where the frames of a new copy go, in their order. */
export interface FrameOutput {
  /** Bytes that were stored for this copy. */
  readonly storedBytes: number;
  /** Where the next frame begins: in the archive, or for blocks in the tar stream. */
  readonly position: number;
  /** True: a stored frame is left to the senders, with its place as `second`. */
  readonly isSent: boolean;
  /** Stores what is in the slot: a frame, or several as blocks. `notes` are told of each. */
  add(slot: Slot, notes: FrameNotes): void;
  /** Nothing follows. */
  end(): void;
  /** Calls back when all of it is durable. */
  sync(done: (error: unknown) => void): void;
  close(): void;
}

/** Dirty data beyond this is pushed to the disk while the work goes on, so that the last fsync is short. */
const SYNC_EVERY_BYTES = 67_108_864;
/** A frame goes out in such parts, so that a limit is kept within a second and not only over many. */
const PART_BYTES = 131_072;

/** One behind the other in the copy's archive. `failed`: what a sync beside the work ran into. `keptBytes`: written by an earlier attempt. `isPassing`: it is not pushed to the disk. */
export function archiveFrames(
  archive: StoredOutput,
  control: Control,
  isSent: boolean,
  failed: (error: unknown) => void,
  { keptBytes, isPassing }: { readonly keptBytes: number; readonly isPassing: boolean },
): FrameOutput {
  const throttle = new Throttle(control);
  const hash = new ContentHash();
  let position = keptBytes;
  let unsynced = 0;
  let isSyncing = false;
  const syncInBackground = (): void => {
    unsynced = 0;
    isSyncing = true;
    archive.syncData((error) => {
      isSyncing = false;
      if (error !== null) failed(error);
    });
  };
  return {
    isSent,
    get storedBytes() {
      return archive.storedBytes;
    },
    get position() {
      return position;
    },
    add: (slot, notes) => {
      const bytes = slot.bytes.subarray(0, slot.length);
      const isHashing = slot.hash === '';
      if (isHashing) hash.start();
      if (isSent) slot.second = position;
      for (let at = 0; at < bytes.length; at += PART_BYTES) {
        const part = bytes.subarray(at, at + PART_BYTES);
        throttle.spend(part.length);
        if (isHashing) hash.update(part);
        if (isSent) archive.note(part);
        else archive.write(part);
        position += part.length;
        slot.passed = Math.floor((slot.rawLength * (at + part.length)) / bytes.length);
        control.set('transferredBytes', position - keptBytes);
      }
      unsynced += bytes.length;
      if (unsynced >= SYNC_EVERY_BYTES && !isSyncing && !isPassing) syncInBackground();
      notes.line(frameLine(bytes.length, isHashing ? hash.digest() : slot.hash));
    },
    end: () => archive.end(),
    sync: (done) => archive.sync(done),
    close: () => archive.close(),
  };
}

/** As blocks in a store; only those that it does not have are sent. */
export function blockFrames(store: StoreClient, control: Control): FrameOutput {
  const throttle = new Throttle(control);
  const output = new BlockOutput(store);
  let position = 0;
  let sent = 0;
  const refusingFull = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof DeviceError) || error.kind !== 'noSpace') throw error;
      throw new DeviceError(
        'noSpace',
        `The block device ${store.path} is full after ${output.storedBytes} new bytes of this copy. Add a block device to the pool, or delete copies and let unused blocks be cleaned.`,
        { cause: error, ...(error.bytesNeeded === null ? {} : { bytesNeeded: error.bytesNeeded }) },
      );
    }
  };
  return {
    isSent: false,
    get storedBytes() {
      return output.storedBytes;
    },
    get position() {
      return position;
    },
    add: (slot, notes) => {
      const batch = BlockBatch.of(slot);
      for (let index = 0; index < batch.count; index += 1) {
        const rawLength = batch.rawLengthOf(index);
        if (batch.isNew(index)) {
          const { length } = batch.bytesOf(index);
          throttle.spend(length);
          refusingFull(() => output.put(batch, index));
          sent += length;
        }
        position += rawLength;
        slot.passed += rawLength;
        if (batch.isRun(index)) notes.run(batch.bytesOf(index), batch.runCountOf(index), rawLength);
        else notes.block(rawLength, batch.hashOf(index));
      }
      control.set('transferredBytes', sent);
    },
    end: () => undefined,
    sync: (done) => {
      try {
        refusingFull(() => output.sync());
        done(null);
      } catch (error) {
        done(error);
      }
    },
    close: () => undefined,
  };
}

function frameLine(length: number, hash: string): string {
  return `[${length},"${hash}"]\n`;
}
