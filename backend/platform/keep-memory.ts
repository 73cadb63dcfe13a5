import { loadKoffi, type NativeFunction } from './native.ts';

/** From malloc.h. */
const M_TRIM_THRESHOLD = -1;
const M_MMAP_THRESHOLD = -3;
const M_ARENA_MAX = -8;
/** The largest that glibc takes. */
const LARGEST_KEPT_BYTES = 33_554_432;
const KEPT_BYTES = 67_108_864;
/** Each thread would get one of its own, with a rest of its own that nobody else takes: 30 MB of a backup's 310. */
const ARENAS = 2;

/**
 * Frames of some megabytes are allocated and freed again and again by native code. glibc gives each back to the system
 * and gets the next one page by page, which takes nearly as long as decoding it; from here on it keeps a bounded rest.
 * For the whole process; where the C library is another one, nothing changes.
 */
export function keepFreedBuffers(): void {
  if (process.platform !== 'linux') return;
  try {
    const mallopt = loadKoffi().load(null).func('int mallopt(int, int)');
    mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT_BYTES);
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    mallopt(M_ARENA_MAX, ARENAS);
  } catch {
    // Without koffi, or with a C library that has no such call, all is as before, only slower.
  }
}

/** Of one job the next one may still make use. */
const GIVE_BACK_AFTER_MS = 2_000;
/** Undefined before it was looked for. */
let trim: NativeFunction | null | undefined;
let isDue = false;

/**
 * To be called when a job has ended: soon after, the C library gives back to the system what it keeps and nobody uses. It
 * does so by itself only at the end of its memory, so that what one job left among the memory of others stayed: a server
 * that made small copies all night came to 1.2 GB. In a thread of Node's pool, since it takes some milliseconds.
 */
export function giveBackFreedBuffers(): void {
  if (process.platform !== 'linux' || isDue) return;
  isDue = true;
  const timer = setTimeout(() => {
    isDue = false;
    if (trim === undefined) trim = trimOf();
    trim?.async(0, () => undefined);
  }, GIVE_BACK_AFTER_MS);
  // A program that has nothing else to do ends.
  timer.unref();
}

/** Null: there is no such call, and memory stays. */
function trimOf(): NativeFunction | null {
  try {
    return loadKoffi().load(null).func('int malloc_trim(size_t)');
  } catch {
    return null;
  }
}
