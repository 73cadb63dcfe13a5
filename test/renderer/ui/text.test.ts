import { expect, test } from 'vitest';
import { cutMiddle, nameInText, showHidden } from '../../../renderer/ui/index.ts';

test('what deceives the eye is made visible', () => {
  expect(showHidden('report\u202Efdp.exe')).toBe('report\\u202efdp.exe');
  expect(showHidden('a\u200bb\u0000c\u001b[31m')).toBe('a\\u200bb\\u0000c\\u001b[31m');
  expect(showHidden('two\nlines\tand a tab')).toBe('two⏎lines⇥and a tab');
});

test('languages and pictures stay as they are', () => {
  for (const text of ['Ünï çödé', '日本語', 'שלום', '🗄️ pool', 'e\u0301']) expect(showHidden(text)).toBe(text);
});

test('doing it twice changes nothing more', () => {
  const once = showHidden('x\u2066y');
  expect(showHidden(once)).toBe(once);
});

test('a long path keeps its beginning and more of its end', () => {
  const path = '/very/long/path/to/some/deep/folder/report.txt';
  const cut = cutMiddle(path, 20);
  expect(cut).toHaveLength(20);
  expect(cut.startsWith('/very')).toBe(true);
  expect(cut.endsWith('report.txt')).toBe(true);
  expect(cutMiddle('/short', 20)).toBe('/short');
});

test('a name within a sentence leaves it one, however long it is, and hides nothing', () => {
  expect(nameInText('/srv/data')).toBe('/srv/data');
  expect(nameInText('a\u202Eb')).toBe('a\\u202eb');
  const long = nameInText(`/srv/${'x'.repeat(10_000)}/end`);
  expect(long).toHaveLength(160);
  expect(long).toMatch(/^\/srv\/x+…x+\/end$/);
});
