import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BackendProcess, loginAt, spawnBackend } from '../../support/backend.ts';
import { makeBigFolder, type Queue, queueOf } from '../../support/queue.ts';
import { makeSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const reason = whyNoSmallDisk('btrfs');
if (reason !== null) process.stderr.write(`skipped: snapshots after kill -9, since ${reason}\n`);

const password = 'correct horse battery';

describe.skipIf(reason !== null)('a server that is killed while it reads from a snapshot', () => {
  it('removes it at its next start, and the task can be done again', { timeout: 120_000 }, async () => {
    const folder = await makeTempDir('snapshot-kill');
    const disk = await makeSmallDisk(folder.path, { kind: 'btrfs', megabytes: 512 });
    const source = join(disk.path, 'sub');
    execFileSync('btrfs', ['subvolume', 'create', source], { stdio: 'pipe' });
    await makeBigFolder(join(source, 'big'), 200);
    const left = async () => (await readdir(source)).filter((name) => name.startsWith('.strongroom'));
    const start = async (): Promise<{ readonly backend: BackendProcess; readonly queue: Queue }> => {
      const env = { STRONGROOM_ADMIN_PASSWORD: password };
      const backend = spawnBackend({ dataDir: join(folder.path, 'data'), env });
      return { backend, queue: queueOf(await loginAt((await backend.ready).url, 'admin', password)) };
    };

    const first = await start();
    await first.queue.slowDown('backup', 4);
    const body = {
      ...(await first.queue.draft(source)),
      module_extensions: { parameters: { use_snapshot: true } },
    };
    const { id } = await first.queue.good<{ id: number }>('POST', '/task_queue', body);
    await first.queue.moving(id);
    await first.backend.kill();
    expect(await left()).toHaveLength(1);

    const second = await start();
    await second.queue.fullSpeed();
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
    expect((await second.queue.task(id)).status).toBe('broken');
    await second.queue.good('POST', '/tasks/restart', { data: { tasks_ids: [id] } });
    await second.queue.until(id, (task) => task.status === 'done');
    expect(await left()).toEqual([]);
    expect(await second.backend.stop()).toBe(0);
    disk.remove();
    await folder.remove();
  });
});
