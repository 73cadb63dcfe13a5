import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../backend/db/index.ts';
import { type Fault, faultEnv, whyNoFaults } from '../../lab/faultfs.ts';
import { sourceProgram } from '../../support/source-program.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const reason = whyNoFaults();
if (reason !== null) process.stderr.write(`skipped: commits and the disk, since ${reason}\n`);

const program = join(import.meta.dirname, 'commit-process.ts');
const commits = 40;

let folder: Awaited<ReturnType<typeof makeTempDir>>;
beforeEach(async () => {
  folder = await makeTempDir('log-sync');
  // What is counted are commits alone, without migrations.
  await (await openDatabase({ kind: 'sqlite', path: join(folder.path, 'strongroom.db') })).close();
});
afterEach(() => folder.remove());

interface Told {
  readonly ends: readonly string[];
  readonly rows: number;
}

/** What a process tells that commits while the syncs of its log meet a fault, and how many of them there were. */
async function commitUnder(
  fault: Pick<Fault, 'at' | 'mode' | 'sticky' | 'thread'>,
): Promise<Told & { readonly syncs: number }> {
  const log = join(folder.path, 'calls.log');
  const env = {
    ...process.env,
    ...faultEnv({ ...fault, path: 'strongroom.db-wal', ops: ['fsync', 'fdatasync'], log }),
  };
  const args = sourceProgram(program, join(folder.path, 'strongroom.db'), String(commits));
  const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8', timeout: 60_000 });
  if (stdout === '') throw new Error(stderr);
  // Of the process itself: what it starts counts too, and less.
  const counts = (await readFile(log, 'utf8')).trim().split('\n').map(Number);
  return { ...(JSON.parse(stdout) as Told), syncs: Math.max(...counts) };
}

describe.skipIf(reason !== null)('a commit', () => {
  it('waits for the disk without holding up the main thread', async () => {
    const { ends, rows, syncs } = await commitUnder({ at: 0, thread: 'main' });
    expect([...new Set(ends)]).toEqual(['written']);
    expect(rows).toBe(commits);
    // The beginning of the log, and its end.
    expect(syncs).toBeLessThan(commits / 4);
  });

  it('is over when the log was brought to the disk, together with others, or into the database where that fails', async () => {
    const { ends, rows, syncs } = await commitUnder({ at: 1, mode: 'EIO', thread: 'others' });
    expect([...new Set(ends)]).toEqual(['written']);
    expect(rows).toBe(commits);
    expect(syncs).toBeGreaterThanOrEqual(commits / 2 + 1);
    expect(syncs).toBeLessThan(commits);
  });

  it('that cannot be brought to the disk at all is told as an error', async () => {
    const { ends } = await commitUnder({ at: 1, mode: 'EIO', sticky: true });
    expect(ends.filter((end) => !/EIO|disk I\/O error/.test(end))).toEqual([]);
  });
});
