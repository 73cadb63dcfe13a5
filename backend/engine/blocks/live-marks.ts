import type { Place } from './hash-index.ts';

/** A set of places: one bit for each record of the segments that have any. */
export class LiveMarks {
  readonly #recordsPerSegment: number;
  readonly #bits = new Map<number, Uint8Array>();

  constructor(recordsPerSegment: number) {
    this.#recordsPerSegment = recordsPerSegment;
  }

  add(place: Place): void {
    const segment = Math.floor(place / this.#recordsPerSegment);
    const number = place % this.#recordsPerSegment;
    let bits = this.#bits.get(segment);
    if (bits === undefined || number >> 3 >= bits.length) {
      const larger = new Uint8Array(Math.max((number >> 3) + 1, (bits?.length ?? 16) * 2));
      larger.set(bits ?? [], 0);
      this.#bits.set(segment, larger);
      bits = larger;
    }
    bits[number >> 3] = (bits[number >> 3] ?? 0) | (1 << (number & 7));
  }

  has(place: Place): boolean {
    const bits = this.#bits.get(Math.floor(place / this.#recordsPerSegment));
    const number = place % this.#recordsPerSegment;
    return bits !== undefined && ((bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  dropSegment(segment: number): void {
    this.#bits.delete(segment);
  }

  clear(): void {
    this.#bits.clear();
  }
}
