import { closeSync, ftruncateSync, openSync, rmSync } from 'node:fs';
import { readFullySync, writeAllSync } from '../../platform/files.ts';
import { toDeviceError } from '../device-error.ts';

/** Key and place of each slot of the index: 8 bytes a slot, in memory or in a file. */
export interface IndexSlots {
  readonly key: (slot: number) => number;
  readonly place: (slot: number) => number;
  readonly set: (slot: number, key: number, place: number) => void;
  readonly memoryBytes: number;
  readonly fileBytes: number;
  readonly close: () => void;
}

export const SLOT_BYTES = 8;

export function memorySlots(count: number): IndexSlots {
  const pairs = new Uint32Array(count * 2);
  return {
    key: (slot) => pairs[slot * 2] ?? 0,
    place: (slot) => pairs[slot * 2 + 1] ?? 0,
    set: (slot, key, place) => {
      pairs[slot * 2] = key;
      pairs[slot * 2 + 1] = place;
    },
    memoryBytes: pairs.byteLength,
    fileBytes: 0,
    close: () => undefined,
  };
}

const PAGE_SLOTS = 512;
const CACHED_PAGES = 2048;

/**
 * In a working file that has no name any more: it goes when the process goes, so that nothing half written is ever taken
 * for an index. A few pages are kept, each in the only place where it may be.
 */
export function fileSlots(count: number, path: string): IndexSlots {
  const fd = openWorkingFile(path, count * SLOT_BYTES);
  const cache = new Uint32Array(CACHED_PAGES * PAGE_SLOTS * 2);
  const bytes = new Uint8Array(cache.buffer);
  const held = new Int32Array(CACHED_PAGES).fill(-1);
  const dirty = new Uint8Array(CACHED_PAGES);
  const pageBytes = PAGE_SLOTS * SLOT_BYTES;

  /** Where the pair of the slot lies in `cache`, after its page was brought there. */
  const bring = (slot: number): number => {
    const page = Math.floor(slot / PAGE_SLOTS);
    const line = page % CACHED_PAGES;
    if (held[line] !== page) replace(line, page);
    return (line * PAGE_SLOTS + (slot % PAGE_SLOTS)) * 2;
  };
  const replace = (line: number, page: number): void => {
    const view = bytes.subarray(line * pageBytes, (line + 1) * pageBytes);
    try {
      if (dirty[line] === 1) writeAllSync(fd, view, (held[line] ?? 0) * pageBytes);
      dirty[line] = 0;
      held[line] = -1;
      // The last page of the file may be shorter; what lies behind it is never asked for.
      readFullySync(fd, view, page * pageBytes);
      held[line] = page;
    } catch (error) {
      throw toDeviceError(error, path);
    }
  };

  return {
    key: (slot) => cache[bring(slot)] ?? 0,
    place: (slot) => cache[bring(slot) + 1] ?? 0,
    set: (slot, key, place) => {
      const at = bring(slot);
      cache[at] = key;
      cache[at + 1] = place;
      dirty[Math.floor(slot / PAGE_SLOTS) % CACHED_PAGES] = 1;
    },
    memoryBytes: cache.byteLength,
    fileBytes: count * SLOT_BYTES,
    close: () => closeSync(fd),
  };
}

function openWorkingFile(path: string, sizeBytes: number): number {
  try {
    const fd = openSync(path, 'w+', 0o600);
    ftruncateSync(fd, sizeBytes);
    // Windows keeps the name until the file is closed; there the next start overwrites it.
    if (process.platform !== 'win32') rmSync(path, { force: true });
    return fd;
  } catch (error) {
    throw toDeviceError(error, path);
  }
}
