/** A small seeded generator (xorshift32), so that every run of a benchmark sees the same trees. */
export function createRandom(seed: number): { next: () => number; below: (limit: number) => number } {
  let state = seed | 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return { next, below: (limit) => next() % limit };
}

export type Random = ReturnType<typeof createRandom>;

export function randomBytes(sizeBytes: number, seed: number): Buffer {
  const random = createRandom(seed);
  const out = Buffer.alloc(sizeBytes);
  for (let at = 0; at + 4 <= sizeBytes; at += 4) out.writeUInt32LE(random.next(), at);
  return out;
}
