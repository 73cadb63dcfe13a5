import { createRandom } from '../../../bench/support/random.ts';

export type Seeded = ReturnType<typeof seeded>;

/** What happens, chosen by a seed: the same seed makes the same choices in the same order. */
export function seeded(seed: number) {
  const { below } = createRandom(Math.imul(seed + 1, 2_654_435_761));
  const pick = <T>(items: readonly T[]): T => {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error('there is nothing to choose from');
    return item;
  };
  return {
    below,
    pick,
    chance: (percent: number): boolean => below(100) < percent,
    between: (least: number, most: number): number => least + below(most - least + 1),
    /** The name of one of them, as often as its weight says. */
    weighted: <N extends string>(weights: Readonly<Record<N, number>>): N =>
      pick((Object.entries(weights) as [N, number][]).flatMap(([name, weight]) => Array(weight).fill(name))),
    bytes: (length: number): Buffer => {
      const out = Buffer.alloc(length);
      for (let at = 0; at < length; at += 1) out[at] = below(256);
      return out;
    },
  };
}
