/** Stretches of the tar stream that have been looked at, in any order: 16 bytes each. */
export class Spans {
  #starts = new Float64Array(1024);
  #ends = new Float64Array(1024);
  #count = 0;

  add(start: number, end: number): void {
    if (this.#count === this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#ends = doubled(this.#ends);
    }
    this.#starts[this.#count] = start;
    this.#ends[this.#count] = end;
    this.#count += 1;
  }

  /** What lies between them, from the beginning to the last one's end. They do not overlap, so both ends sort alike. */
  *gaps(): Generator<readonly [from: number, to: number]> {
    const starts = this.#starts.subarray(0, this.#count).sort();
    const ends = this.#ends.subarray(0, this.#count).sort();
    let at = 0;
    for (const [index, start] of starts.entries()) {
      if (start > at) yield [at, start];
      at = Math.max(at, ends[index] ?? at);
    }
  }
}

function doubled(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
