import { type ByteString, toDisplay } from '../../platform/byte-path.ts';
import { DeviceError } from '../device-error.ts';

/**
 * One block of shared memory per job. The owner (the API's thread) writes run, pause or stop; the workers look
 * at it between files and blocks and write their counters, so that neither side waits for the other's event loop.
 */
const STATE = 0;
const SIGNAL = 1;
const PATH_LENGTH = 2;
const COUNTERS_AT = 64;
const PATH_AT = 256;
const PATH_CAPACITY = 16_384;

const RUN = 0;
const PAUSE = 1;
const STOP = 2;
/** A worker failed: the others end as after stop, but the job's result is that failure. */
const FAILED = 3;

const COUNTERS = ['bytesDone', 'bytesTotal', 'filesDone', 'filesTotal', 'transferredBytes', 'limit'] as const;
export type Counter = (typeof COUNTERS)[number];

const INDEX: Readonly<Record<Counter, number>> = {
  bytesDone: 0,
  bytesTotal: 1,
  filesDone: 2,
  filesTotal: 3,
  transferredBytes: 4,
  limit: 5,
};

/** How long a sleeping worker waits before it looks around by itself, should a wake-up be lost. */
const WAIT_MS = 200;

export interface Progress {
  readonly bytesDone: number;
  readonly bytesTotal: number | null;
  readonly filesDone: number;
  readonly filesTotal: number | null;
  readonly transferredBytes: number;
  /** Display form; empty before the first file. */
  readonly currentPath: string;
}

export class Control {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #counters: BigInt64Array;
  readonly #path: Uint8Array;
  #heldBytes: () => number = () => 0;
  #shownDone = 0;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, 16);
    this.#counters = new BigInt64Array(memory, COUNTERS_AT, COUNTERS.length);
    this.#path = new Uint8Array(memory, PATH_AT, PATH_CAPACITY);
  }

  static create(): Control {
    const control = new Control(new SharedArrayBuffer(PATH_AT + PATH_CAPACITY));
    control.set('bytesTotal', -1);
    control.set('filesTotal', -1);
    return control;
  }

  run(): void {
    this.#change(PAUSE, RUN);
  }

  pause(): void {
    this.#change(RUN, PAUSE);
  }

  stop(): void {
    if (this.#state() !== FAILED) Atomics.store(this.#words, STATE, STOP);
    this.signal();
  }

  fail(): void {
    if (this.#state() !== STOP) Atomics.store(this.#words, STATE, FAILED);
    this.signal();
  }

  isPaused(): boolean {
    return this.#state() === PAUSE;
  }

  isStopped(): boolean {
    return this.#state() >= STOP;
  }

  /** To be called between files and blocks: sleeps while paused, throws `cancelled` after stop. */
  check(): void {
    if (this.#state() === RUN) return;
    while (this.#state() === PAUSE) this.wait(this.ticket());
    if (this.#state() >= STOP) throw new DeviceError('cancelled', 'The job was stopped.');
  }

  /** Take a ticket, look at the condition, then wait with the ticket: a signal in between is not lost. */
  ticket(): number {
    return Atomics.load(this.#words, SIGNAL);
  }

  wait(ticket: number, timeoutMs: number = WAIT_MS): void {
    Atomics.wait(this.#words, SIGNAL, ticket, timeoutMs);
  }

  signal(): void {
    Atomics.add(this.#words, SIGNAL, 1);
    Atomics.notify(this.#words, SIGNAL);
  }

  set(counter: Counter, value: number): void {
    Atomics.store(this.#counters, INDEX[counter], BigInt(Math.trunc(value)));
  }

  add(counter: Counter, value: number): void {
    Atomics.add(this.#counters, INDEX[counter], BigInt(value));
  }

  get(counter: Counter): number {
    return Number(Atomics.load(this.#counters, INDEX[counter]));
  }

  /** Very long paths keep their end, which is the part that changes. */
  setPath(path: ByteString): void {
    const kept = path.length > PATH_CAPACITY ? path.slice(path.length - PATH_CAPACITY) : path;
    for (let i = 0; i < kept.length; i += 1) this.#path[i] = kept.charCodeAt(i);
    Atomics.store(this.#words, PATH_LENGTH, kept.length);
  }

  /** For the owner: how much of what is counted as done still waits in a buffer; `progress` leaves it out. */
  leaveOut(heldBytes: () => number): void {
    this.#heldBytes = heldBytes;
  }

  progress(): Progress {
    const length = Atomics.load(this.#words, PATH_LENGTH);
    const bytesTotal = this.get('bytesTotal');
    const filesTotal = this.get('filesTotal');
    // What waits also holds headers, so a full buffer may be more than was counted: it never goes back.
    this.#shownDone = Math.max(this.#shownDone, this.get('bytesDone') - this.#heldBytes());
    return {
      bytesDone: this.#shownDone,
      bytesTotal: bytesTotal < 0 ? null : bytesTotal,
      filesDone: this.get('filesDone'),
      filesTotal: filesTotal < 0 ? null : filesTotal,
      transferredBytes: this.get('transferredBytes'),
      currentPath: toDisplay(Buffer.from(this.#path.slice(0, length)).toString('latin1')),
    };
  }

  #state(): number {
    return Atomics.load(this.#words, STATE);
  }

  #change(from: number, to: number): void {
    Atomics.compareExchange(this.#words, STATE, from, to);
    this.signal();
  }
}

const SLICE_MS = 100;
const BURST_MS = 250;

/** Token bucket over the shared limit (bytes per second, 0 = none), which may change while the job runs. */
export class Throttle {
  readonly #control: Control;
  /** How many threads share the limit. */
  readonly #sharers: number;
  #allowance = 0;
  #lastMs = performance.now();

  constructor(control: Control, sharers = 1) {
    this.#control = control;
    this.#sharers = sharers;
  }

  spend(bytes: number): void {
    this.#refill();
    this.#allowance -= bytes;
    while (this.#control.get('limit') > 0 && this.#allowance < 0) {
      this.#control.check();
      this.#control.wait(this.#control.ticket(), SLICE_MS);
      this.#refill();
    }
  }

  #refill(): void {
    const limit = this.#control.get('limit') / this.#sharers;
    const now = performance.now();
    const most = (limit * BURST_MS) / 1000;
    this.#allowance = Math.min(most, this.#allowance + ((now - this.#lastMs) / 1000) * limit);
    this.#lastMs = now;
    if (limit <= 0) this.#allowance = 0;
  }
}
