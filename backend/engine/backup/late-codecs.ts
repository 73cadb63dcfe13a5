import { FRAME_BYTES } from '../job/ring.ts';

/**
 * A copy that builds on another one mostly has little to compress, and to start a thread takes longer than that: the writer encodes it
 * (where only one codec may run, that one does), and each further codec is asked for when a frame more has come.
 */
export class LateCodecs {
  readonly #ask: () => void;
  #waiting: number;
  #bytes = 0;
  /** One frame has its codec; the next may be the rest that another one would come too late for. */
  #nextAt = 2 * FRAME_BYTES;

  constructor(waiting: number, ask: () => void) {
    this.#waiting = waiting;
    this.#ask = ask;
  }

  /** Of data that go to the codecs. */
  note(bytes: number): void {
    this.#bytes += bytes;
    if (this.#waiting === 0 || this.#bytes < this.#nextAt) return;
    this.#nextAt += FRAME_BYTES;
    this.#waiting -= 1;
    this.#ask();
  }
}
