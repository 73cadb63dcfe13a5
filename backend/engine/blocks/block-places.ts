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

  static numbersOf(addresses: Iterable<BlockAddress | null>, count: number): Float64Array<ArrayBuffer> {
    const numbers = new Float64Array(count * PER_PLACE);
    let at = 0;
    for (const address of addresses) {
      numbers[at] = address?.position ?? NOWHERE;
      numbers[at + 1] = address?.sequence ?? 0;
      numbers[at + 2] = address?.storedBytes ?? 0;
      numbers[at + 3] = address?.rawBytes ?? 0;
      at += PER_PLACE;
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
