import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cutOffLab } from '../../support/backend-queue.ts';
import { makeSparseFile } from '../../support/loop-device.ts';
import { muteMountOf, whyNoMuteMount } from '../../support/mute-mount.ts';

const why = whyNoMuteMount();
if (why !== null) process.stderr.write(`skipped, block devices that hang: ${why}\n`);
const mib = 1024 * 1024;

describe.skipIf(why !== null)('a block device that hangs', { timeout: 240_000 }, () => {
  const lab = cutOffLab('mute-device', 4);
  const mount = muteMountOf(lab);

  it('is told as offline; tasks that hang with it can be killed, and then hold up neither others nor a stop', async () => {
    let queue = await lab.start();
    await mkdir(join(lab.path, 'metadata'));
    await queue.addPool('Metadata', join(lab.path, 'metadata'));
    const pool = { pool_name: 'Blocks', pool_type: 'Block device', media_server: hostname() };
    await queue.good('POST', '/pools', { data: { ...pool, meta_data_pool: 'Metadata', block_size: 8192 } });
    const device = join(mount.path, 'device.img');
    await makeSparseFile(device, 256 * mib);
    const draft = { device, pool: 'Blocks', overwrite_file_system: false };
    await queue.good('POST', '/storage_block_devices', { data: draft });
    const before = await queue.ended(await queue.backup(lab.source, { pool: 'Blocks' }));
    expect(before.status).toBe('done');
    mount.mute();

    const hung = [
      await queue.backup(join(lab.source, 'folder-1'), { pool: 'Blocks' }),
      await queue.verify(Number(before.repository_id)),
    ];
    for (const id of hung) await queue.until(id, ({ status }) => status !== 'new');
    const near = await queue.backup(join(lab.source, 'folder-2'));
    const listed = await queue.good<{ status: string }[]>('GET', '/storage_block_devices');
    expect(listed.map(({ status }) => status)).toEqual(['Offline']);
    for (const id of hung) {
      await queue.good('POST', `/tasks/${id}/kill`, { task_id: id });
      expect((await queue.ended(id)).status).toBe('killed');
    }
    expect((await queue.ended(near)).status).toBe('done');

    expect(await lab.stop()).toBe(0);
    queue = await lab.start();
    expect((await queue.ended(await queue.backup(lab.source))).status).toBe('done');
    mount.answer();
    expect((await queue.ended(await queue.backup(lab.source, { pool: 'Blocks' }))).status).toBe('done');
    expect((await queue.ended(await queue.verify(Number(before.repository_id)))).status).toBe('done');
  });
});
