import { mkdir } from 'node:fs/promises';
import { availableParallelism, hostname } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type BackupLab, openBackupLab } from '../../../support/backup-lab.ts';
import { makeSparseFile } from '../../../support/loop-device.ts';
import { onTaskThread } from '../../../support/task-threads.ts';

if (availableParallelism() < 2)
  process.stderr.write('skipped: parallel_workers of a block device, since there is one processor only\n');

let lab: BackupLab;
const limits: NonNullable<Worker['resourceLimits']>[] = [];
let endNoting: () => void;

beforeAll(async () => {
  lab = await openBackupLab('parallelism');
  endNoting = onTaskThread(({ resourceLimits }) => limits.push({ ...resourceLimits }));
});
beforeEach(() => {
  limits.length = 0;
});
afterAll(async () => {
  endNoting();
  await lab.close();
});

/** Threads that the backup began, its end, and its log. */
async function backUp(parameters: object, more: object = {}) {
  limits.length = 0;
  const body = {
    ...(await lab.queue.draft(lab.source, more)),
    common_modules_extensions: { parameters },
  };
  const { id } = await lab.queue.good<{ id: number }>('POST', '/task_queue', body);
  const task = await lab.queue.ended(id);
  const log = [...(await lab.queue.log(id, 'clients')), ...(await lab.queue.log(id, 'servers'))];
  return { threads: limits.length, task, log: log.map(({ message }) => message).join('\n') };
}

it('worker_parallelism is the number of threads that compress, as many as there are processors at most', async () => {
  const packed = join(lab.folder.path, 'packed');
  await mkdir(packed);
  await lab.queue.addPool('Packed', packed, { compression_type: 'Optimal' });
  const one = await backUp({ worker_parallelism: 1 }, { pool: 'Packed' });
  const many = await backUp({ worker_parallelism: 64 }, { pool: 'Packed' });
  // A pool without compression: one reads, one writes.
  const none = await backUp({ worker_parallelism: 64 });
  expect([one, many, none].map(({ task }) => task.status)).toEqual(['done', 'done', 'done']);
  expect(many.threads - one.threads).toBe(Math.min(64, availableParallelism()) - 1);
  expect(none.threads).toBe(one.threads - 1);
});

it.skipIf(availableParallelism() < 2)(
  'parallel_workers of a block device bound the threads that compress for it, whatever the task wishes',
  async () => {
    const { queue, folder } = lab;
    await mkdir(join(folder.path, 'lists'));
    await queue.addPool('Lists', join(folder.path, 'lists'));
    const pool = {
      pool_name: 'Blocks',
      pool_type: 'Block device',
      meta_data_pool: 'Lists',
      block_size: 8192,
    };
    await queue.good('POST', '/pools', { data: { ...pool, media_server: hostname() } });
    const device = join(folder.path, 'device.img');
    await makeSparseFile(device, 64 * 1024 ** 2);
    const { id } = await queue.good<{ id: number }>('POST', '/storage_block_devices', {
      data: { device, pool: 'Blocks', overwrite_file_system: false },
    });
    const withWorkers = async (workers: number, wished: number) => {
      await queue.good('PATCH', `/storage_block_devices/${id}`, { data: { parallel_workers: workers } });
      const { task, threads } = await backUp({ worker_parallelism: wished }, { pool: 'Blocks' });
      expect(task).toMatchObject({ status: 'done', error_message: null });
      return threads;
    };
    // The first backup opens the store, which has a thread of its own.
    await withWorkers(8, 1);
    const one = await withWorkers(8, 1);
    expect(await withWorkers(8, 64)).toBe(one + Math.min(8, availableParallelism()) - 1);
    expect(await withWorkers(1, 64)).toBe(one);
  },
);

