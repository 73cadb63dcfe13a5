import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { base64Length, isBase64, readBase64, writeBase64 } from '../../../backend/platform/base64-bytes.ts';

it('writes and reads what Node does, of any length', () => {
  for (let length = 0; length <= 64; length += 1) {
    const bytes = randomBytes(length);
    const text = Buffer.alloc(100, '*');
    const end = writeBase64(bytes, text, 3);
    expect(text.toString('latin1', 3, end)).toBe(bytes.toString('base64'));
    expect(end - 3).toBe(base64Length(length));
    expect(text[end]).toBe(42);
    expect(isBase64(text, 3, length)).toBe(true);
    const back = Buffer.alloc(70, 7);
    readBase64(text, 3, length, back, 2);
    expect(back.subarray(2, 2 + length).equals(bytes)).toBe(true);
    expect(back[2 + length]).toBe(7);
  }
});

it('knows other texts', () => {
  const texts = ['AA==', 'A===', 'AA=A', 'AA-A', 'AAA"'].map((text) => Buffer.from(text));
  expect(texts.map((text) => isBase64(text, 0, 1))).toEqual([true, false, false, false, false]);
  expect(isBase64(Buffer.from('AAA'), 0, 3)).toBe(false);
});
