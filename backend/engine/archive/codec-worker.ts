import { workerData } from 'node:worker_threads';
import { errorCode } from '../../platform/native.ts';
import { BlockEncoder } from '../blocks/block-encoder.ts';
import { StoreClient } from '../blocks/store-client.ts';
import type { StoreLink } from '../blocks/store-requests.ts';
import { type ByteSource, openFileSource } from '../crypto/byte-source.ts';
import { type CopySecret, pieceSealOf } from '../crypto/copy-secret.ts';
import { toDeviceError } from '../device-error.ts';
import { Control } from '../job/control.ts';
import { Ring, type Slot } from '../job/ring.ts';
import { finishWorker, runWorker } from '../job/worker-side.ts';
import { type ArrivingArchive, ArrivingSource } from './arriving-archive.ts';
import { type Compression, codecFor } from './codec.ts';
import { openFrameInto, readFrame } from './frame-opener.ts';
import { ContentHash } from './hash.ts';
import { CodecLeftovers, SlotEncoder } from './slot-encoder.ts';
import { FRAME_DAMAGED, FRAME_GOOD, FRAME_MISSING } from './stream.ts';

/** Compresses or decompresses the slots of a ring. Several of these run beside each other. */
export interface CodecInput {
  readonly control: SharedArrayBuffer;
  readonly ring: SharedArrayBuffer;
  readonly slotCount: number;
  readonly compression: Compression;
  /** Null: encode what the producer put into the slots; else decode frames of this file. */
  readonly archivePath: string | null;
  /** The file is on its way; else it is there. */
  readonly arriving?: ArrivingArchive | null;
  /** What encrypts the copy that is made; null: nothing does. */
  readonly secret?: CopySecret | null;
  /** The store that the frames go to as blocks; null: they go to the copy's archive. */
  readonly blocks?: StoreLink | null;
}

const input = workerData as CodecInput;
const control = new Control(input.control);
const ring = new Ring(input.ring, input.slotCount, control);
/** The event loop turns after so much, else the addons' buffers are never freed. */
const SLOTS_PER_TURN = 32;
const BYTES_PER_TURN = 1_048_576;

runWorker(control, () => {
  const { work, collect } = input.archivePath === null ? encoder() : decoder(openArchive(input.archivePath));
  const step = () => {
    let bytes = 0;
    for (let turn = 0; turn < SLOTS_PER_TURN && bytes < BYTES_PER_TURN; turn += 1) {
      const claimed = ring.claim();
      if (claimed === null) {
        finishWorker(null);
        return;
      }
      const { sequence, slot } = claimed;
      bytes += slot.rawLength;
      work(slot);
      ring.finish(sequence);
    }
    collect();
    setImmediate(() => runWorker(control, step));
  };
  step();
});

interface SlotWork {
  readonly work: (slot: Slot) => void;
  /** When it may have left much behind; the event loop turns afterwards. */
  readonly collect: () => void;
}

function encoder(): SlotWork {
  const { compression, secret = null, blocks = null } = input;
  const ofBlocks = blocks && new BlockEncoder(new StoreClient(blocks, control), compression, secret);
  const slots = new SlotEncoder(ring, compression, secret, ofBlocks);
  return { work: (slot) => slots.encode(slot), collect: () => slots.collect() };
}

/** Null when it is not there any more: its frames are missing then. */
function openArchive(path: string): ByteSource | null {
  if (input.arriving) return new ArrivingSource(input.arriving.memory, path, control);
  try {
    return openFileSource(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw toDeviceError(error, 'The archive of this copy cannot be read');
  }
}

/** `first` is the offset in the file, `second` the frame's number, `length` its stored length, `hash` what the stored bytes must have. */
function decoder(archive: ByteSource | null): SlotWork {
  const leftovers = new CodecLeftovers();
  const seal = pieceSealOf(input.secret ?? null);
  // What is neither compressed nor sealed is read to where it stays.
  const isPlain = input.compression === 'None' && seal === null;
  const scratch = isPlain ? null : Buffer.alloc(ring.slotBytes);
  const tools = { hash: new ContentHash(), seal, codec: codecFor(input.compression) };
  const work = (slot: Slot): void => {
    leftovers.note(slot.rawLength, 1);
    const stored = (scratch ?? slot.bytes).subarray(0, slot.length);
    slot.length = 0;
    slot.status = archive === null ? FRAME_MISSING : readFrame(archive, stored, slot.first);
    if (slot.status !== FRAME_GOOD) return;
    const frame = { index: slot.second, rawLength: slot.rawLength, hash: slot.hash };
    const isOpened = openFrameInto(slot.bytes, stored, frame, tools);
    slot.status = isOpened ? FRAME_GOOD : FRAME_DAMAGED;
    slot.length = isOpened ? slot.rawLength : 0;
  };
  return { work, collect: () => leftovers.collect() };
}
