import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const projectRoot = join(import.meta.dirname, '../../..');

it('every test that the table of faults names is there, and the faults and targets are counted right', async () => {
  const text = await readFile(join(projectRoot, 'docs/tape-faults.md'), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| \d+ /.test(line));
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  const folder = join(projectRoot, 'test/backend');
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.test.ts'));
  const tests = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const titles = cells.flatMap((row) =>
    [...(row[3] ?? '').matchAll(/`([^`]+)`/g)].map(([, title]) => title ?? ''),
  );
  expect(titles.length).toBeGreaterThanOrEqual(rows.length);
  expect(titles.filter((title) => !tests.some((test) => test.includes(title)))).toEqual([]);
  expect(cells.map((row) => Number(row[1]))).toEqual(rows.map((_row, index) => index + 1));
  const at = (target: string): number =>
    cells.filter((row) => (row[4] ?? '').split(', ').includes(target)).length;
  expect(text).toContain(
    `${rows.length} faults: ${at('iSCSI')} of them at the independent target, ${at('virtual')} at the virtual library, ${at('simulated')} with simulated answers`,
  );
});
