import v8 from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/** Whether `releaseBuffer` gives anything back: not before Node 22. */
export const canReleaseBuffers = 'transfer' in ArrayBuffer.prototype;

/**
 * Lets the worker threads that are started from now on collect. For the main thread, before it starts the first one:
 * flags belong to the whole process, and one that changes while several threads run JavaScript can crash it.
 *
 * Only where buffers cannot be released one by one: V8 takes compiled code of Node's own modules only as long as all flags are those
 * that it was compiled with, so with any other each new thread compiles them anew. Measured with Node 24 and a copy of 100,000 files in
 * which nothing changed: 20 ms of the processor for each of three threads, while the process took as much memory with the flags as without.
 */
export function allowCollection(): void {
  if (isMainThread && !canReleaseBuffers) v8.setFlagsFromString('--expose-gc');
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
 * Once most objects of one line of the code have lived on, V8 makes all further ones among the old objects at once, where they
 * wait for a whole collection. Here the same line makes rows of a file list that are kept and, much more often, ones that
 * are forgotten at once: so each is young first. Measured with a restore of 100,000 files when rows were still decoded a segment at a time: 335 MB
 * of the process became 250 without a second of the processor more. A flag like that of `allowCollection`, and for the same runtimes.
 */
export function beginYoung(): void {
  if (isMainThread && !canReleaseBuffers) v8.setFlagsFromString('--no-allocation-site-pretenuring');
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

const ROWS_PER_COLLECTION = 16_384;
/** Fewer pile up so little that the collections would only take time: for 100,000 files a twentieth of a verification. */
const FEW_ROWS = 65_536;

/** Whether a thread that goes through a file list and has passed so many rows calls `collectOldObjects` now. */
export function isCollectionDue(rows: number): boolean {
  return rows > FEW_ROWS && rows % ROWS_PER_COLLECTION === 0;
}

/**
 * Asks V8 for a whole collection, about 10 ms for each thread here, or 30 by way of the inspector, which needs no flag. Rows of a file list
 * live as long as their segment, so they become old and pile up until V8 begins one by itself, which for a thread that keeps little is late.
 */
export async function collectOldObjects(): Promise<void> {
  const { gc } = globalThis as { readonly gc?: (options: { readonly type: 'major' }) => void };
  if (gc !== undefined) {
    gc({ type: 'major' });
    return;
  }
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  try {
    await new Promise<void>((resolve, reject) => {
      session.post('HeapProfiler.collectGarbage', (error) => (error === null ? resolve() : reject(error)));
    });
  } finally {
    session.disconnect();
  }
}

/**
 * Gives the memory of a buffer back at once; the buffer, and all views of it, are empty then. For large buffers that native
 * code made and nobody needs any more: one that outlives two quick collections would wait for a whole one, which V8 begins
 * after 64 MB of them in each thread. Where the runtime has no such call (Node 20) that is so.
 */
export function releaseBuffer({ buffer }: Pick<Uint8Array, 'buffer'>): void {
  const { transfer } = buffer as {
    readonly transfer?: (this: ArrayBufferLike, length: number) => ArrayBuffer;
  };
  transfer?.call(buffer, 0);
}

/** The same, unless other buffers may lie in the same memory, as small ones of Node do. */
export function releaseOwnBuffer(bytes: Uint8Array): void {
  if (bytes.length > 0 && bytes.length === bytes.buffer.byteLength) releaseBuffer(bytes);
}
