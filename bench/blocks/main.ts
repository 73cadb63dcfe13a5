import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ContenderName, contenders } from './contenders.ts';

/**
 * The index of block hashes beside a Map and SQLite, and the whole store with tiny blocks: memory, inserts, hits and misses a
 * second. Each in a process of its own, so that memory is its own.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    blocks: { type: 'string', default: '10000000' },
    lookups: { type: 'string', default: '1000000' },
    contender: { type: 'string', multiple: true, default: Object.keys(contenders) },
    work: { type: 'string', default: tmpdir() },
  },
});

interface Row {
  readonly contender: ContenderName;
  readonly insertsPerSecond: number;
  readonly hitsPerSecond: number;
  readonly missesPerSecond: number;
  readonly memoryMb: number;
  readonly memoryBytesPerBlock: number;
  readonly fileBytesPerBlock: number;
}

const program = join(import.meta.dirname, 'run.ts');
const rows = values.contender.map((name): Row => {
  const folder = mkdtempSync(join(values.work, 'strongroom-bench-blocks-'));
  try {
    const told = execFileSync(
      process.execPath,
      ['--expose-gc', program, name, folder, values.blocks, values.lookups],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const row: Row = JSON.parse(told);
    return row;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

if (values.json) {
  process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
} else {
  const line = (cells: readonly (string | number)[]): string =>
    cells.map((cell) => String(cell).padStart(14)).join('');
  const heads = ['', 'inserts/s', 'hits/s', 'misses/s', 'memory MB', 'bytes/block', 'in file'];
  process.stdout.write(`${values.blocks} blocks\n${line(heads)}\n`);
  for (const row of rows) {
    const speeds = [row.insertsPerSecond, row.hitsPerSecond, row.missesPerSecond];
    const sizes = [row.memoryMb, row.memoryBytesPerBlock, row.fileBytesPerBlock];
    process.stdout.write(`${line([row.contender, ...speeds, ...sizes])}\n`);
  }
}
