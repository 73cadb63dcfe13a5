import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const renderer = join(import.meta.dirname, '../../../renderer');
const files = readdirSync(renderer, { recursive: true, encoding: 'utf8' });

test('every style sheet is brought by some part of the window', () => {
  const brought = new Set(
    files
      .filter((name) => /\.tsx?$/.test(name))
      .flatMap((name) => [...readFileSync(join(renderer, name), 'utf8').matchAll(/^import '(.+\.css)';$/gm)])
      .map(([, path = '']) => basename(path)),
  );
  const sheets = files.filter((name) => name.endsWith('.css')).map((name) => basename(name));
  expect(sheets.length).toBeGreaterThan(10);
  expect(sheets.filter((sheet) => !brought.has(sheet))).toEqual([]);
});
