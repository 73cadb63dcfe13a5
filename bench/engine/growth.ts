import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Measure, measureCommand } from '../support/measure.ts';
import { withFreshFolder } from './scratch.ts';
import { trees } from './trees.ts';

/** Files of tree a at scale 1, and about how many MB each of them takes. */
const FILES_AT_ONE = 100_000;
const MB_PER_FILE = 0.02;

export interface GrowthRow extends Measure {
  readonly files: number;
  readonly work: 'backup' | 'unchanged' | 'verify' | 'restore';
  readonly cpuMicrosPerFile: number;
  /** Per file, over that of the smallest tree: flat is 1. */
  readonly cpuGrowth: number;
  readonly memoryGrowth: number;
  /** Neither the time of a file nor memory is more than a fifth over that of the smallest tree. */
  readonly isFlat: boolean;
}

const mostGrowth = 1.2;

/** The jobs as lines of a shell; `next` builds on the backup. */
export interface Jobs {
  readonly backup: (source: string, store: string) => string;
  readonly next: (source: string, store: string, name: string) => string;
  readonly verify: (store: string) => string;
  readonly restore: (store: string, folder: string) => string;
}

/** Whether time per file and memory stay as they are while the tree grows; one run of each, the smallest first. */
export async function benchGrowth(
  counts: readonly number[],
  work: string,
  jobs: Jobs,
): Promise<readonly GrowthRow[]> {
  const rows: GrowthRow[] = [];
  for (const files of counts.toSorted((one, other) => one - other)) {
    const source = join(work, 'grown');
    const store = join(work, 'store-grown');
    for (const folder of [source, store]) mkdirSync(folder);
    trees.a.build(source, files / FILES_AT_ONE);
    const note = (kind: GrowthRow['work'], measure: Measure): void => {
      const cpuMicrosPerFile = (measure.cpuSeconds * 1e6) / files;
      const first = rows.find((row) => row.work === kind);
      const cpuGrowth = cpuMicrosPerFile / (first?.cpuMicrosPerFile ?? cpuMicrosPerFile);
      const memoryGrowth = measure.peakMb / (first?.peakMb ?? measure.peakMb);
      const isFlat = cpuGrowth <= mostGrowth && memoryGrowth <= mostGrowth;
      rows.push({ files, work: kind, ...measure, cpuMicrosPerFile, cpuGrowth, memoryGrowth, isFlat });
      process.stderr.write(`${files} files, ${kind}\n`);
    };
    // What is touched right before a copy is read again by the next one.
    await wait(1500);
    note('backup', await measureCommand(jobs.backup(source, store)));
    note('unchanged', await measureCommand(jobs.next(source, store, 'same')));
    rmSync(source, { recursive: true });
    note('verify', await measureCommand(jobs.verify(store)));
    const megabytes = Math.ceil(files * MB_PER_FILE) + 500;
    const restored = await withFreshFolder(work, megabytes, (folder) =>
      measureCommand(jobs.restore(store, folder)),
    );
    note('restore', restored);
    rmSync(store, { recursive: true });
  }
  return rows;
}

export function growthLine(row: GrowthRow): string {
  return [
    `${row.files} files`.padStart(15),
    row.work.padEnd(9),
    `${row.wallSeconds.toFixed(2)} s`.padStart(9),
    `${row.cpuSeconds.toFixed(2)} s CPU`.padStart(13),
    `${row.cpuMicrosPerFile.toFixed(0)} µs CPU a file (× ${row.cpuGrowth.toFixed(2)})`,
    `${row.peakMb.toFixed(0)} MB (× ${row.memoryGrowth.toFixed(2)})`,
    row.isFlat ? '' : 'GROWS',
  ].join('  ');
}
