import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Measure, measureCommand, medianOf } from '../support/measure.ts';
import { benchGrowth, growthLine } from './growth.ts';
import { canMount, withFreshFolder } from './scratch.ts';
import { neededFor, type TargetRow, targetRows, verdictLine, verdicts } from './targets.ts';
import { isInstalled, peerEnvironment, type Row, type ToolName, toolsOf, type Work, works } from './tools.ts';
import { changeSome, type TreeName, trees } from './trees.ts';

/**
 * The work of the table of targets on the same generated trees, by this engine and by the peers on the machine, interleaved in
 * one run: medians, and at the end each target with what became of it. Ratios below 1 are faster than the peer.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    runs: { type: 'string', default: '5' },
    /** Of the trees' size; what is judged against the targets is 1, which takes about an hour. */
    scale: { type: 'string', default: '1' },
    tree: { type: 'string', multiple: true, default: Object.keys(trees) },
    work: { type: 'string', default: tmpdir() },
    /** Rows of the table of targets, such as `backup,restore`: what they need is measured, and nothing else. */
    rows: { type: 'string', default: targetRows.join(',') },
    compression: { type: 'string', default: 'Optimal' },
    /** Numbers of files, such as `10000,100000,1000000`: in place of the peers, this engine as the tree grows. */
    growth: { type: 'string' },
    /** The program that runs this engine: this Node unless told; a path of Electron measures the runtime of the desktop application. */
    runtime: { type: 'string', default: process.execPath },
  },
});

const runs = Number(values.runs);
const scale = Number(values.scale);
const rows = rowsOf(values.rows);
const projectRoot = join(import.meta.dirname, '..', '..');
/** The backend that users run is looser by so much under the runtime of the desktop application. */
const looser = values.runtime === process.execPath ? 1 : 1.3;
const peersThere = new Set((['restic', 'borg'] as const).filter((name) => isInstalled(name)));
const work = mkdtempSync(join(values.work, 'strongroom-bench-'));
const environment = peerEnvironment(work);
const tools = toolsOf({
  work,
  runtime: values.runtime,
  /** Bundled like the backend that users run: from source each thread would first take the types out of the code. */
  program: join(projectRoot, 'out', 'bench', 'strongroom.js'),
  compression: values.compression,
  deviceMb: Math.ceil(3000 * scale) + 1000,
});

async function benchTree(tree: TreeName): Promise<readonly Row[]> {
  const needed = [...neededFor(rows, tree)].filter(([name]) => isThere(name));
  if (needed.length === 0) return [];
  const source = join(work, tree);
  mkdirSync(source);
  trees[tree].build(source, scale);
  // What is touched right before a copy is read again by the next one.
  await wait(1500);
  const measured = new Map<string, Measure[]>();
  const stored = new Map<ToolName, number>();
  for (let run = 0; run < runs; run += 1) {
    const note = async (kind: Work, name: ToolName, line: string) => {
      const key = `${kind} ${name}`;
      settle(source);
      measured.set(key, [...(measured.get(key) ?? []), await measureCommand(line, environment)]);
    };
    for (const [name, wanted] of inTurn(needed, run)) {
      const tool = tools[name];
      const store = join(work, `store-${name}`);
      rmSync(store, { recursive: true, force: true });
      mkdirSync(store);
      await measureCommand(tool.prepare(store), environment);
      await note('backup', name, tool.backup(source, store));
      stored.set(name, storedMb(store));
      if (wanted.has('verify')) await note('verify', name, tool.verify(store));
      if (wanted.has('restore')) {
        const roomMb = Math.ceil(6000 * scale) + 500;
        await withFreshFolder(work, roomMb, (folder) => note('restore', name, tool.restore(store, folder)));
      }
      if (wanted.has('dedup')) await note('dedup', name, tool.dedup(source, store));
      if (wanted.has('unchanged') || wanted.has('changed'))
        await measureCommand(tool.prepareNext(source, store), environment);
      if (wanted.has('unchanged')) await note('unchanged', name, tool.next(source, store, 'same'));
      process.stderr.write(`tree ${tree}, run ${run + 1} of ${runs}, ${name}\n`);
    }
    if (!needed.some(([, wanted]) => wanted.has('changed'))) continue;
    changeSome(source, run);
    for (const [name, wanted] of needed) {
      const line = tools[name].next(source, join(work, `store-${name}`), 'changed');
      if (wanted.has('changed')) await note('changed', name, line);
    }
  }
  for (const folder of [source, ...needed.map(([name]) => join(work, `store-${name}`))])
    rmSync(folder, { recursive: true, force: true });
  return needed.flatMap(([name, wanted]) =>
    works
      .filter((kind) => wanted.has(kind))
      .map((kind): Row => {
        const its = medianOf(measured.get(`${kind} ${name}`) ?? []);
        return {
          tree,
          work: kind,
          tool: name,
          ...its,
          storedMb: kind === 'backup' ? (stored.get(name) ?? null) : null,
        };
      }),
  );
}

