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

/** Words of a small vocabulary: compresses about as well as text and configuration do. */
export function textLike(sizeBytes: number, seed: number): Buffer {
  const random = createRandom(seed);
  const words = vocabulary();
  const out = Buffer.allocUnsafe(sizeBytes);
  let at = 0;
  while (at < sizeBytes) {
    const word = words[(random.below(words.length) * random.below(words.length)) % words.length] ?? ' ';
    at += out.write(word, at, 'latin1');
  }
  return out;
}

export function randomBytes(sizeBytes: number, seed: number): Buffer {
  const random = createRandom(seed);
  const out = Buffer.alloc(sizeBytes);
  for (let at = 0; at + 4 <= sizeBytes; at += 4) out.writeUInt32LE(random.next(), at);
  return out;
}

let cached: readonly string[] | undefined;
function vocabulary(): readonly string[] {
  if (cached !== undefined) return cached;
  const random = createRandom(42);
  cached = Array.from({ length: 4096 }, () => {
    const letters = Array.from({ length: 2 + random.below(9) }, () =>
      String.fromCharCode(97 + random.below(26)),
    ).join('');
    return `${letters}${random.below(12) === 0 ? '\n' : ' '}`;
  });
  return cached;
}
