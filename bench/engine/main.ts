import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Measure, measureCommand, medianOf } from '../support/measure.ts';
import { benchGrowth, growthLine } from './growth.ts';
import { canMount, withFreshFolder } from './scratch.ts';
import { changeSome, type TreeName, trees } from './trees.ts';

/**
 * Full backup, verification that reads every byte, restore, and a copy that builds on the first when nothing or 1 % is new of the same generated trees, by this engine and by the
 * peers on the machine, interleaved in one run. Ratios are of medians: below 1 is faster than the peer.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    runs: { type: 'string', default: '3' },
    scale: { type: 'string', default: '0.2' },
    tree: { type: 'string', multiple: true, default: Object.keys(trees) },
    work: { type: 'string', default: tmpdir() },
    /** Adds this engine with each cipher. */
    encryption: { type: 'boolean', default: false },
    compression: { type: 'string', default: 'Optimal' },
    /** Numbers of files, such as `10000,100000,1000000`: in place of the peers, this engine as the tree grows. */
    growth: { type: 'string' },
    /** The program that runs this engine: this Node unless told; a path of Electron measures the runtime of the desktop application. */
    runtime: { type: 'string', default: process.execPath },
  },
});

type Tool = 'strongroom' | 'strongroom-aes' | 'strongroom-age' | 'tar-zstd' | 'restic';
const works = ['backup', 'verify', 'restore', 'unchanged', '1 % new'] as const;
type Work = (typeof works)[number];
interface Row extends Measure {
  readonly tree: TreeName;
  readonly work: Work;
  readonly tool: Tool;
  readonly storedMb: number | null;
  readonly ratio: number | null;
}

const runs = Number(values.runs);
const scale = Number(values.scale);
const projectRoot = join(import.meta.dirname, '..', '..');
/** Bundled like the backend that users run: from source each thread would first take the types out of the code. */
const program = join(projectRoot, 'out', 'bench', 'strongroom.js');
const hasRestic = installed('restic');

const work = mkdtempSync(join(values.work, 'strongroom-bench-'));

async function benchTree(tree: TreeName): Promise<readonly Row[]> {
  const source = join(work, tree);
  mkdirSync(source);
  trees[tree].build(source, scale);
  // What is touched right before a copy is read again by the next one.
  await wait(1500);
  const encrypted = values.encryption ? (['strongroom-aes', 'strongroom-age'] as const) : [];
  const tools: readonly Tool[] = [
    'strongroom',
    ...encrypted,
    'tar-zstd',
    ...(hasRestic ? (['restic'] as const) : []),
  ];
  const measured = new Map<string, Measure[]>();
  const stored = new Map<Tool, number>();
  const note = (key: string, value: Measure) => measured.set(key, [...(measured.get(key) ?? []), value]);
  for (let run = 0; run < runs; run += 1) {
    for (const tool of tools) {
      const store = join(work, `store-${tool}`);
      rmSync(store, { recursive: true, force: true });
      mkdirSync(store);
      if (tool === 'restic') await measureCommand(lines.restic.prepare(store), resticEnv);
      note(`backup ${tool}`, await measureCommand(lines[tool].backup(source, store), resticEnv));
      stored.set(tool, folderMb(store));
      note(`verify ${tool}`, await measureCommand(lines[tool].verify(store), resticEnv));
      const restored = await withFreshFolder(work, Math.ceil(6000 * scale) + 500, (folder) =>
        measureCommand(lines[tool].restore(store, folder), resticEnv),
      );
      note(`restore ${tool}`, restored);
      await measureCommand(lines[tool].prepareNext(source, store), resticEnv);
      note(`unchanged ${tool}`, await measureCommand(lines[tool].next(source, store, 'same'), resticEnv));
      process.stderr.write(`tree ${tree}, run ${run + 1} of ${runs}, ${tool}\n`);
    }
    changeSome(source, run);
    for (const tool of tools) {
      const store = join(work, `store-${tool}`);
      note(`1 % new ${tool}`, await measureCommand(lines[tool].next(source, store, 'changed'), resticEnv));
    }
  }
  rmSync(source, { recursive: true, force: true });
  return tools.flatMap((tool) =>
    works.map((kind): Row => {
      const own = medianOf(measured.get(`${kind} strongroom`) ?? []);
      const its = medianOf(measured.get(`${kind} ${tool}`) ?? []);
      const ratio = tool === 'strongroom' ? null : own.wallSeconds / its.wallSeconds;
      return {
        tree,
        work: kind,
        tool,
        ...its,
        storedMb: kind === 'backup' ? (stored.get(tool) ?? null) : null,
        ratio,
      };
    }),
  );
}

const resticEnv = { RESTIC_PASSWORD: 'bench', RESTIC_CACHE_DIR: join(work, 'restic-cache') };

