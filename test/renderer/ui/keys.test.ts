import { expect, test } from 'vitest';
import { shortcutKey } from '../../../renderer/ui/index.ts';

test.each([
  ['a Latin letter', { key: 'k', code: 'KeyK' }, 'k'],
  ['a capital', { key: 'K', code: 'KeyK' }, 'k'],
  ['a Russian letter, by its place', { key: 'л', code: 'KeyK' }, 'k'],
  ['a Russian letter in the place of a comma', { key: 'б', code: 'Comma' }, ','],
  ['another order of Latin letters, by the letter', { key: 'k', code: 'KeyV' }, 'k'],
  ['a named key', { key: 'ArrowDown', code: 'ArrowDown' }, 'arrowdown'],
  ['a letter in a place without a Latin one', { key: 'ж', code: 'Semicolon' }, 'ж'],
])('the key of a shortcut is known by %s', (_what, pressed, key) => {
  expect(shortcutKey(pressed)).toBe(key);
});
