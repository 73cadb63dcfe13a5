/** The one door of the block store. Everything behind it is synchronous and belongs into worker threads. */
export { type BlockAlgorithm, type BlockHash, blockHash } from './block-hash.ts';
export { type BlockAddress, type BlockReader, openBlockReader } from './block-reader.ts';
export type { BlockStore, BlockStoreStats, PutOptions } from './block-store.ts';
export { Cleaning, type CleaningResult, cleanBlockStore } from './cleaning.ts';
export { createBlockStore, type NewBlockStore, type OpenBlockStore, openBlockStore } from './open-store.ts';
export type { BlockEncoding } from './record.ts';
export { type ScannedBlock, scanBlockStore } from './scan-store.ts';
export type { BlocksToPut, StoreCall, StoreCalls, StoreFacts, StoreLink } from './store-requests.ts';
export { type StoreThread, startStoreThread } from './store-thread.ts';
export type { Superblock } from './superblock.ts';
