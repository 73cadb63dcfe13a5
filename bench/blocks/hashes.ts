/** Hashes of 32 bytes that look like those of a hash function but cost next to nothing, so that the index is measured, not they. */
export const HASH_BYTES = 32;
export const BATCH = 8192;

/** Fills `into` with the hashes of `from`, `from + 1`, …: always the same for a number. */
export function fillHashes(into: Buffer, from: number, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const value = (from + index) >>> 0;
    // Not one to one, so that first words meet as often as those of real hashes.
    let state = value ^ mix(value + 0x7f4a7c15);
    for (let word = 0; word < HASH_BYTES / 4; word += 1) {
      into.writeUInt32LE(mix(state), index * HASH_BYTES + word * 4);
      state = mix((state ^ value) + 0x9e3779b9);
    }
  }
}

function mix(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Numbers below `count` in an order without any order; `count` of them cover all if it is a power of two. */
export function scattered(index: number, count: number): number {
  return (index * 2_654_435_761) % count;
}
