/**
 * Base64 from bytes to bytes: of a hash Node's own ways make a text, which for each block of a copy takes longer than
 * the work itself.
 */
const DIGITS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 'latin1');
const PADDING = 61;
const NO_DIGIT = 255;
const VALUES = new Uint8Array(256).fill(NO_DIGIT);
for (const [value, digit] of DIGITS.entries()) VALUES[digit] = value;

/** Characters that so many bytes take, with their padding. */
export function base64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

/** Writes the text of all of `bytes` at `at`, and answers where it ends. `into` must have the room. */
export function writeBase64(bytes: Uint8Array, into: Uint8Array, at: number): number {
  const { length } = bytes;
  let to = at;
  for (let from = 0; from < length; from += 3) {
    const first = bytes[from] ?? 0;
    const second = bytes[from + 1] ?? 0;
    const third = bytes[from + 2] ?? 0;
    into[to] = DIGITS[first >> 2] ?? 0;
    into[to + 1] = DIGITS[((first & 3) << 4) | (second >> 4)] ?? 0;
    into[to + 2] = from + 1 < length ? (DIGITS[((second & 15) << 2) | (third >> 6)] ?? 0) : PADDING;
    into[to + 3] = from + 2 < length ? (DIGITS[third & 63] ?? 0) : PADDING;
    to += 4;
  }
  return to;
}

/** Whether the text of just so many bytes, with its padding, stands at `at`. */
export function isBase64(text: Uint8Array, at: number, byteCount: number): boolean {
  const end = at + base64Length(byteCount);
  const digitsEnd = at + Math.ceil((byteCount * 4) / 3);
  for (let from = at; from < digitsEnd; from += 1) {
    if (VALUES[text[from] ?? 0] === NO_DIGIT) return false;
  }
  for (let from = digitsEnd; from < end; from += 1) {
    if (text[from] !== PADDING) return false;
  }
  return true;
}

/** Writes the bytes whose text stands at `from`. Only for what `isBase64` says to be one. */
export function readBase64(
  text: Uint8Array,
  from: number,
  byteCount: number,
  into: Uint8Array,
  at: number,
): void {
  const end = at + byteCount;
  for (let to = at, next = from; to < end; to += 3, next += 4) {
    const second = VALUES[text[next + 1] ?? 0] ?? 0;
    const third = VALUES[text[next + 2] ?? 0] ?? 0;
    into[to] = ((VALUES[text[next] ?? 0] ?? 0) << 2) | (second >> 4);
    if (to + 1 < end) into[to + 1] = ((second & 15) << 4) | (third >> 2);
    if (to + 2 < end) into[to + 2] = ((third & 3) << 6) | (VALUES[text[next + 3] ?? 0] ?? 0);
  }
}
