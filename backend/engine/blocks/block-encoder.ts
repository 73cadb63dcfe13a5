import { copyBytes } from '../../platform/copy-bytes.ts';
import { type Compression, codecFor, encodeChecked, type FrameCodec } from '../archive/codec.ts';
import type { BlockSeal } from '../crypto/block-seal.ts';
import { blockSealOf, type CopySecret } from '../crypto/copy-secret.ts';
import { DeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import type { Slot } from '../job/ring.ts';
import { BlockBatch } from './block-batch.ts';
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

/** Turns frames into blocks: names each by its hash, asks the store whether it is there, and compresses only what is not. */
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

  /** A slot of the kind `KIND_BLOCKS`. All of it by one question: the way to the store and back takes longer than the work on a small block. */
  encode(slot: Slot): void {
    const batch = BlockBatch.of(slot);
    // Others are blocks of an earlier copy, which the reader has asked for already.
    const unasked = Array.from({ length: batch.count }, (_, index) => index).filter((index) =>
      batch.isToEncode(index),
    );
    if (unasked.length === 0) return;
    const hashes = new Uint8Array(unasked.length * this.#hashBytes);
    const hashAt = (at: number): Buffer => Buffer.from(hashes.buffer, at * this.#hashBytes, this.#hashBytes);
    for (const [at, index] of unasked.entries()) this.#hashOf(this.#rawOf(batch, index), hashAt(at));
    const found = this.#store.call('has', { hashes });
    for (const [at, index] of unasked.entries()) {
      if (found[at] === 1) batch.setKnown(index, hashAt(at));
      else this.#encodeNew(batch, index, hashAt(at));
    }
  }

  /** Until the next call. */
  #rawOf(batch: BlockBatch, index: number): Buffer {
    const bytes = batch.bytesOf(index);
    const raw = this.#raw.subarray(0, bytes.length);
    copyBytes(bytes, raw, 0);
    return raw;
  }

  #encodeNew(batch: BlockBatch, index: number, hash: Buffer): void {
    const raw = this.#rawOf(batch, index);
    const encoded = encodeChecked(this.#codec, raw);
    // What does not become smaller stays as it is: no block is longer than its own bytes.
    const isSmaller = encoded.length < raw.length;
    const encoding = isSmaller ? this.#encoding : 'raw';
    const content = isSmaller ? encoded : raw;
    if (this.#seal === null) batch.setNew(index, hash, encoding, content);
    else batch.setNew(index, hash, 'sealed', this.#sealedOf(hash, this.#seal, encoding, content));
    this.#codec.release(encoded);
  }

  /** Opened again at once, as what was compressed is decompressed again: a fault of the memory never reaches the disk. */
  #sealedOf(hash: Buffer, seal: BlockSeal, encoding: BlockEncoding, content: Buffer): Buffer {
    const number = BLOCK_ENCODINGS.indexOf(encoding);
    const sealed = this.#sealed.subarray(0, seal.seal(hash, number, content, this.#sealed));
    const again = seal.open(hash, sealed);
    if (again?.encoding !== number || !again.content.equals(content)) throw unreadable();
    return sealed;
  }
}

function unreadable(): DeviceError {
  return new DeviceError(
    'corrupt',
    'The encrypted data could not be read back. The memory or the processor of this computer may be faulty.',
  );
}
