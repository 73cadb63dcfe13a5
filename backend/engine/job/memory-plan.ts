import { DeviceError } from '../device-error.ts';
import { Ring, slotsFor } from './ring.ts';

/** What a job may take for its buffers, the heaps of its threads and what its codecs keep beside them. */
export interface MemoryLimit {
  readonly bytes: number;
  /** More is not to be had: what needs it is refused, and a thread whose heap grows beyond its share ends the job. */
  readonly isStrict: boolean;
}

export interface MemoryWish {
  /** Of the frames that are under way. */
  readonly frameBytes: number;
  readonly codecs: number;
  /** What each codec keeps outside of the heap of its thread. */
  readonly codecBytes: number;
  readonly senders: number;
  /** Threads that there are in any case. */
  readonly others: number;
  /** Null: as much as it takes. */
  readonly limit: MemoryLimit | null;
}

export interface MemoryPlan {
  readonly codecs: number;
  readonly senders: number;
  readonly slotCount: number;
  /** Share of each thread; null: that of the system. */
  readonly heapMegabytes: number | null;
  /** For the log: what is less than was asked for; null when nothing is. */
  readonly note: string | null;
}

const MIB = 1_048_576;
/** A thread needs less when it begins; what it decodes and the names that it holds come to it. */
export const HEAP_BYTES = 48 * MIB;

export function memoryNeed(wish: Omit<MemoryWish, 'limit'>): number {
  const { codecs, senders, others } = wish;
  return outsideHeaps(wish) + (codecs + senders + others) * HEAP_BYTES;
}

/** What the heaps of the threads leave over. */
function outsideHeaps({
  frameBytes,
  codecs,
  codecBytes,
  senders,
}: Omit<MemoryWish, 'limit' | 'others'>): number {
  return Ring.bytesFor(slotsFor(codecs, senders), frameBytes) + codecs * codecBytes;
}

/**
 * As many threads as were asked for, or as the limit allows: senders and codecs go one by one, of whichever there are more.
 * Throws DeviceError when a strict limit is not enough for what was asked, or any limit for one of each.
 */
export function planMemory(wish: MemoryWish): MemoryPlan {
  const { limit, others } = wish;
  const need = memoryNeed(wish);
  let { codecs, senders } = wish;
  if (limit !== null && need > limit.bytes) {
    if (limit.isStrict) throw tooMuch(need, limit, 'deny_memory_exceed forbids more');
    while (memoryNeed({ ...wish, codecs, senders }) > limit.bytes) {
      if (senders > 0 && senders >= codecs) senders -= 1;
      else if (codecs > 1) codecs -= 1;
      else throw tooMuch(memoryNeed({ ...wish, codecs, senders }), limit, 'this is the least');
    }
  }
  const slotCount = slotsFor(codecs, senders);
  const heaps = limit === null ? 0 : limit.bytes - outsideHeaps({ ...wish, codecs, senders });
  const isLess = codecs < wish.codecs || senders < wish.senders;
  return {
    codecs,
    senders,
    slotCount,
    heapMegabytes: limit?.isStrict ? Math.floor(heaps / (codecs + senders + others) / MIB) : null,
    note: isLess
      ? `memory_threshold leaves room for ${codecs} of ${wish.codecs} threads that compress and ${senders} of ${wish.senders} that send.`
      : null,
  };
}

export interface ReadingPlan {
  /** A thread more decodes ahead of the one that reads. */
  readonly isAhead: boolean;
  /** Share of each thread; null: that of the system. */
  readonly heapMegabytes: number | null;
}

/**
 * For a job that reads a copy by one thread, and perhaps another ahead of it, with `aheadBytes` of buffers between them. Where
 * there is no room for both the first works alone. Throws DeviceError when a strict limit is not enough for that.
 */
export function planReading(limit: MemoryLimit | null, aheadBytes: number): ReadingPlan {
  if (limit === null) return { isAhead: true, heapMegabytes: null };
  const isAhead = limit.bytes >= 2 * HEAP_BYTES + aheadBytes;
  if (!limit.isStrict) return { isAhead, heapMegabytes: null };
  if (limit.bytes < HEAP_BYTES) throw tooMuch(HEAP_BYTES, limit, 'this is the least');
  const heaps = isAhead ? (limit.bytes - aheadBytes) / 2 : limit.bytes;
  return { isAhead, heapMegabytes: Math.floor(heaps / MIB) };
}

function tooMuch(need: number, { bytes }: MemoryLimit, why: string): DeviceError {
  return new DeviceError(
    'permanent',
    `About ${Math.ceil(need / MIB)} MiB of memory are needed, memory_threshold allows ${Math.floor(bytes / MIB)} MiB, and ${why}. Raise memory_threshold, or lower worker_parallelism or network_parallelism.`,
  );
}
