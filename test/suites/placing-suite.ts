import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blockDeviceOf } from '../../backend/platform/device-of.ts';
import type { HostCounters } from '../../backend/platform/host-load.ts';
import type { DynamicPoolMember } from '../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import { startTestApp, type TestApp } from '../support/backend.ts';
import { makeSmallFolder, type Queue, queueOf } from '../support/queue.ts';
import { makeTempDir } from '../support/temp-dir.ts';

/** What becomes of tasks that are addressed to pools of dynamic groups, on a database of either kind. */
export function placingSuite(
  name: string,
  place: () => Promise<NonNullable<Parameters<typeof startTestApp>[0]>>,
): void {
  let app: TestApp;
  let queue: Queue;
  let folder: Awaited<ReturnType<typeof makeTempDir>>;
  let small: string;
  let groupId: number;
  /** Share of the processors that the host says it uses. */
  let cpuPercent = 0;
  let looks = 0;
  let busyTicks = 0;
  /** Reads and writes between two looks at the counters, on the device of the folder. */
  let operations = { reads: 0, writes: 0 };
  let done = { reads: 0, writes: 0 };
  let device: string | null;

  const counters = async (): Promise<HostCounters> => {
    looks += 1;
    busyTicks += cpuPercent;
    done = { reads: done.reads + operations.reads, writes: done.writes + operations.writes };
    const devices = new Map(device === null ? [] : [[device, done]]);
    return { busyTicks, allTicks: looks * 100, devices };
  };
  const makeGroup = async (limits: object) =>
    (await queue.good<{ id: number }>('POST', '/dynamic_pool_groups', { name: 'Even', ...limits })).id;
  const joinGroup = (pool: string, more: object = {}) =>
    queue.good('POST', '/dynamic_pool_groups_records', { dynamic_pool_group: groupId, pool, ...more });
  const addPool = async (name: string) => {
    await mkdir(join(folder.path, name));
    await queue.addPool(name, join(folder.path, name));
  };
  const serviceMode = (on: boolean) =>
    queue.good('PATCH', '/global_configuration/service_mode', { service_mode: on });
  /** A task that was paused while it worked on the pool. Written as the queue writes it: no real work lasts for sure. */
  const held = async (pool: string): Promise<number> => {
    await serviceMode(true);
    const id = await queue.backup(small, { pool });
    await app.database.db
      .updateTable('tasks')
      .set({ status: 'suspended', suspend_reason: 'user', paused_status: 'transmission', started_ms: 1 })
      .where('id', '=', id)
      .execute();
    await serviceMode(false);
    return id;
  };
  const serverLog = async (id: number) =>
    (await queue.log(id, 'servers')).map((line) => line.message).join('\n');

  beforeEach(async () => {
    folder = await makeTempDir('placing');
    small = join(folder.path, 'small');
    await makeSmallFolder(small);
    cpuPercent = 0;
    operations = { reads: 0, writes: 0 };
    device = await blockDeviceOf(folder.path);
    app = await startTestApp({ ...(await place()), started: true, readHostCounters: counters });
    queue = queueOf((await app.loginAs('superuser')).send);
    for (const name of ['A', 'B', 'Alone']) await addPool(name);
  });
  afterEach(async () => {
    await app.close();
    await folder.remove();
  });

  describe(`a task addressed to a pool of a dynamic group, with ${name}`, () => {
    it('goes to the member with the fewest tasks, and task, copy and log say which and why', async () => {
      groupId = await makeGroup({});
      await joinGroup('A');
      await joinGroup('B');
      await held('A');
      const id = await queue.backup(small, { pool: 'A' });
      const task = await queue.ended(id);
      expect(task).toMatchObject({ status: 'done', pool: 'B' });
      expect(await queue.copy(Number(task.repository_id))).toMatchObject({
        pool: 'B',
        storage: join(folder.path, 'B'),
      });
      expect(await serverLog(id)).toMatch(
        /Pool B was chosen in the dynamic pool group Even: 0 active tasks on it/,
      );
      const members = await queue.good<DynamicPoolMember[]>('GET', '/dynamic_pool_groups_records');
      expect(members.map((member) => [member.pool, member.active_tasks])).toEqual([
        ['A', 1],
        ['B', 0],
      ]);
    });

    it('stays new while no member is under the limits, holds up no other, and starts when one is', async () => {
      groupId = await makeGroup({ max_pool_tasks: 1 });
      await joinGroup('A');
      await joinGroup('B', { enabled: false });
      const first = await held('A');
      const waiting = [
        await queue.backup(small, { pool: 'A', priority: 1000 }),
        await queue.backup(small, { pool: 'B', priority: 900 }),
      ];
      const other = await queue.ended(await queue.backup(small, { pool: 'Alone' }));
      expect(other).toMatchObject({ status: 'done', pool: 'Alone' });
      for (const id of waiting) {
        expect(await queue.task(id)).toMatchObject({ status: 'new', suspend_reason: null, started: null });
      }
      expect(await serverLog(waiting[0] ?? 0)).toMatch(/A has 1 active task \(limit 1\); B is not enabled/);
      await queue.good('POST', `/tasks/${first}/kill`);
      for (const id of waiting) {
        expect(await queue.ended(id)).toMatchObject({ status: 'done', pool: 'A' });
      }
      // It was told once, however often it was asked.
      expect((await serverLog(waiting[0] ?? 0)).match(/No pool of/g)).toHaveLength(1);
    });

    /** What is measured now has been seen. */
    const twoLooks = async (): Promise<void> => {
      const before = looks;
      await expect.poll(() => looks, { timeout: 30_000 }).toBeGreaterThan(before + 1);
    };

    it('waits while the processors are busier than allowed', async () => {
      groupId = await makeGroup({ max_cpu_usage: 50, calculation_period: 1 });
      await joinGroup('A');
      cpuPercent = 90;
      await twoLooks();
      const id = await queue.backup(small, { pool: 'A' });
      await expect
        .poll(() => serverLog(id), { timeout: 20_000 })
        .toMatch(/processors at|not been measured yet/);
      expect((await queue.task(id)).status).toBe('new');
      cpuPercent = 10;
      expect(await queue.ended(id)).toMatchObject({ status: 'done', pool: 'A' });
    });

    it('waits while its media server has as many tasks as allowed, whatever pool they are of', async () => {
      groupId = await makeGroup({ max_media_server_tasks: 1 });
      await joinGroup('A');
      const elsewhere = await held('Alone');
      const id = await queue.backup(small, { pool: 'A' });
      await expect
        .poll(() => serverLog(id), { timeout: 20_000 })
        .toMatch(/A is on media server .*, which has 1 active task \(limit 1\)/);
      expect((await queue.task(id)).status).toBe('new');
      await queue.good('POST', `/tasks/${elsewhere}/kill`);
      expect(await queue.ended(id)).toMatchObject({ status: 'done', pool: 'A' });
    });

    it.each([
      ['reads', 'max_in_block_operations'],
      ['writes', 'max_out_block_operations'],
    ] as const)(
      'waits while its device has more %s than allowed, averaged over the period',
      async (kind, limit) => {
        if (device === null) throw new Error(`nothing is known of the device of ${folder.path}`);
        groupId = await makeGroup({ [limit]: 1_000, calculation_period: 3600 });
        await joinGroup('A');
        expect(await queue.ended(await queue.backup(small, { pool: 'A' }))).toMatchObject({ status: 'done' });
        // However long a look takes on a busy machine, this is more than the limit in a second, and in an hour.
        operations = { ...operations, [kind]: 10_000_000 };
        await twoLooks();
        operations = { reads: 0, writes: 0 };
        await twoLooks();
        const id = await queue.backup(small, { pool: 'A' });
        await expect
          .poll(() => serverLog(id), { timeout: 20_000 })
          .toMatch(new RegExp(`A is on a device with \\d+ ${kind} in a second \\(limit 1000\\)`));
        await twoLooks();
        expect((await queue.task(id)).status).toBe('new');
        // By the last second alone the device is idle.
        await queue.good('PATCH', `/dynamic_pool_groups/${groupId}`, { data: { calculation_period: 1 } });
        expect(await queue.ended(id)).toMatchObject({ status: 'done', pool: 'A' });
      },
    );

    it('is placed when it leaves new, by what the groups are then', async () => {
      groupId = await makeGroup({});
      await joinGroup('A', { enabled: false });
      await serviceMode(true);
      const id = await queue.backup(small, { pool: 'A' });
      expect(await queue.task(id)).toMatchObject({ status: 'new', pool: 'A' });
      await joinGroup('B');
      await serviceMode(false);
      expect(await queue.ended(id)).toMatchObject({ status: 'done', pool: 'B' });
      // A verification stays where the copy lies.
      const [copy] = await queue.copies();
      await queue.good('POST', '/pools', {
        pool_name: 'Empty',
        pool_type: 'File system',
        media_server: (await queue.task(id)).media_server,
      });
      await joinGroup('Empty');
      expect(await queue.ended(await queue.verify(copy?.id ?? 0))).toMatchObject({
        status: 'done',
        pool: 'B',
      });
      // A member without room is passed over.
      expect(await queue.ended(await queue.backup(small, { pool: 'Empty' }))).toMatchObject({ pool: 'B' });
    });
  });
}
