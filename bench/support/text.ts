import type { Random } from './random.ts';

/** Shares of the bytes of a text, in thousandths; what is left over are words that come once. */
export interface TextKind {
  /** What the same file has said before, mostly not long ago. */
  readonly repeated: number;
  /** What all files say, some of it often. */
  readonly common: number;
}

const COMMON_PHRASES = 4096;
/** A repeat or a phrase: short ones are many, long ones few. */
const LEAST_BYTES = 5;
const MORE_BYTES = 90;
const PHRASE_BYTES = 96;
/** About: of `LEAST_BYTES + share * share * MORE_BYTES`, and of a word. */
const MEAN_BYTES = LEAST_BYTES + MORE_BYTES / 4;
const MEAN_WORD_BYTES = 6;
const REACH_BYTES = 65_536;

/**
 * Writes texts that compress as those of people and programs do: a file repeats itself, all files have phrases in common, and some letters
 * are frequent. Each file is written anew, so that none is found whole or in long runs in another one: a compressor with a
 * large window, or one that cuts by content, would gain by that as it does nowhere else.
 */
export function textMaker(random: Random, kind: TextKind): (sizeBytes: number) => Buffer {
  const letters = lettersByFrequency();
  const word = (into: Buffer, from: number, most: number): number => {
    const end = Math.min(most, from + 2 + random.below(9));
    for (let at = from; at < end; at += 4) {
      const drawn = random.next();
      // Beyond the end nothing is written by a typed array.
      into[at] = letters[drawn & 255] as number;
      into[at + 1] = letters[(drawn >>> 8) & 255] as number;
      into[at + 2] = letters[(drawn >>> 16) & 255] as number;
      into[at + 3] = letters[drawn >>> 24] as number;
    }
    return end;
  };
  const phrases = Buffer.alloc(COMMON_PHRASES * PHRASE_BYTES);
  for (let at = 0; at < phrases.length; ) at = word(phrases, at, phrases.length);
  // Drawn by the piece: what has longer pieces is drawn less often.
  const repeated = kind.repeated / MEAN_BYTES;
  const common = kind.common / MEAN_BYTES;
  const all = repeated + common + (1000 - kind.repeated - kind.common) / MEAN_WORD_BYTES;
  const repeatedBelow = Math.round((repeated / all) * 65_536);
  const commonBelow = repeatedBelow + Math.round((common / all) * 65_536);
  return (sizeBytes) => {
    const text = Buffer.allocUnsafeSlow(sizeBytes);
    for (let at = 0; at < sizeBytes; ) {
      const drawn = random.next();
      const which = drawn & 65_535;
      const long = ((drawn >>> 24) * ((drawn >>> 16) & 255) * MORE_BYTES) >>> 16;
      const length = Math.min(sizeBytes - at, LEAST_BYTES + long);
      if (which < repeatedBelow && at > LEAST_BYTES + MORE_BYTES) {
        const far = random.next();
        const share = ((far & 1023) * ((far >>> 10) & 1023) * ((far >>> 20) & 1023)) / 1_073_741_824;
        const from = at - length - Math.floor(share * (Math.min(at, REACH_BYTES) - length));
        for (let i = 0; i < length; i += 1) text[at + i] = text[from + i] as number;
        at += length;
      } else if (which < commonBelow) {
        const rare = random.next();
        const from = (((rare & 4095) * ((rare >>> 12) & 4095)) >>> 12) * PHRASE_BYTES;
        for (let i = 0; i < length; i += 1) text[at + i] = phrases[from + i] as number;
        at += length;
      } else at = word(text, at, sizeBytes);
    }
    return text;
  };
}

/** 256 of them, to be drawn from. */
function lettersByFrequency(): Uint8Array {
  const text =
    'etaoinshrdlu    '.repeat(9) +
    'etaoinshrdlucmfwypvbgkqjxz\n\n'.repeat(2) +
    'ETAOINSRHLDCUMFPGWYBVKXJQZ0123456789_-./:;,()=<>"\'{}[]#*+&%$!?@|~^`\\';
  return Uint8Array.from({ length: 256 }, (_, index) => text.charCodeAt(index % text.length));
}
