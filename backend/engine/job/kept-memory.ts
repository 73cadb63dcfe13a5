/** Of one size: there are seldom more jobs at once. A job has memory of two sizes, others come and go with the settings. */
const MOST_KEPT = 4;
const MOST_KEPT_BYTES = 134_217_728;

/** What was taken here, so that nothing else comes back. */
const taken = new WeakSet<SharedArrayBuffer>();
/** The oldest first. */
let kept: SharedArrayBuffer[] = [];

/**
 * Memory that the threads of a job share, of so many bytes. It holds what the job before left there, except in its first `cleared`
 * bytes. V8 does not count shared memory, so what ended jobs had would wait for a collection that comes when the main thread's own
 * objects ask for one: a server that made small copies all night came to 1.2 GB. So it is used again.
 */
export function takeShared(bytes: number, cleared: number): SharedArrayBuffer {
  const memory = kept.find(({ byteLength }) => byteLength === bytes) ?? new SharedArrayBuffer(bytes);
  kept = kept.filter((one) => one !== memory);
  new Uint8Array(memory, 0, cleared).fill(0);
  taken.add(memory);
  return memory;
}

/** To be called when no thread uses the memory any more. What was not taken here is left alone. */
export function giveBackShared(memory: SharedArrayBuffer): void {
  if (!taken.delete(memory)) return;
  kept.push(memory);
  const sum = (): number => kept.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
  const alike = kept.filter(({ byteLength }) => byteLength === memory.byteLength);
  if (alike.length > MOST_KEPT) kept = kept.filter((one) => one !== alike[0]);
  while (sum() > MOST_KEPT_BYTES) kept.shift();
}
