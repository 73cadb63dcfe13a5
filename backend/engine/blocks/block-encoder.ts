import { type Compression, codecFor, encodeChecked, type FrameCodec } from '../archive/codec.ts';
import { FRAME_KNOWN, FRAME_NEW } from '../archive/stream.ts';
import type { Control } from '../job/control.ts';
import type { Slot } from '../job/ring.ts';
import { blockHash } from './block-hash.ts';
import { BLOCK_ENCODINGS, type BlockEncoding } from './record.ts';
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
  readonly #hash: Buffer;
  readonly #raw: Buffer;

  constructor(link: StoreLink, control: Control, compression: Compression) {
    const { algorithm, hashBytes, blockBytes } = link.facts;
    this.#store = new StoreClient(link, control);
    this.#codec = codecFor(compression);
    this.#encoding = ENCODINGS[compression];
    this.#hashOf = blockHash(algorithm, hashBytes * 8);
    this.#hash = Buffer.alloc(hashBytes);
    this.#raw = Buffer.alloc(blockBytes);
  }

  encode(slot: Slot): void {
    // A block of an earlier copy, which the reader has asked for already.
    if (slot.hash !== '') {
      slot.status = FRAME_KNOWN;
      return;
    }
    const raw = this.#raw.subarray(0, slot.rawLength);
    raw.set(slot.bytes.subarray(0, slot.rawLength));
    this.#hashOf(raw, this.#hash);
    slot.hash = this.#hash.toString('base64');
    const [isThere] = this.#store.call('has', { hashes: Uint8Array.from(this.#hash) });
    if (isThere === 1) {
      slot.status = FRAME_KNOWN;
      slot.length = 0;
      return;
    }
    slot.status = FRAME_NEW;
    const encoded = encodeChecked(this.#codec, raw);
    // What does not become smaller stays as it is: no block is longer than its own bytes.
    const isSmaller = encoded.length < raw.length;
    slot.second = BLOCK_ENCODINGS.indexOf(isSmaller ? this.#encoding : 'raw');
    slot.length = isSmaller ? encoded.copy(slot.bytes) : raw.length;
  }
}
