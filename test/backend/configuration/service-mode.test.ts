import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HandClock, handClock, startTestApp, type TestApp } from '../../support/backend.ts';
import { makeSmallFolder, type Queue, queueOf } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { rowsOf } from '../features/rows.ts';

let app: TestApp;
let queue: Queue;
let clock: HandClock;
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;

beforeEach(async () => {
  folder = await makeTempDir('service-mode');
  source = join(folder.path, 'source');
  await makeSmallFolder(source);
  clock = handClock();
  app = await startTestApp({ started: true, clock });
  queue = queueOf((await app.loginAs('superuser')).send);
});
afterEach(async () => {
  await app.close();
  await folder.remove();
});

const serviceMode = (on: boolean) =>
  queue.good('PATCH', '/global_configuration/service_mode', { service_mode: on });
const patient = { timeout: 20_000 };
/** The queue has been looked at and the regular work is done: what the pools hold was sampled once more. */
const minuteLater = async (): Promise<void> => {
  const samples = async () =>
    (await app.database.db.selectFrom('pool_samples').select('id').execute()).length;
  const before = await samples();
  await rowsOf(app.database.db).copy({ poolId: 1, realSize: 1 });
  clock.advance(61_000);
  await expect.poll(samples, patient).toBeGreaterThan(before);
};

describe('in service mode', () => {
  it('a restarted task becomes new and waits', async () => {
    const failed = await queue.ended(await queue.backup(join(folder.path, 'not there')));
    await serviceMode(true);
    expect(
      (await queue.call('POST', '/tasks/restart', { data: { tasks_ids: [failed.id] } })).status,
    ).toBeLessThan(300);
    await queue.until(failed.id, (task) => task.status === 'new');
    await minuteLater();
    expect(await queue.task(failed.id)).toMatchObject({ status: 'new', attempt: 2 });
    await makeSmallFolder(join(folder.path, 'not there'));
    await serviceMode(false);
    expect((await queue.ended(failed.id)).status).toBe('done');
  });

  it('a task that waits for a resource becomes new and waits; an expired copy stays', async () => {
    const { id: copyId } = await queue.copy(
      Number((await queue.ended(await queue.backup(source))).repository_id),
    );
    await mkdir(join(folder.path, 'far'));
    await queue.addPool('Far', join(folder.path, 'far'));
    await rm(join(folder.path, 'far'), { recursive: true });
    const id = await queue.backup(source, { pool: 'Far' });
    await queue.until(id, (task) => task.status === 'suspended');
    await app.database.db.updateTable('copies').set({ store_until_ms: 1 }).where('id', '=', copyId).execute();
    await serviceMode(true);
    await queue.good('PATCH', '/global_configuration', { suspended_task_restart_period: 1 });
    await minuteLater();
    await queue.until(id, (task) => task.status === 'new');
    expect((await queue.copies()).map((copy) => copy.id)).toContain(copyId);
    await serviceMode(false);
    await queue.until(id, (task) => task.status === 'suspended');
    clock.advance(61_000);
    await expect
      .poll(async () => (await queue.copies()).map((copy) => copy.id), patient)
      .not.toContain(copyId);
  });
});

describe('a storage that is away', () => {
  it('suspends every task of its pool, holds up no other, and makes no copy (case 11)', async () => {
    await mkdir(join(folder.path, 'far'));
    await queue.addPool('Far', join(folder.path, 'far'));
    await rm(join(folder.path, 'far'), { recursive: true });
    const ids: number[] = [];
    for (let task = 0; task < 100; task += 1) ids.push(await queue.backup(source, { pool: 'Far' }));
    const other = await queue.ended(await queue.backup(source));
    expect(other.status).toBe('done');
    for (const id of ids) {
      const task = await queue.until(id, (now) => now.status === 'suspended');
      expect(task).toMatchObject({ suspend_reason: 'resource', repository_id: null });
    }
    // They are not tried again before their time: one line of the log for each.
    const lines = await app.database.db
      .selectFrom('task_logs')
      .selectAll()
      .where('level', '=', 'warning')
      .execute();
    expect(lines.filter((line) => ids.includes(line.task_id))).toHaveLength(ids.length);
    expect((await queue.copies()).filter((copy) => copy.pool === 'Far')).toEqual([]);
  });
});

describe('a storage duration', () => {
  it.each([['0 days'], ['0 weeks'], ['-1 days'], [''], ['days'], ['1'], ['00 days'], ['1.5 days']])(
    'of `%s` is refused, for tasks and pools (case 98)',
    async (text) => {
      const draft = await queue.draft(source, { storage_duration: text });
      const task = await queue.call('POST', '/task_queue', draft);
      expect([task.status, Object.keys(task.body.errors)]).toEqual([400, ['storage_duration']]);
      const pool = await queue.call('PATCH', '/pools/1', { retention_period: text });
      expect([pool.status, Object.keys(pool.body.errors)]).toEqual([400, ['retention_period']]);
    },
  );
});
