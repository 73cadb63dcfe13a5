import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startBackup, startVerify } from '../../../backend/engine/index.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

it('a copy without compression that passes the pipeline many times over is finished and trusted', async () => {
  const folder = await makeTempDir();
  const source = join(folder.path, 'source');
  const storagePath = join(folder.path, 'storage');
  mkdirSync(source);
  mkdirSync(storagePath);
  const block = randomBytes(4 * 1024 * 1024);
  // Large files and rows in turn: whatever is published must reach the writer, however the workers are scheduled.
  for (let i = 0; i < 24; i += 1) writeFileSync(join(source, `large-${i}`), block);
  for (let i = 0; i < 3000; i += 1) writeFileSync(join(source, `small-${i}`), '');
  try {
    for (const workerParallelism of [1, 2]) {
      const copyId = `copy-${workerParallelism}`;
      const made = await startBackup({ source, storagePath, copyId, compression: 'None', workerParallelism })
        .result;
      expect(made.totals.files).toBe(3024);
      expect(statSync(join(made.path, made.archiveFile)).size).toBe(made.archiveBytes);
      const found = await startVerify({ storagePath, copyId }).result;
      expect(found.status).toBe('trusted');
    }
  } finally {
    await folder.remove();
  }
});
