import v8 from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/**
 * Lets the worker threads that are started from now on collect. For the main thread, before it starts the first one:
 * flags belong to the whole process, and one that changes while several threads run JavaScript can crash it.
 */
export function allowCollection(): void {
  if (isMainThread) v8.setFlagsFromString('--expose-gc');
}

/**
 * Asks V8 for a quick collection of young objects. Buffers that native code makes weigh megabytes, but V8 sees only
 * their small handles and lets them pile up; a thread that makes one after the other calls this now and then. Where
 * it is not allowed, more memory is used, and that is all.
 */
export function collectYoungObjects(): void {
  const { gc } = globalThis as { readonly gc?: (options: { readonly type: 'minor' }) => void };
  gc?.({ type: 'minor' });
}
