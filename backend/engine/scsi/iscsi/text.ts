import { protocolError } from './pdu.ts';

export type TextPair = readonly [key: string, value: string];

/** `key=value` with a zero byte after each. */
export function encodeText(pairs: readonly TextPair[]): Buffer {
  return Buffer.from(pairs.map(([key, value]) => `${key}=${value}\0`).join(''), 'latin1');
}

/** Pairs in their order, keys may repeat. Throws `corrupt` for anything but printable pairs. */
export function decodeText(data: Buffer): readonly TextPair[] {
  return data
    .toString('latin1')
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const equals = line.indexOf('=');
      if (equals < 1 || equals > 63 || /[^ -~]/.test(line))
        throw protocolError('its text is no list of keys');
      return [line.slice(0, equals), line.slice(equals + 1)] as const;
    });
}

export function textOf(pairs: readonly TextPair[], key: string): string | null {
  return pairs.find(([one]) => one === key)?.[1] ?? null;
}

/** A whole number from `low` to `high`, decimal or hexadecimal; null when the key was not sent. */
export function numberOf(
  pairs: readonly TextPair[],
  key: string,
  range: { readonly low: number; readonly high: number },
): number | null {
  const text = textOf(pairs, key);
  if (text === null) return null;
  const value = /^(\d{1,10}|0[xX][0-9a-fA-F]{1,8})$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.low && value <= range.high) return value;
  throw protocolError(`it answers ${key} with ${text.slice(0, 40)}`);
}

/** Binary value of a key: `0x` with hexadecimal digits, or `0b` with Base64. */
export function binaryOf(text: string): Buffer {
  if (/^0[xX]([0-9a-fA-F]{2})+$/.test(text)) return Buffer.from(text.slice(2), 'hex');
  if (/^0[bB][A-Za-z0-9+/]+={0,2}$/.test(text)) return Buffer.from(text.slice(2), 'base64');
  throw protocolError('a binary value cannot be read');
}