it('network_parallelism is the number of threads that send, once enable_multithreading is on', async () => {
  const without = await backUp({ network_parallelism: 5 });
  const one = await backUp({ network_parallelism: 1, enable_multithreading: true });
  const five = await backUp({ network_parallelism: 5, enable_multithreading: true });
  expect([without, one, five].map(({ task }) => task.status)).toEqual(['done', 'done', 'done']);
  expect(one.threads).toBe(without.threads);
  expect(five.threads).toBe(without.threads + 5);
  await lab.queue.ended(await lab.queue.verify(Number(five.task.repository_id)));
  expect((await lab.queue.copy(Number(five.task.repository_id))).status).toBe('Trusted');
});

it('memory_threshold takes threads away, and with deny_memory_exceed the task is refused with the figures', async () => {
  const much = { network_parallelism: 64, enable_multithreading: true, memory_threshold: 1 };
  const less = await backUp(much);
  expect(less.task.status).toBe('done');
  expect(less.log).toMatch(/memory_threshold leaves room for .* of 64 that send/);
  expect(less.threads).toBeLessThan(30);
  const refused = await backUp({ ...much, deny_memory_exceed: true });
  expect(refused.task).toMatchObject({ status: 'error', repository_id: null });
  expect(refused.task.error_message).toMatch(
    /About \d+ MiB of memory are needed, memory_threshold allows 1024 MiB/,
  );
  expect(refused.log).toContain('lower worker_parallelism or network_parallelism');
  expect(refused.threads).toBe(0);
});

const bounds = () => limits.map(({ maxOldGenerationSizeMb = 0 }) => maxOldGenerationSizeMb);
/** MB that the heaps of all threads can have together; 0 when not every one is bounded. V8 says -1, or the size of the machine, then. */
const allHeaps = (): number => {
  const young = limits.map(({ maxYoungGenerationSizeMb = 0 }) => maxYoungGenerationSizeMb);
  const isBounded = limits.length > 0 && bounds().every((bound) => bound > 0 && bound <= 1024);
  return isBounded ? [...bounds(), ...young].reduce((sum, heap) => sum + heap, 0) : 0;
};

it('deny_memory_exceed bounds the heaps of all threads together; without it none is bounded', async () => {
  expect((await backUp({ memory_threshold: 1 })).task.status).toBe('done');
  expect(bounds().filter((bound) => bound > 0 && bound <= 1024)).toEqual([]);
  expect((await backUp({ memory_threshold: 1, deny_memory_exceed: true })).task.status).toBe('done');
  expect(allHeaps()).toBeGreaterThan(0);
  expect(allHeaps()).toBeLessThanOrEqual(1024);
});

it('what is done with a copy keeps the limits that it was made with', async () => {
  const { queue, folder } = lab;
  await mkdir(join(folder.path, 'other'));
  await queue.addPool('Other', join(folder.path, 'other'));
  const free = await backUp({});
  const bound = await backUp({ memory_threshold: 1, deny_memory_exceed: true });
  for (const begin of [
    queue.verify,
    (id: number) => queue.copyTo(id, 'Other'),
    (id: number) => queue.moveTo(id, 'Other'),
  ]) {
    for (const { task } of [free, bound]) {
      limits.length = 0;
      expect((await queue.ended(await begin(Number(task.repository_id)))).status).toBe('done');
      expect(allHeaps() > 0, JSON.stringify(limits)).toBe(task === bound.task);
    }
  }
});

it('memory_threshold of a restore bounds the heaps of its threads', async () => {
  const { task } = await backUp({});
  const restore = async (parameters: object): Promise<void> => {
    limits.length = 0;
    const id = Number(task.repository_id);
    const body = {
      restore_task: {
        target_client: await lab.queue.localClient(),
        destination_path: join(lab.folder.path, 'out'),
      },
      common_modules_extensions: { parameters },
    };
    const { task_id } = await lab.queue.good<{ task_id: number }>(
      'POST',
      `/repository/${id}/restoring`,
      body,
    );
    expect((await lab.queue.ended(task_id)).status).toBe('done');
  };
  await restore({});
  expect(allHeaps()).toBe(0);
  await restore({ memory_threshold: 1 });
  expect(allHeaps()).toBeGreaterThan(0);
  expect(allHeaps()).toBeLessThanOrEqual(1024);
});
