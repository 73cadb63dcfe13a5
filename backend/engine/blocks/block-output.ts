import { copyBytes } from '../../platform/copy-bytes.ts';
import type { Control } from '../job/control.ts';
import type { BlockBatch } from './block-batch.ts';
import { BLOCK_ENCODINGS } from './record.ts';
import { StoreClient } from './store-client.ts';
import { FACTS_PER_BLOCK, type StoreLink } from './store-requests.ts';

const BATCH_BYTES = 2_097_152;
const BATCH_BLOCKS = 1024;

/** Sends new blocks to the store, many at once. */
export class BlockOutput {
  readonly #store: StoreClient;
  readonly #hashBytes: number;
  /** What is sent together; the memory goes to the store, so the next ones get another one. */
  #waiting: Waiting | null = null;
  /** Of the blocks that the store did not have. */
  storedBytes = 0;

  constructor(link: StoreLink, control: Control) {
    this.#store = new StoreClient(link, control);
    this.#hashBytes = link.facts.hashBytes;
  }

  /** A new block, as the encoder left it. Throws `noSpace` when the device is full; here or at a later call. */
  put(batch: BlockBatch, index: number): void {
    const stored = batch.bytesOf(index);
    const { waiting, at } = this.#room(stored.length);
    copyBytes(stored, waiting.bytes, waiting.used);
    waiting.used += stored.length;
    waiting.hashes.set(batch.hashOf(index), at * this.#hashBytes);
    waiting.facts[at * FACTS_PER_BLOCK] = stored.length;
    waiting.facts[at * FACTS_PER_BLOCK + 1] = batch.rawLengthOf(index);
    waiting.facts[at * FACTS_PER_BLOCK + 2] = BLOCK_ENCODINGS.indexOf(batch.encodingOf(index));
    waiting.count += 1;
    if (waiting.count >= BATCH_BLOCKS) this.#send();
  }

  /** What was put is durable when this returns. */
  sync(): void {
    this.#send();
    this.#store.call('sync', null);
  }

  #room(length: number): { readonly waiting: Waiting; readonly at: number } {
    if (this.#waiting !== null && this.#waiting.used + length > this.#waiting.bytes.length) this.#send();
    this.#waiting ??= {
      hashes: new Uint8Array(BATCH_BLOCKS * this.#hashBytes),
      facts: new Uint32Array(BATCH_BLOCKS * FACTS_PER_BLOCK),
      // A block may be larger than what is usually sent together.
      bytes: new Uint8Array(Math.max(BATCH_BYTES, length)),
      used: 0,
      count: 0,
    };
    return { waiting: this.#waiting, at: this.#waiting.count };
  }

  #send(): void {
    if (this.#waiting === null) return;
    const { hashes, facts, bytes, count } = this.#waiting;
    this.#waiting = null;
    const lengths = Array.from({ length: count }, (_, index) => facts[index * FACTS_PER_BLOCK] ?? 0);
    const input = {
      hashes: hashes.subarray(0, count * this.#hashBytes),
      facts: facts.subarray(0, count * FACTS_PER_BLOCK),
      bytes,
    };
    const taken = this.#store.call('put', input, [hashes.buffer, facts.buffer, bytes.buffer]);
    this.storedBytes += lengths.reduce((sum, length, index) => sum + (taken[index] === 1 ? length : 0), 0);
  }
}

interface Waiting {
  readonly hashes: Uint8Array<ArrayBuffer>;
  readonly facts: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  used: number;
  count: number;
}
