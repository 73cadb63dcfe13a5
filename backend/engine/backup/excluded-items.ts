import type { ItemStat } from './source-item.ts';

/** What is left out, under whatever name it is met. */
export class ExcludedItems {
  readonly #keys: ReadonlySet<string>;
  /** Looked for first, since a key is a text that has to be made for each item. */
  readonly #inodes: ReadonlySet<bigint>;
  readonly #numbers: ReadonlySet<number>;

  /** `keys`: device and inode of each. */
  constructor(keys: readonly string[]) {
    this.#keys = new Set(keys);
    this.#inodes = new Set(keys.map((key) => BigInt(key.slice(key.indexOf(':') + 1))));
    this.#numbers = new Set([...this.#inodes].map(Number));
  }

  /** False: `has` would say so too. */
  mayHave(inodeNumber: number): boolean {
    return this.#numbers.has(inodeNumber);
  }

  has(item: Pick<ItemStat, 'inode' | 'key'>): boolean {
    return this.#inodes.has(item.inode) && this.#keys.has(item.key);
  }
}
