import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startBackup, startVerify } from '../../../backend/engine/index.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

it('files that shrink, vanish or have no content while they are read cost only themselves (cases 74, 75)', async () => {
  const folder = await makeTempDir('changing');
  const source = join(folder.path, 'source');
  const storagePath = join(folder.path, 'storage');
  mkdirSync(source);
  mkdirSync(storagePath);
  writeFileSync(join(source, 'a-large'), randomBytes(192 * 1024 * 1024));
  writeFileSync(join(source, 'b-vanishes'), 'x');
  writeFileSync(join(source, 'c-stays'), 'y');
  const socket = createServer();
  await new Promise<void>((resolve) => socket.listen(join(source, 'd-socket'), resolve));
  try {
    const job = startBackup({ source, storagePath, copyId: 'copy', compression: 'None' });
    // Far from its end when it is paused, however late that is.
    job.setLimit(16 * 1024 * 1024);
    await new Promise<void>((resolve) => {
      const off = job.onProgress((progress) => {
        if (progress.bytesDone === 0) return;
        off();
        resolve();
      });
    });
    job.pause();
    truncateSync(join(source, 'a-large'), 1024);
    rmSync(join(source, 'b-vanishes'));
    job.setLimit(0);
    job.resume();
    const made = await job.result;
    expect(made.changed).toEqual([join(source, 'a-large')]);
    const skipped = made.skipped.map((item) => [item.path.slice(source.length + 1), item.class]);
    expect(skipped).toEqual([
      ['b-vanishes', 'vanished'],
      ['d-socket', 'io'],
    ]);
    expect(made.totals).toMatchObject({ files: 2, skipped: 2, changed: 1 });
    expect((await startVerify({ storagePath, copyId: 'copy' }).result).status).toBe('trusted');
  } finally {
    socket.close();
    await folder.remove();
  }
});
