import { DeviceError } from '../device-error.ts';
import type { BlockStore } from './block-store.ts';
import { NO_PLACE } from './hash-index.ts';
import { ENTRY_HASH_AT, entryBytes } from './segment-format.ts';

export interface ScannedBlock {
  readonly hash: Buffer;
  readonly isWhole: boolean;
}

/**
 * Reads and proves every block that is known, in the order of the device. A damaged one is unknown from then on, so that the
 * next backup sends it again. Gives control back after each block, so it may be broken off anywhere; nothing may be put or
 * cleaned between two blocks of one segment.
 */
export function* scanBlockStore(store: BlockStore): Generator<ScannedBlock, void, undefined> {
  store.sync();
  const { layout, table, lookup } = store;
  const size = entryBytes(layout.hashBytes);
  for (const segment of table.inOrder()) {
    const { entries, count } = store.recordsOf(segment);
    for (let number = 0; number < count; number += 1) {
      const hash = entries.subarray(number * size + ENTRY_HASH_AT, (number + 1) * size);
      // Only the copy that counts; an older one goes with the next cleaning.
      if (store.find(hash) !== lookup.placeOf(segment, number)) continue;
      yield { hash, isWhole: isReadable(store, hash) };
    }
  }
}

function isReadable(store: BlockStore, hash: Buffer): boolean {
  const place = store.find(hash);
  if (place === NO_PLACE) return false;
  try {
    store.prove(hash);
    return true;
  } catch (error) {
    if (error instanceof DeviceError && error.kind === 'corrupt') return false;
    throw error;
  }
}