/**
 * What was written before is on the disk, and the source in memory: else who comes first pays for the tree that was
 * just made and for what the one before him left, since a file that is brought to the disk takes other new files along.
 */
function settle(source: string): void {
  execFileSync('sync');
  execFileSync('sh', ['-c', `tar -C ${source} -cf - . | cat > /dev/null`]);
}

/** Each run begins with another tool. */
function inTurn<T>(all: readonly T[], run: number): readonly T[] {
  const first = run % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

function isThere(name: ToolName): boolean {
  return (name !== 'restic' && name !== 'borg') || peersThere.has(name);
}

function rowsOf(text: string): readonly TargetRow[] {
  return text.split(',').map((name) => {
    const found = targetRows.find((row) => row === name);
    if (found === undefined) throw new Error(`--rows ${name}: choose of ${targetRows.join(', ')}`);
    return found;
  });
}

async function printGrowth(counts: readonly number[]): Promise<void> {
  const wrong = counts.find((count) => !Number.isInteger(count) || count < 1);
  if (wrong !== undefined) throw new Error('--growth: give whole numbers of files, like 10000,100000');
  const grown = await benchGrowth(counts, work, tools.strongroom);
  const isFlat = grown.every((row) => row.isFlat);
  const told = values.json
    ? JSON.stringify({ suite: 'engine growth', node: process.version, isFlat, rows: grown }, null, 2)
    : `${grown.map(growthLine).join('\n')}\n${isFlat ? 'flat' : 'NOT FLAT'} within 20 %`;
  process.stdout.write(`${told}\n`);
}

function print(measured: readonly Row[]): void {
  const judged = verdicts(measured, rows, looser);
  if (values.json) {
    const about = {
      suite: 'engine',
      runs,
      scale,
      freshFileSystem: canMount(),
      node: process.version,
      looser,
    };
    process.stdout.write(`${JSON.stringify({ ...about, rows: measured, targets: judged }, null, 2)}\n`);
    return;
  }
  for (const row of measured) {
    const cells = [
      row.tree,
      row.work.padEnd(9),
      row.tool.padEnd(17),
      `${row.wallSeconds.toFixed(2)} s`.padStart(9),
      `${row.cpuSeconds.toFixed(2)} s CPU`.padStart(13),
      `${row.peakMb.toFixed(0)} MB`.padStart(8),
      row.storedMb === null ? '' : `${row.storedMb.toFixed(0)} MB stored`,
    ];
    process.stdout.write(`${cells.join('  ')}\n`);
  }
  process.stdout.write(`\n${judged.map(verdictLine).join('\n')}\n`);
  const met = judged.filter(({ isMet }) => isMet).length;
  process.stdout.write(`${met} of ${judged.length} targets met\n`);
}

/** What the disk holds of it: a device is a sparse file. */
function storedMb(folder: string): number {
  return (
    Number(execFileSync('du', ['-s', '--block-size=1', folder], { encoding: 'utf8' }).split('\t')[0]) / 1e6
  );
}

// Last, since everything above has to be there.
try {
  execFileSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs'), 'bench'], { stdio: 'inherit' });
  const measured: Row[] = [];
  if (values.growth !== undefined) await printGrowth(values.growth.split(',').map(Number));
  for (const name of values.growth === undefined ? values.tree : []) {
    if (!(name in trees)) throw new Error(`--tree ${name}: choose of ${Object.keys(trees).join(', ')}`);
    measured.push(...(await benchTree(name as TreeName)));
  }
  if (values.growth === undefined) print(measured);
} finally {
  rmSync(work, { recursive: true, force: true });
}
