import { workerData } from 'node:worker_threads';
import { canReleaseBuffers, collectYoungObjects } from '../../platform/collect-garbage.ts';
import { copyBytes } from '../../platform/copy-bytes.ts';
import { errorCode } from '../../platform/native.ts';
import { BlockEncoder } from '../blocks/block-encoder.ts';
import type { StoreLink } from '../blocks/store-requests.ts';
import { type ByteSource, openFileSource } from '../crypto/byte-source.ts';
import { type CopySecret, pieceSealOf } from '../crypto/copy-secret.ts';
import { SEAL_FRAME } from '../crypto/gcm.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { Control } from '../job/control.ts';
import { Ring, type Slot } from '../job/ring.ts';
import { finishWorker, runWorker } from '../job/worker-side.ts';
import { type ArrivingArchive, ArrivingSource } from './arriving-archive.ts';
import { type Compression, codecFor, manifestCodec as codecOfManifest, encodeChecked } from './codec.ts';
import { openFrameInto, readFrame } from './frame-opener.ts';
import { ContentHash } from './hash.ts';
import { FRAME_DAMAGED, FRAME_GOOD, FRAME_MISSING, KIND_ARCHIVE, KIND_BLOCKS, KIND_END } from './stream.ts';

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
const hash = new ContentHash();
const archiveCodec = codecFor(input.compression);
const manifestCodec = codecOfManifest();
const seal = pieceSealOf(input.secret ?? null);
const blocks = input.blocks
  ? new BlockEncoder(input.blocks, control, input.compression, input.secret ?? null)
  : null;
/** Where frames are sealed, before they go back into their slot. */
const sealRoom = Buffer.alloc(seal === null ? 0 : ring.slotBytes);

/** What the addons may leave behind between two collections, and how many buffers that may be. Given back at once it is little. */
const BYTES_PER_COLLECTION = canReleaseBuffers ? 67_108_864 : 4_194_304;
const BUFFERS_PER_COLLECTION = 256;
/** The event loop turns after so much, else the addons' buffers are never freed. */
const SLOTS_PER_TURN = 32;
const BYTES_PER_TURN = 1_048_576;

runWorker(control, () => {
  let bytes = 0;
  let made = 0;
  const work = input.archivePath === null ? encode : decoder(openArchive(input.archivePath));
  const step = () => {
    const until = bytes + BYTES_PER_TURN;
    for (let turn = 0; turn < SLOTS_PER_TURN && bytes < until; turn += 1) {
      const claimed = ring.claim();
      if (claimed === null) {
        finishWorker(null);
        return;
      }
      const { sequence, slot } = claimed;
      const isOfBlocks = slot.kind === KIND_BLOCKS;
      if (isOfBlocks) {
        const count = neededEncoder().encode(slot);
        if (archiveCodec.leavesBuffers || seal !== null) made += count;
      } else {
        work(slot);
        made += 1;
      }
      bytes += slot.rawLength;
      ring.finish(sequence);
    }
    if (bytes >= BYTES_PER_COLLECTION || made >= BUFFERS_PER_COLLECTION) {
      collectYoungObjects();
      bytes = 0;
      made = 0;
    }
    setImmediate(() => runWorker(control, step));
  };
  step();
});

function neededEncoder(): BlockEncoder {
  if (blocks === null) throw new Error('blocks came without a store');
  return blocks;
}

function encode(slot: Slot): void {
  if (slot.kind === KIND_END) return;
  const isFrame = slot.kind === KIND_ARCHIVE;
  const raw = slot.bytes.subarray(0, slot.rawLength);
  const codec = isFrame ? archiveCodec : manifestCodec;
  const encoded = encodeChecked(codec, raw);
  // The writer seals the segments of the manifest: only there they have their numbers.
  const stored = isFrame ? sealed(slot.first, encoded) : encoded;
  slot.hash = hash.of(stored);
  // What is neither compressed nor sealed lies there already.
  if (stored !== raw) copyBytes(stored, slot.bytes, 0);
  slot.length = stored.length;
  codec.release(encoded);
}

/** Opened again at once, as what was compressed is decompressed again: a fault of the memory never reaches the disk. */
function sealed(frame: number, encoded: Buffer): Buffer {
  if (seal === null) return encoded;
  const bytes = sealRoom.subarray(0, seal.seal(SEAL_FRAME, frame, encoded, sealRoom));
  if (seal.open(SEAL_FRAME, frame, bytes)?.equals(encoded)) return bytes;
  throw new DeviceError(
    'corrupt',
    'The encrypted data could not be read back. The memory or the processor of this computer may be faulty.',
  );
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
function decoder(archive: ByteSource | null): (slot: Slot) => void {
  // What is neither compressed nor sealed is read to where it stays.
  const isPlain = input.compression === 'None' && seal === null;
  const scratch = isPlain ? null : Buffer.alloc(ring.slotBytes);
  const tools = { hash, seal, codec: archiveCodec };
  return (slot) => {
    const stored = (scratch ?? slot.bytes).subarray(0, slot.length);
    slot.length = 0;
    slot.status = archive === null ? FRAME_MISSING : readFrame(archive, stored, slot.first);
    if (slot.status !== FRAME_GOOD) return;
    const frame = { index: slot.second, rawLength: slot.rawLength, hash: slot.hash };
    const isOpened = openFrameInto(slot.bytes, stored, frame, tools);
    slot.status = isOpened ? FRAME_GOOD : FRAME_DAMAGED;
    slot.length = isOpened ? slot.rawLength : 0;
  };
}
