/** What is chosen of a copy for a proof: so many files at random that take so many bytes. */
export interface SampleLimits {
  /** Eight hexadecimal digits. The same seed chooses the same files of the same copy. */
  readonly seed: string;
  readonly mostFiles: number;
  readonly mostBytes: number;
}

/** A file as the choice sees it. */
export interface Candidate {
  readonly ordinal: number;
  readonly sizeBytes: number;
}

/**
 * Takes the files one by one, however many there are, and keeps those with the smallest of random numbers that the
 * seed gives to each place in the copy: every file that fits is as likely as any other.
 */
export class Sampler<C extends Candidate> {
  readonly #limits: SampleLimits;
  readonly #seed: number;
  #kept: { readonly draw: number; readonly candidate: C }[] = [];
  #highest = Number.POSITIVE_INFINITY;
  seen = 0;
  /** Files that alone take more than the whole sample may. */
  tooLarge = 0;

  constructor(limits: SampleLimits) {
    this.#limits = limits;
    this.#seed = Number.parseInt(limits.seed, 16);
  }

  /** `make` is asked only for a file that may be chosen. */
  offer({ ordinal, sizeBytes }: Candidate, make: () => C): void {
    this.seen += 1;
    if (sizeBytes > this.#limits.mostBytes) {
      this.tooLarge += 1;
      return;
    }
    const draw = drawOf(this.#seed, ordinal);
    if (draw >= this.#highest) return;
    this.#kept.push({ draw, candidate: make() });
    if (this.#kept.length >= 2 * this.#limits.mostFiles) this.#cut();
  }

  /** The chosen ones in the order of the copy. A file that does not fit beside those drawn before it is left out. */
  chosen(): readonly C[] {
    this.#cut();
    let left = this.#limits.mostBytes;
    const fitting = this.#kept.filter(({ candidate: { sizeBytes } }) => {
      if (sizeBytes > left) return false;
      left -= sizeBytes;
      return true;
    });
    return fitting.map(({ candidate }) => candidate).sort((one, other) => one.ordinal - other.ordinal);
  }

  #cut(): void {
    this.#kept.sort((one, other) => one.draw - other.draw || one.candidate.ordinal - other.candidate.ordinal);
    this.#kept = this.#kept.slice(0, this.#limits.mostFiles);
    const last = this.#kept.at(-1);
    if (this.#kept.length === this.#limits.mostFiles && last !== undefined) this.#highest = last.draw;
  }
}

/** 32 random bits for a place, by the finalizer of MurmurHash3. */
function drawOf(seed: number, ordinal: number): number {
  let word = Math.imul(seed ^ (ordinal + 0x9e3779b9), 0x85ebca6b);
  word = mixed(word ^ Math.floor(ordinal / 2 ** 32));
  return mixed(word ^ Math.imul(seed, 0x27d4eb2f)) >>> 0;
}

function mixed(word: number): number {
  let value = word;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}
