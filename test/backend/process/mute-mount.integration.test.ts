import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cutOffLab } from '../../support/backend-queue.ts';
import { type MuteMount, makeMuteMount, whyNoMuteMount } from '../../support/mute-mount.ts';

const why = whyNoMuteMount();
if (why !== null) process.stderr.write(`skipped, storages on a mount that hangs: ${why}\n`);

describe.skipIf(why !== null)('a storage on a mount that hangs', { timeout: 240_000 }, () => {
  const lab = cutOffLab('mute', 4);
  let mount: MuteMount;
  beforeEach(async () => {
    mount = await makeMuteMount(lab.path);
  });
  afterEach(async () => {
    await lab.kill();
    await mount.remove();
  });

  it('explore', async () => {
    const queue = await lab.start();
    const t0 = performance.now();
    const say = (what: string, more?: unknown) => console.log(((performance.now() - t0) / 1000).toFixed(1), what, JSON.stringify(more)?.slice(0, 300) ?? '');
    await queue.addPool('Far', join(mount.path, 'pool'));
    const first = await queue.ended(await queue.backup(lab.source, { pool: 'Far' }));
    say('backups', [first.status]);
    await queue.slowDown('backup', 1);
    const moving = await queue.backup(lab.source, { pool: 'Far' });
    await queue.moving(moving);
    mount.mute();
    say('muted');
    const dead = await queue.backup(lab.source, { pool: 'Far' });
    say('queue', (await queue.ended(await queue.backup(join(lab.source, 'folder-1')))).status);
    say('moving', await queue.task(moving));
    say('dead', await queue.task(dead));
    say('kill', await queue.good('POST', `/tasks/${moving}/kill`, { task_id: moving }).catch((e) => String(e)));
    for (let i = 0; i < 10; i++) {
      await new Promise((r) => setTimeout(r, 2000));
      const now = await queue.task(moving);
      say('now', [now.status, now.error_message]);
      if (now.status === 'killed') break;
    }
    say('stop', await lab.stop());
    const again = await lab.start();
    say('started', await again.task(moving));
    await again.fullSpeed();
    say('alive', (await again.ended(await again.backup(lab.source))).status);
    mount.answer();
    say('again', (await again.ended(await again.backup(lab.source, { pool: 'Far' }))).status);
    expect(1).toBe(1);
  });
});
