import type { Control } from '../job/control.ts';
import type { Slot } from '../job/ring.ts';
import { BLOCK_ENCODINGS } from './record.ts';
import { StoreClient } from './store-client.ts';
import type { BlockToPut, StoreLink } from './store-requests.ts';

const BATCH_BYTES = 2_097_152;
const BATCH_BLOCKS = 256;

/** Sends new blocks to the store, many at once. */
export class BlockOutput {
  readonly #store: StoreClient;
  #hashes: Buffer[] = [];
  #blocks: (BlockToPut & { readonly stored: Uint8Array<ArrayBuffer> })[] = [];
  #bytes = 0;
  /** Of the blocks that the store did not have. */
  storedBytes = 0;

  constructor(link: StoreLink, control: Control) {
    this.#store = new StoreClient(link, control);
  }

  /** `slot`: as the encoder left it. Throws `noSpace` when the device is full; here or at a later call. */
  put(slot: Slot): void {
    const stored = new Uint8Array(slot.length);
    stored.set(slot.bytes.subarray(0, slot.length));
    const encoding = BLOCK_ENCODINGS[slot.second] ?? 'raw';
    this.#hashes.push(Buffer.from(slot.hash, 'base64'));
    this.#blocks.push({ stored, encoding, rawBytes: slot.rawLength });
    this.#bytes += stored.length;
    if (this.#bytes >= BATCH_BYTES || this.#blocks.length >= BATCH_BLOCKS) this.#send();
  }

  /** What was put is durable when this returns. */
  sync(): void {
    this.#send();
    this.#store.call('sync', null);
  }

  #send(): void {
    if (this.#blocks.length === 0) return;
    const blocks = this.#blocks;
    const lengths = blocks.map(({ stored }) => stored.length);
    const hashes = Uint8Array.from(Buffer.concat(this.#hashes));
    this.#blocks = [];
    this.#hashes = [];
    this.#bytes = 0;
    const transfer = blocks.map(({ stored }) => stored.buffer);
    const taken = this.#store.call('put', { hashes, blocks }, transfer);
    this.storedBytes += lengths.reduce((sum, length, index) => sum + (taken[index] === 1 ? length : 0), 0);
  }
}
