import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '../../../contract/tasks/task.ts';
import { type HandClock, handClock, startTestApp, type TestApp } from '../../support/backend.ts';
import { makeSmallFolder, type Queue, queueOf } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { rowsOf } from '../features/rows.ts';

let app: TestApp;
let queue: Queue;
let clock: HandClock;
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;
/** A client that this server does not reach. */
let far: { readonly id: number; readonly client_name: string };

beforeEach(async () => {
  folder = await makeTempDir('offline');
  source = join(folder.path, 'source');
  await makeSmallFolder(source);
  clock = handClock();
  app = await startTestApp({ started: true, clock });
  queue = queueOf((await app.loginAs('superuser')).send);
  const clientId = await rowsOf(app.database.db).client({ hostname: 'far' });
  far = await queue.good('GET', `/clients/${clientId}`);
});
afterEach(async () => {
  await app.close();
  await folder.remove();
});

const kills = (value: 'yes' | 'no') =>
  queue.good('PATCH', '/global_configuration', { kill_task_of_offline_client: value });

/** Both clients in a shared group: what is of one may be restored to the other. */
async function share(): Promise<void> {
  await queue.good('POST', '/client_groups', { data: { name: 'Shared', shared: true } });
  for (const { id } of await queue.good<{ id: number }[]>('GET', '/clients')) {
    await queue.good('PATCH', `/clients/${id}`, { group_id: 'Shared' });
  }
}

/** The next task of a rule of the offline client. */
async function scheduled(): Promise<number> {
  const known = new Set((await queue.tasks()).map(({ id }) => id));
  clock.advance(60_000);
  for (;;) {
    const task = (await queue.tasks()).find(({ id }) => !known.has(id));
    if (task !== undefined) return task.id;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function addRule(): Promise<void> {
  await queue.good('PATCH', '/global_configuration', { create_new_task_if_client_offline: 'yes' });
  const strategy = { name: 'Often', pool: 'Default', time_zone: 'UTC', full_schedule: '* * * * *' };
  await queue.good('POST', '/strategies', { data: strategy });
  const strategy_rule = {
    client_id: far.client_name,
    strategy_id: 'Often',
    resource_type: 'File system',
    resource: source,
  };
  await queue.good('POST', '/strategy_rules', { data: { strategy_rule } });
}

const restored = () => join(folder.path, 'restored');
const isSuspended = (task: Task): boolean => task.status === 'suspended';

describe('a task that needs an offline client', { timeout: 120_000 }, () => {
  /** How a task of each type that needs its client is made. */
  const types: Readonly<Record<string, () => Promise<() => Promise<number>>>> = {
    backup_urgent: async () => () => queue.backup(source, { client: far.client_name }),
    backup_strategy: async () => {
      await addRule();
      return scheduled;
    },
    restore: async () => {
      await share();
      await mkdir(restored());
      const copy = Number((await queue.ended(await queue.backup(source))).repository_id);
      return () => queue.restore(copy, restored(), { target_client: far.client_name });
    },
  };

  it.each(Object.keys(types))(
    '%s is suspended, and killed with kill_task_of_offline_client',
    async (type) => {
      const make = await types[type]?.();
      if (make === undefined) throw new Error(`no tasks of type ${type}`);
      const copies = (await queue.copies()).length;
      const suspended = await queue.until(await make(), isSuspended);
      expect(suspended).toMatchObject({ task_type: type, suspend_reason: 'resource', finished: null });
      expect(suspended.error_message).toContain('far is offline');

      await kills('yes');
      // One that waits already is killed as soon as it is tried again.
      clock.advance(5 * 60_000);
      const waited = await queue.ended(suspended.id);
      expect(waited).toMatchObject({ status: 'killed', attempt: suspended.attempt });
      const killed = await queue.ended(await make());
      expect(killed).toMatchObject({ task_type: type, status: 'killed' });
      expect(killed.error_message).toContain('far is offline');
      for (const { id } of [waited, killed]) {
        expect((await queue.log(id, 'servers')).at(-1)).toMatchObject({
          level: 'warning',
          message: expect.stringContaining('kill_task_of_offline_client'),
        });
      }
      // Its data are never taken from here, nor written here.
      expect(await queue.copies()).toHaveLength(copies);
      if (type === 'restore') expect(await readdir(restored())).toEqual([]);
    },
  );

  it('goes on where its client is reached, and a killed one may be restarted', async () => {
    await kills('yes');
    const killed = await queue.ended(await queue.backup(source, { client: far.client_name }));
    expect(killed.status).toBe('killed');
    await kills('no');
    await queue.good('POST', '/tasks/restart', { data: { tasks_ids: [killed.id] } });
    expect(await queue.until(killed.id, isSuspended)).toMatchObject({
      suspend_reason: 'resource',
      attempt: 2,
    });
    expect((await queue.ended(await queue.backup(source))).status).toBe('done');
  });
});

describe('a task of the server on a copy of an offline client', { timeout: 120_000 }, () => {
  it('verify, copy, move and a restore elsewhere are not killed: they do not need it', async () => {
    await share();
    await queue.addPool('Other', join(folder.path, 'other'));
    const copyId = Number((await queue.ended(await queue.backup(source))).repository_id);
    const hwid = far.client_name.slice(far.client_name.lastIndexOf('(') + 1, -1);
    // As a media server would have taken it from there.
    await app.database.db
      .updateTable('copies')
      .set({ client_id: far.id, client_text: far.client_name, client_hwid: hwid })
      .where('id', '=', copyId)
      .execute();
    await kills('yes');
    await mkdir(restored());
    const tasks = [
      await queue.verify(copyId),
      await queue.copyTo(copyId, 'Other'),
      await queue.restore(copyId, restored()),
    ];
    for (const id of tasks) expect(await queue.ended(id)).toMatchObject({ status: 'done' });
    const second = (await queue.copies()).find(({ copy_of }) => copy_of === copyId);
    expect(second).toMatchObject({ client_id: far.id, pool: 'Other' });
    const moved = await queue.ended(await queue.moveTo(Number(second?.id), 'Default'));
    expect(moved).toMatchObject({ status: 'done', task_type: 'move' });
    expect(await readdir(restored())).toEqual(['source']);
  });
});
