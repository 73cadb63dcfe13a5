import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One run of one program: wall and CPU seconds, and the peak memory of its largest process in MB. */
export interface Measure {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

/** Runs a shell line under GNU time. Rejects with the program's own words when it does not end with 0. */
export async function measureCommand(
  line: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Measure> {
  const report = join(tmpdir(), `strongroom-bench-${process.pid}-${Math.random().toString(36).slice(2)}`);
  const child = spawn(
    '/usr/bin/time',
    ['-f', '%e %U %S %M', '-o', report, 'bash', '-o', 'pipefail', '-c', line],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString('utf8')}`.slice(-4000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const printed = await readFile(report, 'utf8').catch(() => '');
  await rm(report, { force: true });
  if (code !== 0) throw new Error(`${line}\nended with ${code}: ${said}`);
  const [wall, user, system, peak] = (printed.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { wallSeconds: wall ?? 0, cpuSeconds: (user ?? 0) + (system ?? 0), peakMb: (peak ?? 0) / 1024 };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

export function medianOf(runs: readonly Measure[]): Measure {
  return {
    wallSeconds: median(runs.map((run) => run.wallSeconds)),
    cpuSeconds: median(runs.map((run) => run.cpuSeconds)),
    peakMb: median(runs.map((run) => run.peakMb)),
  };
}
