import { type Compression, codecFor, encodeChecked, type FrameCodec } from '../archive/codec.ts';
import type { BlockSeal } from '../crypto/block-seal.ts';
import { blockSealOf, type CopySecret } from '../crypto/copy-secret.ts';
import { DeviceError } from '../device-error.ts';
import type { Slot } from '../job/ring.ts';
import { BlockBatch } from './block-batch.ts';
import { blockHash } from './block-hash.ts';
import { BLOCK_ENCODINGS, type BlockEncoding, mostStoredBytes } from './record.ts';
import type { StoreClient } from './store-client.ts';

const ENCODINGS: Readonly<Record<Compression, BlockEncoding>> = {
  None: 'raw',
  Fast: 'lz4',
  Optimal: 'zstd',
  Best: 'zstd',
};

/** Fewer are asked for at once. */
const LEAST_IN_PARTS = 32;

/** Turns frames into blocks: names each by its hash, asks the store whether it is there, and compresses only what is not. */
export class BlockEncoder {
  readonly #store: StoreClient;
  readonly #codec: FrameCodec;
  readonly #encoding: BlockEncoding;
  readonly #hashOf: ReturnType<typeof blockHash>;
  readonly #hashBytes: number;
  readonly #seal: BlockSeal | null;
  readonly #sealed: Buffer;

  /** `secret`: of an encrypted copy; its blocks are named and sealed with its client's key. */
  constructor(store: StoreClient, compression: Compression, secret: CopySecret | null) {
    const { algorithm, hashBytes, blockBytes } = store.facts;
    this.#seal = blockSealOf(secret, store.facts);
    this.#store = store;
    this.#codec = codecFor(compression);
    this.#encoding = ENCODINGS[compression];
    const seal = this.#seal;
    this.#hashOf =
      seal === null ? blockHash(algorithm, hashBytes * 8) : (raw, into, at) => seal.nameOf(raw, into, at);
    this.#hashBytes = hashBytes;
    this.#sealed = Buffer.alloc(this.#seal === null ? 0 : mostStoredBytes(blockBytes));
  }

  /**
   * A slot of the kind `KIND_BLOCKS`; answers how many blocks of it are new. Asked for in two parts: the way to the store and back takes longer than
   * the work on a small block, and while the store looks for the first part the second one gets its hashes.
   */
  encode(slot: Slot): number {
    const batch = BlockBatch.of(slot);
    // Others are blocks of an earlier copy, which the reader has asked for already.
    const unasked: number[] = [];
    for (let index = 0; index < batch.count; index += 1) if (batch.isToEncode(index)) unasked.push(index);
    if (unasked.length === 0) return 0;
    const half = unasked.length < LEAST_IN_PARTS ? unasked.length : unasked.length >> 1;
    const parts = [unasked.slice(0, half), unasked.slice(half)].filter((part) => part.length > 0);
    return parts
      .map((part) => ({ part, found: this.#ask(batch, part) }))
      .reduce((sum, { part, found }) => sum + this.#encodeNew(batch, part, found()), 0);
  }

  #ask(batch: BlockBatch, part: readonly number[]): () => Uint8Array {
    const size = this.#hashBytes;
    const hashes = Buffer.allocUnsafeSlow(part.length * size);
    let at = 0;
    for (const index of part) {
      this.#hashOf(batch.bytesOf(index), hashes, at);
      batch.setHash(index, hashes, at, size);
      at += size;
    }
    return this.#store.begin('has', { hashes }, [hashes.buffer]);
  }

  /** Of those that were not found; answers how many that are. */
  #encodeNew(batch: BlockBatch, part: readonly number[], found: Uint8Array): number {
    let count = 0;
    for (const [at, index] of part.entries()) {
      if (found[at] === 1) batch.setKnown(index);
      else {
        this.#encodeOne(batch, index);
        count += 1;
      }
    }
    return count;
  }

  #encodeOne(batch: BlockBatch, index: number): void {
    const raw = batch.bytesOf(index);
    const encoded = encodeChecked(this.#codec, raw);
    // What does not become smaller stays as it is: no block is longer than its own bytes.
    const isSmaller = encoded.length < raw.length;
    const encoding = isSmaller ? this.#encoding : 'raw';
    if (this.#seal === null) batch.setNew(index, encoding, isSmaller ? encoded : null);
    else {
      const sealed = this.#sealedOf(batch.hashOf(index), this.#seal, encoding, isSmaller ? encoded : raw);
      batch.setNew(index, 'sealed', sealed);
    }
    this.#codec.release(encoded);
  }

  /** Opened again at once, as what was compressed is decompressed again: a fault of the memory never reaches the disk. */
  #sealedOf(hash: Buffer, seal: BlockSeal, encoding: BlockEncoding, content: Buffer): Buffer {
    const number = BLOCK_ENCODINGS.indexOf(encoding);
    const sealed = this.#sealed.subarray(0, seal.seal(hash, number, content, this.#sealed));
    if (!seal.isSealed(hash, sealed, number, content)) throw unreadable();
    return sealed;
  }
}

function unreadable(): DeviceError {
  return new DeviceError(
    'corrupt',
    'The encrypted data could not be read back. The memory or the processor of this computer may be faulty.',
  );
}
