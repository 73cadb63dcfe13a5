/** Changes between disk and memory that are noted; after the last one all goes through the disk. */
const MOST_RUNS = 1000;

const CHANGES = 0;
const RUNS = 1;
const IS_WHOLE = 2;
/** Words that belong to who derives from this. */
export const FIRST_OWN_WORD = 3;
const WORDS = 16;
const NUMBERS_AT = 4 * WORDS;
const ARRIVED = 0;
const TAKEN = 1;
const FIRST_RUN = 2;
const WINDOW_AT = NUMBERS_AT + 8 * (FIRST_RUN + MOST_RUNS);

/**
 * Bytes on their way from one thread to another, through a window of shared memory that is used again and again or, while the reader is behind
 * by more, through the disk. They lie in runs: those of even runs on the disk, those of odd ones in the window. A run begins where the one before
 * ends; the first one at 0. This is what both sides share.
 */
export class SharedWindow {
  /** Memory is only taken for what is really used of it. */
  static memoryFor(windowBytes: number): SharedArrayBuffer {
    return new SharedArrayBuffer(WINDOW_AT + windowBytes);
  }

  readonly window: Buffer;
  protected readonly words: Int32Array;
  readonly #numbers: BigInt64Array;

  constructor(memory: SharedArrayBuffer) {
    this.words = new Int32Array(memory, 0, WORDS);
    this.#numbers = new BigInt64Array(memory, NUMBERS_AT, FIRST_RUN + MOST_RUNS);
    this.window = Buffer.from(memory, WINDOW_AT);
  }

  /** Bytes that were brought so far. */
  get arrived(): number {
    return this.#number(ARRIVED);
  }

  set arrived(bytes: number) {
    Atomics.store(this.#numbers, ARRIVED, BigInt(bytes));
    this.change();
  }

  /** What lies before is not needed any more; negative: nothing is taken in order. */
  get taken(): number {
    return this.#number(TAKEN);
  }

  set taken(bytes: number) {
    Atomics.store(this.#numbers, TAKEN, BigInt(bytes));
  }

  /** Nothing more follows. */
  get isWhole(): boolean {
    return Atomics.load(this.words, IS_WHOLE) === 1;
  }

  end(): void {
    Atomics.store(this.words, IS_WHOLE, 1);
    this.change();
  }

  /** Of the changes of the side that brings; take it, look at what has arrived, then wait for another one. */
  ticket(): number {
    return Atomics.load(this.words, CHANGES);
  }

  /** Until something has changed since the ticket was taken. */
  waitForChange(ticket: number, timeoutMs: number): void {
    Atomics.wait(this.words, CHANGES, ticket, timeoutMs);
  }

  /** As `waitForChange`, for a thread whose event loop has to go on. */
  async changed(ticket: number, timeoutMs: number): Promise<void> {
    const { async: isWaiting, value } = Atomics.waitAsync(this.words, CHANGES, ticket, timeoutMs);
    if (isWaiting) await value;
  }

  protected change(): void {
    Atomics.add(this.words, CHANGES, 1);
    Atomics.notify(this.words, CHANGES);
  }

  protected get isInWindow(): boolean {
    return Atomics.load(this.words, RUNS) % 2 === 1;
  }

  /** From `at` on, all goes the other way; false: it has changed too often. */
  protected turn(at: number): boolean {
    const runs = Atomics.load(this.words, RUNS);
    // The last run is one of the disk.
    if (runs % 2 === 0 && runs + 2 > MOST_RUNS) return false;
    Atomics.store(this.#numbers, FIRST_RUN + runs, BigInt(at));
    Atomics.store(this.words, RUNS, runs + 1);
    return true;
  }

  protected putIntoWindow(data: Uint8Array, at: number): void {
    const place = at % this.window.length;
    const first = Math.min(data.length, this.window.length - place);
    this.window.set(data.subarray(0, first), place);
    this.window.set(data.subarray(first), 0);
  }

  /** Where the byte lies, and up to which byte that holds. */
  protected runOf(at: number): { readonly isInWindow: boolean; readonly until: number } {
    const runs = Atomics.load(this.words, RUNS);
    for (let run = runs; run >= 0; run -= 1) {
      const begin = run === 0 ? 0 : this.#number(FIRST_RUN + run - 1);
      if (at < begin) continue;
      const until = run === runs ? Number.POSITIVE_INFINITY : this.#number(FIRST_RUN + run);
      return { isInWindow: run % 2 === 1, until };
    }
    return { isInWindow: false, until: Number.POSITIVE_INFINITY };
  }

  #number(index: number): number {
    return Number(Atomics.load(this.#numbers, index));
  }
}
