import type { BlockAddress } from './block-reader.ts';

/**
 * Where many blocks lie, as the store's thread tells another one: an object for each would take longer to bring there than its record
 * takes to be read. For each block four numbers: position (-1 when it is not there), sequence, stored bytes, raw bytes.
 */
export class BlockPlaces {
  readonly #numbers: Float64Array;

  constructor(numbers: Float64Array) {
    this.#numbers = numbers;
  }

  /** Of so many blocks, one after the other. */
  static numbersOf(
    count: number,
    addressOf: (index: number) => BlockAddress | null,
  ): Float64Array<ArrayBuffer> {
    const numbers = new Float64Array(count * PER_PLACE);
    for (let index = 0; index < count; index += 1) {
      const at = index * PER_PLACE;
      const address = addressOf(index);
      numbers[at] = address === null ? NOWHERE : address.position;
      if (address === null) continue;
      numbers[at + 1] = address.sequence;
      numbers[at + 2] = address.storedBytes;
      numbers[at + 3] = address.rawBytes;
    }
    return numbers;
  }

  get count(): number {
    return this.#numbers.length / PER_PLACE;
  }

  at(index: number): BlockAddress | null {
    const at = index * PER_PLACE;
    const position = this.#numbers[at] ?? NOWHERE;
    if (position === NOWHERE) return null;
    return {
      position,
      sequence: this.#numbers[at + 1] ?? 0,
      storedBytes: this.#numbers[at + 2] ?? 0,
      rawBytes: this.#numbers[at + 3] ?? 0,
    };
  }
}

const PER_PLACE = 4;
const NOWHERE = -1;
