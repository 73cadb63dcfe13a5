import v8 from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/**
 * Lets the worker threads that are started from now on collect. For the main thread, before it starts the first one:
 * flags belong to the whole process, and one that changes while several threads run JavaScript can crash it.
 */
export function allowCollection(): void {
  if (isMainThread) v8.setFlagsFromString('--expose-gc');
}

/** More calls than any thread makes. */
const NEVER = 2_000_000_000;

/**
 * Run from source, each thread of Node takes the types out of the code with WebAssembly. V8 replaces the wrappers of its
 * imports after a thousand calls, and when threads end meanwhile it may abort the whole process (`jit_page.has_value()` in
 * its check of code pages, nodejs/node#64500). So they are not replaced. The bundled backend has no such threads.
 */
export function keepWrappersOfSource(moduleUrl: string): void {
  if (isMainThread && moduleUrl.endsWith('.ts'))
    v8.setFlagsFromString(`--wasm-wrapper-tiering-budget=${NEVER}`);
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
