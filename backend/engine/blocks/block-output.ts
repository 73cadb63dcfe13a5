import { copyBytes } from '../../platform/copy-bytes.ts';
import type { BlockBatch } from './block-batch.ts';
import { BLOCK_ENCODINGS, mostStoredBytes } from './record.ts';
import type { StoreClient } from './store-client.ts';
import { FACTS_PER_BLOCK } from './store-requests.ts';

const BATCH_BYTES = 2_097_152;
const BATCH_BLOCKS = 1024;

/**
 * Sends new blocks to the store, many at once, and gathers the next ones while the store takes them. The memory is shared with the store:
 * what is made anew for each would have to be cleared and collected.
 */
export class BlockOutput {
  readonly #store: StoreClient;
  readonly #hashBytes: number;
  #gathered: Batch;
  /** What the store is taking. */
  #sent: { readonly batch: Batch; readonly taken: () => Uint8Array } | null = null;
  /** Null while the store has the other one, also when that failed. */
  #spare: Batch | null;
  /** Of the blocks that the store did not have. */
  storedBytes = 0;

  constructor(store: StoreClient) {
    const { hashBytes, blockBytes } = store.facts;
    this.#store = store;
    this.#hashBytes = hashBytes;
    // A block may be as long as what is usually sent together.
    const bytes = Math.max(BATCH_BYTES, mostStoredBytes(blockBytes));
    this.#gathered = emptyBatch(hashBytes, bytes);
    this.#spare = emptyBatch(hashBytes, bytes);
  }

  /** A new block, as the encoder left it. Throws `noSpace` when the device is full; here or at a later call. */
  put(batch: BlockBatch, index: number): void {
    const stored = batch.bytesOf(index);
    if (this.#gathered.used + stored.length > this.#gathered.bytes.length) this.#send();
    const to = this.#gathered;
    copyBytes(stored, to.bytes, to.used);
    to.used += stored.length;
    to.hashes.set(batch.hashOf(index), to.count * this.#hashBytes);
    const at = to.count * FACTS_PER_BLOCK;
    to.facts[at] = stored.length;
    to.facts[at + 1] = batch.rawLengthOf(index);
    to.facts[at + 2] = BLOCK_ENCODINGS.indexOf(batch.encodingOf(index));
    to.count += 1;
    if (to.count >= BATCH_BLOCKS) this.#send();
  }

  /** What was put is durable when this returns. */
  sync(): void {
    this.#send();
    this.#settle();
    this.#store.call('sync', null);
  }

  #send(): void {
    const batch = this.#gathered;
    if (batch.count === 0) return;
    this.#settle();
    const input = {
      hashes: batch.hashes.subarray(0, batch.count * this.#hashBytes),
      facts: batch.facts.subarray(0, batch.count * FACTS_PER_BLOCK),
      bytes: batch.bytes.subarray(0, batch.used),
    };
    if (this.#spare === null) throw new Error('what was sent before was not taken');
    this.#sent = { batch, taken: this.#store.begin('put', input) };
    this.#gathered = this.#spare;
    this.#spare = null;
  }

  /** The store has taken what was sent: its memory is spare again. */
  #settle(): void {
    if (this.#sent === null) return;
    const { batch, taken } = this.#sent;
    this.#sent = null;
    for (const [index, flag] of taken().entries()) {
      if (flag === 1) this.storedBytes += batch.facts[index * FACTS_PER_BLOCK] ?? 0;
    }
    batch.used = 0;
    batch.count = 0;
    this.#spare = batch;
  }
}

interface Batch {
  readonly hashes: Uint8Array;
  readonly facts: Uint32Array;
  readonly bytes: Uint8Array;
  used: number;
  count: number;
}

function emptyBatch(hashBytes: number, bytes: number): Batch {
  return {
    hashes: new Uint8Array(new SharedArrayBuffer(BATCH_BLOCKS * hashBytes)),
    facts: new Uint32Array(new SharedArrayBuffer(BATCH_BLOCKS * FACTS_PER_BLOCK * 4)),
    bytes: new Uint8Array(new SharedArrayBuffer(bytes)),
    used: 0,
    count: 0,
  };
}
