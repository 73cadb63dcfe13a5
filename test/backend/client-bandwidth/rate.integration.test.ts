import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BackupLab, openBackupLab } from '../../support/backup-lab.ts';

const mib = 1_048_576;
const limit = 2 * mib;
const spanMs = 10_000;
let lab: BackupLab;
let source: string;

beforeAll(async () => {
  lab = await openBackupLab('rate');
  source = join(lab.folder.path, 'much');
  await mkdir(source);
  // Of different sizes, so that neither direction goes by pieces of one length.
  for (let file = 0; file < 12; file += 1)
    await writeFile(join(source, `large-${file}`), randomBytes(2.3 * mib));
  for (let file = 0; file < 100; file += 1)
    await writeFile(join(source, `small-${file}`), randomBytes(40_000));
});
afterAll(() => lab.close());

/** Bytes of all files below the folder, as far as they are written. */
async function bytesBelow(folder: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    const facts = await lstat(join(entry.parentPath, entry.name)).catch(() => null);
    if (facts?.isFile()) sum += Math.min(facts.size, facts.blocks * 512);
  }
  return sum;
}

/**
 * Bytes a second that arrive in the folder, from the moment at which some arrive to one at least ten seconds later: so
 * pieces that arrive as a whole do not count half.
 */
async function rateIn(folder: string): Promise<number> {
  const arrival = async (before: number): Promise<{ readonly bytes: number; readonly atMs: number }> => {
    for (;;) {
      const bytes = await bytesBelow(folder);
      if (bytes > before) return { bytes, atMs: performance.now() };
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const begin = await arrival(await bytesBelow(folder));
  let last = begin;
  while (last.atMs - begin.atMs < spanMs) last = await arrival(last.bytes);
  return ((last.bytes - begin.bytes) / (last.atMs - begin.atMs)) * 1000;
}

async function limited(field: 'backup_bandwidth' | 'restore_bandwidth'): Promise<void> {
  const client = await lab.queue.localClient();
  for (const { id } of await lab.queue.good<{ id: number }[]>('GET', '/client_bandwidth')) {
    await lab.queue.good('DELETE', `/client_bandwidth/${id}`);
  }
  await lab.queue.good('POST', '/client_bandwidth', { data: { client, [field]: limit / 1024 } });
}

describe('what arrives under a limit of 2,048 KB/s over ten seconds', { timeout: 120_000 }, () => {
  it('is what the limit says within 5 %, in a backup and in a restore', async () => {
    await limited('backup_bandwidth');
    const storage = join(lab.app.dataDir, 'pools', 'default');
    const id = await lab.queue.backup(source);
    await lab.queue.moving(id);
    const backupRate = (await rateIn(storage)) / limit;
    const copyId = Number((await lab.queue.ended(id)).repository_id);

    await limited('restore_bandwidth');
    const out = join(lab.folder.path, 'out');
    const restore = await lab.queue.restore(copyId, out);
    const restoreRate = (await rateIn(out)) / limit;
    expect((await lab.queue.ended(restore)).status).toBe('done');

    for (const share of [backupRate, restoreRate]) {
      expect(share).toBeGreaterThan(0.95);
      expect(share).toBeLessThan(1.05);
    }
    process.stderr.write(
      `rates: backup ${(backupRate * 100).toFixed(1)} %, restore ${(restoreRate * 100).toFixed(1)} % of the limit\n`,
    );
  });
});
