import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loginAt, spawnBackend } from '../../support/backend.ts';
import { makeBigFolder, queueOf } from '../../support/queue.ts';
import { makeSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const reason = whyNoSmallDisk('ext4');
if (reason !== null)
  process.stderr.write(`skipped: a full catalogue at the end of a backup, since ${reason}\n`);

const password = 'correct horse battery';

describe.skipIf(reason !== null)('a backup that ends while its catalogue cannot be written', () => {
  it('lists and leaves no half copy, says what is full, and is done once there is room (case 83)', {
    timeout: 180_000,
  }, async () => {
    const folder = await makeTempDir('full-catalogue');
    const disk = await makeSmallDisk(folder.path, { kind: 'ext4', megabytes: 24 });
    const place = join(folder.path, 'copies');
    await mkdir(place);
    const source = join(folder.path, 'source');
    await makeBigFolder(source, 12);
    const backend = spawnBackend({
      dataDir: join(disk.path, 'data'),
      env: { STRONGROOM_ADMIN_PASSWORD: password },
    });
    const call = await loginAt((await backend.ready).url, 'admin', password);
    const queue = queueOf(call);
    await queue.addPool('Elsewhere', place);
    // Slow enough for what follows.
    await queue.good('POST', '/client_bandwidth', {
      data: { client: await queue.localClient(), backup_bandwidth: 1024 },
    });
    const id = await queue.backup(source, { pool: 'Elsewhere' });
    await queue.moving(id);

    const filler = await open(join(disk.path, 'filler'), 'w');
    const full = async (piece: number): Promise<void> => {
      try {
        for (;;) await filler.write(Buffer.alloc(piece, 1));
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      }
    };
    await full(65_536);
    await full(1024);
    await filler.close();
    // What SQLite has set aside for itself is used up too.
    for (let number = 0; ; number += 1) {
      const name = `group ${number} ${'x'.repeat(200)}`;
      const answer = await call('POST', '/client_groups', { data: { name } });
      if (answer.status !== 201) break;
    }

    await expect
      .poll(backend.stderr, { timeout: 60_000 })
      .toContain('a task could not be recorded: the disk is full');
    await expect.poll(() => readdir(place), { timeout: 60_000 }).toEqual([]);
    expect(await queue.copies()).toEqual([]);

    await rm(join(disk.path, 'filler'));
    const task = await queue.until(id, (now) => now.status === 'done' || now.status === 'suspended');
    if (task.status === 'suspended') {
      expect(task.error_message).toContain('the disk with its data directory or database is full');
      await queue.good('POST', `/tasks/${id}/continue`, { task_id: id });
    }
    expect(await queue.ended(id)).toMatchObject({ status: 'done' });
    expect(await queue.copies()).toHaveLength(1);
    expect(await readdir(place)).toHaveLength(1);
    expect(await backend.stop()).toBe(0);
    disk.remove();
    await folder.remove();
  });
});
