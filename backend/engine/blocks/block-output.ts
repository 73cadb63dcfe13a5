import type { Control } from '../job/control.ts';
import type { BlockBatch } from './block-batch.ts';
import { StoreClient } from './store-client.ts';
import type { BlockToPut, StoreLink } from './store-requests.ts';

const BATCH_BYTES = 2_097_152;
const BATCH_BLOCKS = 256;

/** Sends new blocks to the store, many at once. */
export class BlockOutput {
  readonly #store: StoreClient;
  #hashes: Buffer[] = [];
  #blocks: BlockToPut[] = [];
  /** What is sent together lies in one memory: each one of its own would take longer to hand over than to fill. */
  #bytes: Buffer<ArrayBuffer> | null = null;
  #used = 0;
  /** Of the blocks that the store did not have. */
  storedBytes = 0;

  constructor(link: StoreLink, control: Control) {
    this.#store = new StoreClient(link, control);
  }

  /** A new block, as the encoder left it. Throws `noSpace` when the device is full; here or at a later call. */
  put(batch: BlockBatch, index: number): void {
    const from = batch.bytesOf(index);
    const stored = this.#room(from.length);
    stored.set(from);
    this.#hashes.push(Buffer.from(batch.hashOf(index)));
    this.#blocks.push({
      stored,
      encoding: batch.encodingOf(index),
      rawBytes: batch.rawLengthOf(index),
    });
    if (this.#blocks.length >= BATCH_BLOCKS) this.#send();
  }

  /** What was put is durable when this returns. */
  sync(): void {
    this.#send();
    this.#store.call('sync', null);
  }

  #room(length: number): Buffer {
    if (this.#bytes !== null && this.#used + length > this.#bytes.length) this.#send();
    this.#bytes ??= Buffer.from(new ArrayBuffer(BATCH_BYTES));
    const room = this.#bytes.subarray(this.#used, this.#used + length);
    this.#used += length;
    return room;
  }

  #send(): void {
    if (this.#bytes === null || this.#blocks.length === 0) return;
    const blocks = this.#blocks;
    const lengths = blocks.map(({ stored }) => stored.length);
    const hashes = Uint8Array.from(Buffer.concat(this.#hashes));
    const { buffer } = this.#bytes;
    this.#blocks = [];
    this.#hashes = [];
    this.#bytes = null;
    this.#used = 0;
    const taken = this.#store.call('put', { hashes, blocks }, [buffer]);
    this.storedBytes += lengths.reduce((sum, length, index) => sum + (taken[index] === 1 ? length : 0), 0);
  }
}
