import type { MessagePort } from 'node:worker_threads';
import type { ErrorData } from '../device-error.ts';
import type { BlockAlgorithm } from './block-hash.ts';
import type { BlockStoreStats } from './block-store.ts';
import type { CleaningResult } from './cleaning.ts';
import type { NewBlockStore, OpenBlockStore } from './open-store.ts';

/** What the thread of a store is started with. */
export interface StoreThreadInput {
  readonly path: string;
  readonly options: Pick<OpenBlockStore, 'indexFile' | 'indexMemoryBytes'> & {
    /** Makes the store before it is opened, unless one is there. */
    readonly create?: NewBlockStore;
  };
}

/** What a store is like; decided when it was made. */
export interface StoreFacts {
  /** The store's uuid, 32 hexadecimal digits. */
  readonly storeId: string;
  readonly algorithm: BlockAlgorithm;
  readonly hashBytes: number;
  readonly blockBytes: number;
}

/** How a worker reaches the thread of a store: for its `workerData`, with `port` in the transfer list. */
export interface StoreLink {
  readonly path: string;
  readonly facts: StoreFacts;
  readonly port: MessagePort;
  /** Two words: the number of answers sent so far, and 1 when no more will come. */
  readonly signal: SharedArrayBuffer;
}

/**
 * Blocks on their way to the store, in three pieces of memory that are shared with it until it answers: an object for each block would take
 * longer to bring to another thread than its bytes take to be written.
 */
export interface BlocksToPut {
  /** One behind the other, as the blocks are. */
  readonly hashes: Uint8Array;
  /** `FACTS_PER_BLOCK` numbers for each: stored bytes, bytes before they were encoded, number of the encoding. */
  readonly facts: Uint32Array;
  /** What is stored of each, one behind the other. */
  readonly bytes: Uint8Array;
}

export const FACTS_PER_BLOCK = 3;

/** Each request and its answer. `hashes` are several hashes one behind the other; flags are one byte for each, 1 = yes. */
export interface StoreCalls {
  has: { readonly input: { readonly hashes: Uint8Array }; readonly output: Uint8Array };
  put: { readonly input: BlocksToPut; readonly output: Uint8Array };
  locate: {
    readonly input: { readonly hashes: Uint8Array };
    /** See `BlockPlaces`. */
    readonly output: Float64Array;
  };
  /** 0 for a block that is good after all: it is to be located again. `isSure`: it is damaged, whatever the store can see. */
  forget: {
    readonly input: { readonly hashes: Uint8Array; readonly isSure: boolean };
    readonly output: Uint8Array;
  };
  /** How many damaged blocks were stored anew, since this was asked last. */
  takeHealed: { readonly input: null; readonly output: number };
  sync: { readonly input: null; readonly output: null };
  stats: { readonly input: null; readonly output: BlockStoreStats };
  openSession: { readonly input: null; readonly output: number };
  endSession: { readonly input: number; readonly output: null };
  beginCleaning: { readonly input: null; readonly output: null };
  mark: { readonly input: { readonly hashes: Uint8Array }; readonly output: null };
  /** False when nothing is left to do. */
  stepCleaning: { readonly input: null; readonly output: boolean };
  endCleaning: { readonly input: null; readonly output: CleaningResult };
  connect: { readonly input: Pick<StoreLink, 'port' | 'signal'>; readonly output: null };
  close: { readonly input: null; readonly output: null };
}

export type StoreCall = keyof StoreCalls;

export type StoreRequest = {
  [Call in StoreCall]: {
    readonly id: number;
    readonly call: Call;
    readonly input: StoreCalls[Call]['input'];
  };
}[StoreCall];

export type StoreAnswer =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: ErrorData }
  /** Sent once, when the store is open. */
  | { readonly id: 0; readonly facts: StoreFacts };
