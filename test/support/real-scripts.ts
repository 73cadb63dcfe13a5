import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';

/** An executable shell script in the folder; answers its path. */
export async function makeScript(folder: string, name: string, lines: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  await chmod(path, 0o755);
  return path;
}

/** The whole text of a file, once there is one that ends with a line. */
export function untilWritten(path: string): Promise<string> {
  return vi.waitFor(
    async () => {
      const text = await readFile(path, 'utf8');
      if (!text.endsWith('\n')) throw new Error(`${path} is not complete yet`);
      return text;
    },
    { timeout: 30_000, interval: 10 },
  );
}

/** A process that has ended and that nobody has asked about yet counts as gone. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return !/^\d+ \(.*\) [ZX]/s.test(stat);
  } catch {
    return false;
  }
}

export const untilGone = (pid: number): Promise<void> =>
  vi.waitFor(
    async () => {
      if (await isAlive(pid)) throw new Error(`process ${pid} is still there`);
    },
    { timeout: 30_000, interval: 10 },
  );
