import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FRAME_BYTES } from '../../../backend/engine/job/ring.ts';
import { ManifestFile } from '../../../backend/engine/manifest/manifest-file.ts';
import { type HandClock, handClock, startTestApp, type TestApp } from '../../support/backend.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { makeBigFolder, makeSmallFolder, type Queue, queueOf } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { rowsOf } from '../features/rows.ts';

let app: TestApp;
let queue: Queue;
let clock: HandClock;
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;

beforeEach(async () => {
  folder = await makeTempDir('configured');
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

const configure = (values: object) => queue.good('PATCH', '/global_configuration', values);
const serviceMode = (on: boolean) =>
  queue.good('PATCH', '/global_configuration/service_mode', { service_mode: on });
const patient = { timeout: 20_000 };

describe('clients_capacity_limits', () => {
  const gb = 1024 ** 3;
  const limited = async (storedBytes: number): Promise<number> => {
    await queue.good('PATCH', '/clients/1', { storage_capacity: 1 });
    return rowsOf(app.database.db).copy({ clientId: 1, realSize: storedBytes });
  };
  const copyFolders = () => readdir(join(app.dataDir, 'pools', 'default'));

  it('ends a backup of a client at its limit before it starts', async () => {
    await limited(gb);
    await configure({ clients_capacity_limits: true });
    const task = await queue.ended(await queue.backup(source));
    expect(task).toMatchObject({ status: 'error', transferred: 0 });
    expect(task.error_message).toContain('1 GB');
    await configure({ clients_capacity_limits: false });
    expect(await queue.ended(await queue.backup(source))).toMatchObject({ status: 'done' });
  });

  it('keeps no copy that would pass the limit, and leaves nothing of it', async () => {
    const known = await limited(gb - 100);
    await configure({ clients_capacity_limits: true });
    const task = await queue.ended(await queue.backup(source));
    expect(task).toMatchObject({ status: 'error', repository_id: null });
    expect(task.error_message).toMatch(/would pass its limit of 1 GB/);
    expect((await queue.copies()).map(({ id }) => id)).toEqual([known]);
    expect(await copyFolders()).toEqual([]);
  });

  it('leaves a client without a limit alone', async () => {
    await rowsOf(app.database.db).copy({ clientId: 1, realSize: 5 * gb });
    await configure({ clients_capacity_limits: true });
    expect((await queue.ended(await queue.backup(source))).status).toBe('done');
  });
});

describe('file_transfer_block_size', () => {
  it('is the size of the frames of new copies, which restore whatever it was', async () => {
    await makeBigFolder(join(folder.path, 'big'), 8);
    const frames: number[] = [];
    for (const size of [4096, 100_000, 16_777_216]) {
      await configure({ file_transfer_block_size: size });
      const task = await queue.ended(await queue.backup(join(folder.path, 'big')));
      const copy = await queue.copy(Number(task.repository_id));
      const manifest = new ManifestFile(String(copy.path));
      frames.push(manifest.header.frameBytes);
      manifest.close();
      expect((await queue.ended(await queue.verify(copy.id))).status).toBe('done');
      const target = join(folder.path, `back-${size}`);
      expect((await queue.ended(await queue.restore(copy.id, target))).status).toBe('done');
      const differences = await compareTrees(join(folder.path, 'big'), join(target, 'big'));
      expect(differences).toEqual([]);
    }
    expect(frames).toEqual([16_384, 400_000, FRAME_BYTES]);
  });
});

describe('suspended_task_restart_period', () => {
  it('is when a task that waits for a resource is tried again', async () => {
    const [server] = await queue.good<{ name: string }[]>('GET', '/media_servers');
    await queue.good('POST', '/pools', {
      pool_name: 'Bare',
      pool_type: 'File system',
      media_server: server?.name,
    });
    await configure({ suspended_task_restart_period: 7 });
    const id = await queue.backup(source, { pool: 'Bare' });
    await queue.until(id, (task) => task.status === 'suspended');
    await mkdir(join(folder.path, 'storage'));
    await queue.good('POST', '/storage_local_catalogs', { path: join(folder.path, 'storage'), pool: 'Bare' });
    clock.advance(6 * 60_000);
    // Another task runs to its end meanwhile: the queue has looked at the suspended one, too.
    await queue.ended(await queue.backup(source));
    expect((await queue.task(id)).status).toBe('suspended');
    clock.advance(60_000);
    expect((await queue.ended(id)).status).toBe('done');
  });
});

describe('verify_archive_after_creation', () => {
  it('has every new copy read back before its task is done', async () => {
    await queue.ended(await queue.backup(source));
    await configure({ verify_archive_after_creation: 'yes' });
    await queue.ended(await queue.backup(source));
    expect((await queue.copies()).map(({ status }) => status)).toEqual(['Not Verified', 'Trusted']);
  });
});

describe('the remove periods of tasks', () => {
  it.each([
    ['done', 'done_tasks_remove_period'],
    ['obsoleted', 'done_tasks_remove_period'],
    ['error', 'error_tasks_remove_period'],
    ['broken', 'broken_tasks_remove_period'],
    ['killed', 'killed_tasks_remove_period'],
  ])('let a task that is %s go after %s, not in service mode, never with 0', async (status, field) => {
    const dayMs = 86_400_000;
    const rows = rowsOf(app.database.db);
    const old = await rows.task({ status, finishedMs: clock.now() - 3 * dayMs });
    const young = await rows.task({ status, finishedMs: clock.now() - dayMs });
    const ids = async () => (await queue.tasks()).map(({ id }) => id).sort((a, b) => a - b);
    const minuteLater = async () => {
      clock.advance(61_000);
      await regularWorkDone();
    };
    await configure({ [field]: 0 });
    await minuteLater();
    await serviceMode(true);
    await configure({ [field]: 2 });
    await minuteLater();
    expect(await ids()).toEqual([old, young]);
    await serviceMode(false);
    clock.advance(61_000);
    await expect.poll(ids, patient).toEqual([young]);
  });

  /** Waits until the regular work is done once more: its last part takes a sample of what the pools hold. */
  async function regularWorkDone(): Promise<void> {
    const samples = async () =>
      (await app.database.db.selectFrom('pool_samples').select('id').execute()).length;
    const before = await samples();
    await rowsOf(app.database.db).copy({ poolId: 1, realSize: 1 });
    await expect.poll(samples, patient).toBeGreaterThan(before);
  }
});
