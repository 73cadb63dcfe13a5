import { loadKoffi } from './native.ts';

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
