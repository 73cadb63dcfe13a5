import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cutOffLab } from '../../support/backend-queue.ts';
import { muteMountOf, whyNoMuteMount } from '../../support/mute-mount.ts';

const why = whyNoMuteMount();
if (why !== null) process.stderr.write(`skipped, storages on a mount that hangs: ${why}\n`);

describe.skipIf(why !== null)('a storage on a mount that hangs', { timeout: 240_000 }, () => {
  const lab = cutOffLab('mute', 4);
  const mount = muteMountOf(lab);

  it('holds up neither the backups of other pools nor a stop, a start or the kill of a task that writes to it', async () => {
    let queue = await lab.start();
    await queue.addPool('Far', join(mount.path, 'pool'));
    const before = await queue.ended(await queue.backup(lab.source, { pool: 'Far' }));
    await queue.slowDown('backup', 1);
    const cutOff = await queue.backup(lab.source, { pool: 'Far' });
    await queue.moving(cutOff);
    mount.mute();

    const waiting = await queue.backup(lab.source, { pool: 'Far' });
    const verification = await queue.verify(Number(before.repository_id));
    expect((await queue.ended(await queue.backup(join(lab.source, 'folder-1')))).status).toBe('done');
    expect(await queue.task(waiting)).toMatchObject({
      status: 'suspended',
      error_message: 'No storage of the pool Far can be reached.',
    });
    expect(await queue.task(verification)).toMatchObject({
      status: 'suspended',
      error_message: `The storage ${join(mount.path, 'pool')} of the copy cannot be reached.`,
    });
    const storages = await queue.good<{ path: string; status: string }[]>('GET', '/storage_local_catalogs');
    expect(storages.map(({ status }) => status)).toEqual(['Online', 'Offline']);
    await queue.good('POST', `/tasks/${cutOff}/kill`, { task_id: cutOff });
    expect((await queue.ended(cutOff)).status).toBe('killed');
    // One in whose resource the mount lies says so in place of going into it.
    const around = await queue.ended(await queue.backup(lab.path));
    expect(around.status).toBe('error');
    expect(around.error_message).toContain('does not answer; see to its mount or its disk');

    const askedAt = performance.now();
    expect(await lab.stop()).toBe(0);
    expect(performance.now() - askedAt).toBeLessThan(15_000);
    const startedAt = performance.now();
    queue = await lab.start();
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    await queue.fullSpeed();
    expect((await queue.ended(await queue.backup(lab.source))).status).toBe('done');

    mount.answer();
    // What hung comes back one call after the other; until then a look at the storage says that it does not answer.
    const isEachOnline = async () =>
      (await queue.good<{ status: string }[]>('GET', '/storage_local_catalogs')).every(
        ({ status }) => status === 'Online',
      );
    await expect.poll(isEachOnline, { timeout: 60_000 }).toBe(true);
    for (const id of [waiting, verification]) {
      await queue.good('POST', `/tasks/${id}/continue`, { task_id: id });
      expect((await queue.ended(id)).status).toBe('done');
    }
  });

  it('and many of them, as when a file server goes away, take no thread that others need', async () => {
    const queue = await lab.start();
    // More than the threads that Node has for calls on files unless it is told otherwise.
    const names = Array.from({ length: 9 }, (_, index) => `Far ${index}`);
    for (const name of names) await queue.addPool(name, join(mount.path, name));
    mount.mute();
    for (const name of names) {
      const waiting = await queue.backup(lab.source, { pool: name });
      expect((await queue.ended(await queue.backup(join(lab.source, 'folder-1')))).status).toBe('done');
      expect(await queue.task(waiting)).toMatchObject({ status: 'suspended' });
    }
    const storages = await queue.good<{ status: string }[]>('GET', '/storage_local_catalogs');
    expect(storages.map(({ status }) => status)).toEqual(['Online', ...names.map(() => 'Offline')]);
    expect(await lab.stop()).toBe(0);
  });
});
