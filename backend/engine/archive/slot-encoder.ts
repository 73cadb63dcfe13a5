import { canReleaseBuffers, collectYoungObjects } from '../../platform/collect-garbage.ts';
import { copyBytes } from '../../platform/copy-bytes.ts';
import type { BlockEncoder } from '../blocks/block-encoder.ts';
import { type CopySecret, pieceSealOf } from '../crypto/copy-secret.ts';
import { SEAL_FRAME } from '../crypto/gcm.ts';
import { DeviceError } from '../device-error.ts';
import type { Ring, Slot } from '../job/ring.ts';
import { type Compression, codecFor, manifestCodec as codecOfManifest, encodeChecked } from './codec.ts';
import { ContentHash } from './hash.ts';
import { KIND_ARCHIVE, KIND_BLOCKS, KIND_END } from './stream.ts';

/** Makes of what the producer put into a slot what is stored: frames of the archive, blocks, segments of the manifest. */
export class SlotEncoder {
  readonly #hash = new ContentHash();
  readonly #archiveCodec: ReturnType<typeof codecFor>;
  readonly #manifestCodec = codecOfManifest();
  readonly #seal: ReturnType<typeof pieceSealOf>;
  /** Where frames are sealed, before they go back into their slot. */
  readonly #sealRoom: Buffer;
  readonly #blocks: BlockEncoder | null;
  readonly #leftovers = new CodecLeftovers();
  /** Frames stay as they are. */
  readonly #isPlain: boolean;
  /** Whether encoding blocks leaves buffers of an addon behind. */
  readonly #isLeaving: boolean;

  /** `blocks`: for the frames of a copy that go to a store; null: they go to its archive. */
  constructor(ring: Ring, compression: Compression, secret: CopySecret | null, blocks: BlockEncoder | null) {
    this.#isPlain = compression === 'None' && secret === null;
    this.#archiveCodec = codecFor(compression);
    this.#blocks = blocks;

    this.#seal = pieceSealOf(secret);
    this.#isLeaving = this.#archiveCodec.leavesBuffers || this.#seal !== null;
    this.#sealRoom = Buffer.alloc(this.#seal === null ? 0 : ring.slotBytes);
  }

  /** Throws `corrupt` when what was made cannot be read back. */
  encode(slot: Slot): void {
    if (slot.kind === KIND_END) return;
    if (slot.kind === KIND_BLOCKS) {
      this.#encodeBlocks(slot);
      return;
    }
    const isFrame = slot.kind === KIND_ARCHIVE;
    // Whoever writes it as it is makes its hash too: part by part, while that is in the cache of the processor.
    if (isFrame && this.#isPlain) return;
    const raw = slot.bytes.subarray(0, slot.rawLength);
    const codec = isFrame ? this.#archiveCodec : this.#manifestCodec;
    const encoded = encodeChecked(codec, raw);
    // The writer seals the segments of the manifest: only there they have their numbers.
    const stored = isFrame ? this.#sealed(slot.first, encoded) : encoded;
    slot.hash = this.#hash.of(stored);
    // What is neither compressed nor sealed lies there already.
    if (stored !== raw) copyBytes(stored, slot.bytes, 0);
    slot.length = stored.length;
    codec.release(encoded);
    this.#leftovers.note(slot.rawLength, 1);
  }

  /** Collects what was left behind when it has become much. Only of use when the event loop turns afterwards. */
  collect(): void {
    this.#leftovers.collect();
  }

  #encodeBlocks(slot: Slot): void {
    if (this.#blocks === null) throw new Error('blocks came without a store');
    const { rawLength } = slot;
    const made = this.#blocks.encode(slot);
    if (this.#isLeaving) this.#leftovers.note(rawLength, made);
  }

  /** Opened again at once, as what was compressed is decompressed again: a fault of the memory never reaches the disk. */
  #sealed(frame: number, encoded: Buffer): Buffer {
    if (this.#seal === null) return encoded;
    const bytes = this.#sealRoom.subarray(0, this.#seal.seal(SEAL_FRAME, frame, encoded, this.#sealRoom));
    if (this.#seal.open(SEAL_FRAME, frame, bytes)?.equals(encoded)) return bytes;
    throw new DeviceError(
      'corrupt',
      'The encrypted data could not be read back. The memory or the processor of this computer may be faulty.',
    );
  }
}

/** What the addons may leave behind between two collections, and how many buffers that may be. Given back at once it is little. */
const BYTES_PER_COLLECTION = canReleaseBuffers ? 67_108_864 : 4_194_304;
const BUFFERS_PER_COLLECTION = 256;

/** Collects young objects when encoding and decoding may have left much behind. */
export class CodecLeftovers {
  #bytes = 0;
  #made = 0;

  note(bytes: number, made: number): void {
    this.#bytes += bytes;
    this.#made += made;
  }

  /** Only of use when the event loop turns afterwards. */
  collect(): void {
    if (this.#bytes < BYTES_PER_COLLECTION && this.#made < BUFFERS_PER_COLLECTION) return;
    collectYoungObjects();
    this.#bytes = 0;
    this.#made = 0;
  }
}