const lines = {
  strongroom: engine(''),
  'strongroom-aes': engine('aes-256-gcm'),
  'strongroom-age': engine('age'),
  'tar-zstd': {
    backup: (source: string, store: string) =>
      `tar -C ${source} -cf - . | zstd -q -3 -T1 -o ${store}/a.tar.zst && sync ${store}/a.tar.zst`,
    verify: (store: string) => `zstd -q -dc ${store}/a.tar.zst | tar -tf - > /dev/null`,
    prepareNext: (source: string, store: string) => `tar -C ${source} -g ${store}/full.snar -cf /dev/null .`,
    next: (source: string, store: string, name: string) =>
      `cp ${store}/full.snar ${store}/${name}.snar && tar -C ${source} -g ${store}/${name}.snar -cf - . | zstd -q -3 -T1 -o ${store}/${name}.tar.zst && sync ${store}/${name}.tar.zst`,
    restore: (store: string, folder: string) => `zstd -q -dc ${store}/a.tar.zst | tar -C ${folder} -xf -`,
  },
  restic: {
    prepare: (store: string) => `restic -q -r ${store} init --repository-version 2`,
    backup: (source: string, store: string) => `restic -q -r ${store} backup ${source}`,
    prepareNext: () => 'true',
    next: (source: string, store: string, _name: string) => `restic -q -r ${store} backup ${source}`,
    verify: (store: string) => `restic -q -r ${store} check --read-data`,
    restore: (store: string, folder: string) => `restic -q -r ${store} restore latest --target ${folder}`,
  },
} as const;

function engine(crypto: string) {
  const key = join(work, 'keys', crypto);
  const run = `STRONGROOM_BENCH_CRYPTO=${crypto} STRONGROOM_BENCH_KEY=${key} ELECTRON_RUN_AS_NODE=1 ${values.runtime} ${program}`;
  return {
    backup: (source: string, store: string) => `${run} backup ${source} ${store} bench ${values.compression}`,
    prepareNext: () => 'true',
    next: (source: string, store: string, name: string) =>
      `${run} backup ${source} ${store} ${name} ${values.compression} bench`,
    verify: (store: string) => `${run} verify ${store} bench`,
    restore: (store: string, folder: string) => `${run} restore ${store} bench ${folder}`,
  };
}

async function printGrowth(counts: readonly number[]): Promise<void> {
  const wrong = counts.find((count) => !Number.isInteger(count) || count < 1);
  if (wrong !== undefined) throw new Error('--growth: give whole numbers of files, like 10000,100000');
  const rows = await benchGrowth(counts, work, lines.strongroom);
  const told = values.json
    ? JSON.stringify({ suite: 'engine growth', node: process.version, rows }, null, 2)
    : rows.map(growthLine).join('\n');
  process.stdout.write(`${told}\n`);
}

function print(rows: readonly Row[]): void {
  if (values.json) {
    const about = { suite: 'engine', runs, scale, freshFileSystem: canMount(), node: process.version };
    process.stdout.write(`${JSON.stringify({ ...about, rows }, null, 2)}\n`);
    return;
  }
  for (const row of rows) {
    const cells = [
      row.tree,
      row.work.padEnd(9),
      row.tool.padEnd(14),
      `${row.wallSeconds.toFixed(2)} s`.padStart(9),
      `${row.cpuSeconds.toFixed(2)} s CPU`.padStart(13),
      `${row.peakMb.toFixed(0)} MB`.padStart(8),
      row.storedMb === null ? ''.padStart(12) : `${row.storedMb.toFixed(0)} MB stored`,
      row.ratio === null ? '' : `strongroom takes ${row.ratio.toFixed(2)} × its time`,
    ];
    process.stdout.write(`${cells.join('  ')}\n`);
  }
}

function folderMb(folder: string): number {
  return Number(execFileSync('du', ['-sb', folder], { encoding: 'utf8' }).split('\t')[0]) / 1e6;
}

function installed(name: string): boolean {
  try {
    execFileSync(name, ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(`${name} is not installed and is left out\n`);
    return false;
  }
}

// Last, since everything above has to be there.
try {
  execFileSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs'), 'bench'], { stdio: 'inherit' });
  const rows: Row[] = [];
  if (values.growth !== undefined) await printGrowth(values.growth.split(',').map(Number));
  for (const name of values.growth === undefined ? values.tree : []) {
    if (!(name in trees)) throw new Error(`--tree ${name}: choose of ${Object.keys(trees).join(', ')}`);
    rows.push(...(await benchTree(name as TreeName)));
  }
  if (values.growth === undefined) print(rows);
} finally {
  rmSync(work, { recursive: true, force: true });
}
