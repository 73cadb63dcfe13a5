import { type Compression, codecFor, encodeChecked, type FrameCodec } from '../archive/codec.ts';
import { FRAME_KNOWN, FRAME_NEW } from '../archive/stream.ts';
import type { BlockSeal } from '../crypto/block-seal.ts';
import { blockSealOf, type CopySecret } from '../crypto/copy-secret.ts';
import { DeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import type { Slot } from '../job/ring.ts';
import { blockHash } from './block-hash.ts';
import { BLOCK_ENCODINGS, type BlockEncoding, mostStoredBytes } from './record.ts';
import { StoreClient } from './store-client.ts';
import type { StoreLink } from './store-requests.ts';

const ENCODINGS: Readonly<Record<Compression, BlockEncoding>> = {
  None: 'raw',
  Fast: 'lz4',
  Optimal: 'zstd',
  Best: 'zstd',
};

/**
 * Turns frames into blocks: names each by its hash, asks the store whether it is there, and compresses only what is not.
 * In the slot are then the block's hash (base64), what became of it (`status`) and how it is encoded (`second`).
 */
export class BlockEncoder {
  readonly #store: StoreClient;
  readonly #codec: FrameCodec;
  readonly #encoding: BlockEncoding;
  readonly #hashOf: ReturnType<typeof blockHash>;
  readonly #hashBytes: number;
  readonly #raw: Buffer;
  readonly #seal: BlockSeal | null;
  readonly #sealed: Buffer;

  /** `secret`: of an encrypted copy; its blocks are named and sealed with its client's key. */
  constructor(link: StoreLink, control: Control, compression: Compression, secret: CopySecret | null) {
    const { algorithm, hashBytes, blockBytes } = link.facts;
    this.#seal = blockSealOf(secret, link.facts);
    this.#store = new StoreClient(link, control);
    this.#codec = codecFor(compression);
    this.#encoding = ENCODINGS[compression];
    const seal = this.#seal;
    this.#hashOf =
      seal === null ? blockHash(algorithm, hashBytes * 8) : (raw, into) => seal.nameOf(raw, into);
    this.#hashBytes = hashBytes;
    this.#raw = Buffer.alloc(blockBytes);
    this.#sealed = Buffer.alloc(this.#seal === null ? 0 : mostStoredBytes(blockBytes));
  }

  /** All of them by one question: the way to the store and back takes longer than the work on a small block. */
  encode(slots: readonly Slot[]): void {
    // Others are blocks of an earlier copy, which the reader has asked for already.
    const unasked = slots.filter((slot) => slot.hash === '');
    for (const slot of slots) slot.status = FRAME_KNOWN;
    if (unasked.length === 0) return;
    const hashes = new Uint8Array(unasked.length * this.#hashBytes);
    const hashAt = (index: number): Buffer =>
      Buffer.from(hashes.buffer, index * this.#hashBytes, this.#hashBytes);
    for (const [index, slot] of unasked.entries()) {
      const hash = hashAt(index);
      this.#hashOf(this.#rawOf(slot), hash);
      slot.hash = hash.toString('base64');
    }
    const found = this.#store.call('has', { hashes });
    for (const [index, slot] of unasked.entries()) {
      if (found[index] === 1) slot.length = 0;
      else this.#encodeNew(slot, hashAt(index));
    }
  }

  /** Until the next call. */
  #rawOf(slot: Slot): Buffer {
    const raw = this.#raw.subarray(0, slot.rawLength);
    raw.set(slot.bytes.subarray(0, slot.rawLength));
    return raw;
  }

  #encodeNew(slot: Slot, hash: Buffer): void {
    slot.status = FRAME_NEW;
    const raw = this.#rawOf(slot);
    const encoded = encodeChecked(this.#codec, raw);
    // What does not become smaller stays as it is: no block is longer than its own bytes.
    const isSmaller = encoded.length < raw.length;
    const encoding = BLOCK_ENCODINGS.indexOf(isSmaller ? this.#encoding : 'raw');
    if (this.#seal !== null) {
      this.#sealInto(slot, hash, this.#seal, encoding, isSmaller ? encoded : raw);
      return;
    }
    slot.second = encoding;
    slot.length = isSmaller ? encoded.copy(slot.bytes) : raw.length;
  }

  /** Opened again at once, as what was compressed is decompressed again: a fault of the memory never reaches the disk. */
  #sealInto(slot: Slot, hash: Buffer, seal: BlockSeal, encoding: number, content: Buffer): void {
    const sealed = this.#sealed.subarray(0, seal.seal(hash, encoding, content, this.#sealed));
    const again = seal.open(hash, sealed);
    if (again?.encoding !== encoding || !again.content.equals(content)) throw unreadable();
    slot.second = BLOCK_ENCODINGS.indexOf('sealed');
    slot.length = sealed.copy(slot.bytes);
  }
}

function unreadable(): DeviceError {
  return new DeviceError(
    'corrupt',
    'The encrypted data could not be read back. The memory or the processor of this computer may be faulty.',
  );
}
