import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cutOffLab } from '../../support/backend-queue.ts';

const lab = cutOffLab('stop', 160);
let slow: string;

beforeEach(async () => {
  slow = join(lab.path, 'slow');
  await mkdir(slow);
});

const copyFolders = async () => (await readdir(slow)).filter((name) => !name.startsWith('.'));

describe('a stop in the middle of work', () => {
  it('ends with code 0, the task waits as new, and after the next start it goes on to done', async () => {
    let queue = await lab.start();
    await queue.addPool('Slow', slow);
    await queue.slowDown('backup', 4);
    const id = await queue.backup(lab.source, { pool: 'Slow' });
    await queue.moving(id);
    const askedAt = performance.now();
    expect(await lab.stop()).toBe(0);
    expect(performance.now() - askedAt).toBeLessThan(10_000);
    expect(await copyFolders()).toEqual([]);

    queue = await lab.start();
    await queue.fullSpeed();
    const done = await queue.ended(id);
    expect(done).toMatchObject({ status: 'done', attempt: 1 });
    const messages = (await queue.log(id, 'servers')).map((line) => line.message);
    expect(messages).toContain('The server stops; the task begins again after its next start.');
    expect((await queue.ended(await queue.verify(Number(done.repository_id)))).status).toBe('done');
    expect(await copyFolders()).toHaveLength(1);
  });

  it('a task that a person has paused stays paused over a restart, and can then be continued', async () => {
    let queue = await lab.start();
    await queue.addPool('Slow', slow);
    await queue.slowDown('backup', 4);
    const id = await queue.backup(lab.source, { pool: 'Slow' });
    await queue.moving(id);
    await queue.good('POST', `/tasks/${id}/pause`);
    expect(await lab.stop()).toBe(0);

    queue = await lab.start();
    expect(await queue.task(id)).toMatchObject({ status: 'suspended', suspend_reason: 'user' });
    expect(await copyFolders()).toEqual([]);
    await queue.fullSpeed();
    await queue.good('POST', `/tasks/${id}/continue`, { task_id: id });
    expect((await queue.ended(id)).status).toBe('done');
  });

  it('a paused task survives a kill -9 too, and what it had written is cleaned up', async () => {
    let queue = await lab.start();
    await queue.addPool('Slow', slow);
    await queue.slowDown('backup', 4);
    const id = await queue.backup(lab.source, { pool: 'Slow' });
    await queue.moving(id);
    await queue.good('POST', `/tasks/${id}/pause`);
    expect(await lab.kill()).toBe('SIGKILL');
    expect(await copyFolders()).toHaveLength(1);

    queue = await lab.start();
    expect(await queue.task(id)).toMatchObject({ status: 'suspended', suspend_reason: 'user' });
    expect(await copyFolders()).toEqual([]);
    await queue.fullSpeed();
    await queue.good('POST', `/tasks/${id}/continue`, { task_id: id });
    const done = await queue.ended(id);
    expect(done.status).toBe('done');
    expect((await queue.ended(await queue.verify(Number(done.repository_id)))).status).toBe('done');
  });

  it('a running task is broken after a kill -9, says so, and a restart runs it again (case 63)', async () => {
    let queue = await lab.start();
    await queue.addPool('Slow', slow);
    await queue.slowDown('backup', 4);
    const id = await queue.backup(lab.source, { pool: 'Slow' });
    await queue.moving(id);
    await lab.kill();

    queue = await lab.start();
    const broken = await queue.task(id);
    expect(broken).toMatchObject({ status: 'broken', repository_id: null });
    expect(broken.error_message).toContain('The server ended while this task was running');
    expect(broken.finished).not.toBeNull();
    expect((await queue.log(id, 'servers')).at(-1)).toMatchObject({
      level: 'error',
      message: broken.error_message,
    });
    expect(await queue.copies()).toEqual([]);
    await queue.fullSpeed();
    // What comes next is not held up by it.
    expect((await queue.ended(await queue.backup(join(lab.source, 'folder-1')))).status).toBe('done');
    await queue.good('POST', '/tasks/restart', { data: { tasks_ids: [id] } });
    expect(await queue.ended(id)).toMatchObject({ status: 'done', attempt: 2 });
  });
});
