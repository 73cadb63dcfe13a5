import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HandClock, handClock, type TestApp } from '../../../support/backend.ts';
import { type BackupLab, openBackupLab } from '../../../support/backup-lab.ts';
import { makeSmallFolder, type Queue, queueOf } from '../../../support/queue.ts';

let lab: BackupLab;
let app: TestApp;
let clock: HandClock;

let queue: Queue;
let folder: BackupLab['folder'];
let source: string;

beforeEach(async () => {
  clock = handClock();
  lab = await openBackupLab('queue', { clock });
  ({ app, queue, folder, source } = lab);
});
afterEach(() => lab.close());

const serviceMode = (on: boolean) =>
  queue.good('PATCH', '/global_configuration/service_mode', { service_mode: on });
const dayMs = 86_400_000;
/** Days later every session is over. */
const daysLater = async (days: number): Promise<void> => {
  clock.advance(days * dayMs);
  queue = queueOf((await app.loginAs('superuser')).send);
};

describe('making a backup task', () => {
  const refused = async (change: (draft: { task: Record<string, unknown> }) => object) => {
    const draft = (await queue.draft(source)) as { task: Record<string, unknown> };
    const reply = await queue.call('POST', '/task_queue', change(draft));
    expect(reply.status).toBe(400);
    expect(reply.body.message).not.toBe('');
    return reply.body.errors;
  };
  const withTask = (more: object) => (draft: { task: Record<string, unknown> }) => ({
    ...draft,
    task: { ...draft.task, ...more },
  });

  it('answers 201 with the id, and keeps what was asked for', async () => {
    await serviceMode(true);
    const draft = await queue.draft(source, { storage_duration: '1 weeks', priority: 700, archiving: true });
    const reply = await queue.call('POST', '/task_queue', {
      ...draft,
      module_extensions: { parameters: { numeric_owner: true } },
    });
    expect(reply.status).toBe(201);
    const task = await queue.task((reply.body.data as { id: number }).id);
    expect(task).toMatchObject({
      task_type: 'backup_urgent',
      status: 'new',
      progress: 0,
      storage_duration: '1 week',
      priority: 700,
      archiving: true,
      created_by: 'superuser',
      attempt: 1,
      started: null,
      finished: null,
    });
    expect(task.module_extensions).toMatchObject({ parameters: { numeric_owner: true, file_list: true } });
  });

  it.each([
    ['backup_type', { backup_type: 'incremental' }],
    ['resource_type', { resource_type: 'PostgreSQL' }],
    ['resource_type', { resource_type: 'Teapot' }],
    ['resource', { resource: 'relative/path' }],
    ['crypto', { crypto: 'rot13' }],
    ['priority', { priority: 99 }],
    ['priority', { priority: 1001 }],
    ['storage_duration', { storage_duration: '0 days' }],
    ['pool', { pool: 'no such pool' }],
    ['client', { client: 'nobody (0000000000000000)' }],
    ['archiving', { archiving: 'yes' }],
  ])('a wrong %s is refused by name: %o', async (field, more) => {
    expect(Object.keys(await refused(withTask(more))).join()).toContain(field);
    expect(await queue.tasks()).toEqual([]);
  });

  it('a missing field and an unknown one are named', async () => {
    const errors = await refused(({ task }) => ({ task: { ...task, pool: undefined, colour: 'red' } }));
    expect(Object.keys(errors).join()).toContain('pool');
    expect(Object.keys(errors).join()).toContain('colour');
  });
});

describe('both families of paths', () => {
  it('answer the same records', async () => {
    const id = await queue.backup(source);
    const task = await queue.ended(id);
    expect(await queue.good('GET', `/task_queue/${id}`)).toEqual(task);
    expect(await queue.good('GET', '/task_queue')).toEqual(await queue.tasks());
    const extension = await queue.good('GET', '/task_queue/extension?resource_type=File%20system');
    expect(await queue.good('GET', '/tasks/extensions?resourse_type=File%20system')).toEqual(extension);
    expect(await queue.good('GET', '/tasks/extensions?resource_type=File%20system')).toEqual(extension);
  });

  it('differ in what a deletion answers: 200 with the ids, or 204', async () => {
    const ids = [await queue.backup(source), await queue.backup(source), await queue.backup(source)];
    for (const id of ids) await queue.ended(id);
    const many = await queue.call('DELETE', '/task_queue', { ids: ids.slice(0, 1) });
    expect([many.status, many.body.data]).toEqual([200, { ids: ids.slice(0, 1) }]);
    const other = await queue.call('DELETE', '/tasks', { ids: ids.slice(1, 2) });
    expect([other.status, other.body]).toEqual([204, null]);
    const single = await queue.call('DELETE', `/task_queue/${ids[2]}`);
    expect([single.status, single.body.data]).toEqual([200, { ids: ids.slice(2) }]);
    expect(await queue.tasks()).toEqual([]);
  });

  it('know no task that is not there', async () => {
    for (const [method, path, body] of [
      ['GET', '/tasks/77'],
      ['GET', '/task_queue/77'],
      ['GET', '/tasks/77/info/clients'],
      ['GET', '/tasks/77/info/servers'],
      ['POST', '/tasks/77/pause'],
      ['POST', '/tasks/77/continue', { task_id: 77 }],
      ['POST', '/tasks/77/kill'],
      ['DELETE', '/tasks', { ids: [77] }],
      ['DELETE', '/task_queue', { ids: [77] }],
      ['DELETE', '/task_queue/77'],
      ['POST', '/tasks/restart', { data: { tasks_ids: [77] } }],
    ] as const) {
      expect((await queue.call(method, path, body)).status, `${method} ${path}`).toBe(404);
    }
  });
});

describe('a list by status', () => {
  it('may have several of them, as the extension says', async () => {
    await serviceMode(true);
    const first = await queue.backup(source);
    const second = await queue.backup(source);
    const third = await queue.backup(source);
    await queue.good('POST', `/tasks/${second}/kill`);
    const ids = async (status: string) => {
      const path = `/task_queue?sort=id&page=1&limit=10&status=${status}`;
      return (await queue.good<{ id: number }[]>('GET', path)).map((task) => task.id);
    };
    expect(await ids('killed')).toEqual([second]);
    expect(await ids('new,killed')).toEqual([first, second, third]);
    expect(await ids('error,broken')).toEqual([]);
    expect(await ids(encodeURIComponent("new') or 1 = 1 --,killed"))).toEqual([second]);
    expect(await queue.good('GET', '/extensions')).toMatchObject({
      names: expect.arrayContaining(['task_statuses']),
    });
  });
});

describe('deleting by status', () => {
  it('removes every task with the word, in any case; 404 without one, 400 for other words', async () => {
    const missing = join(folder.path, 'missing');
    const failed = [await queue.backup(missing), await queue.backup(missing)];
    const kept = await queue.backup(source);
    for (const id of [...failed, kept]) await queue.ended(id);
    const reply = await queue.call('DELETE', '/task_queue/Error');
    expect([reply.status, reply.body.data]).toEqual([200, { ids: failed }]);
    expect((await queue.call('DELETE', '/task_queue/error')).status).toBe(404);
    expect((await queue.call('DELETE', '/task_queue/new')).status).toBe(400);
    expect((await queue.call('DELETE', '/task_queue/teapot')).status).toBe(400);
    expect((await queue.tasks()).map((task) => task.id)).toEqual([kept]);
  });

  it('is all or nothing: an active or unknown task among the ids keeps all', async () => {
    const done = await queue.backup(source);
    await queue.ended(done);
    await serviceMode(true);
    const waiting = await queue.backup(source);
    expect((await queue.call('DELETE', '/tasks', { ids: [done, waiting] })).status).toBe(400);
    expect((await queue.call('DELETE', '/tasks', { ids: [done, 99] })).status).toBe(404);
    expect(await queue.tasks()).toHaveLength(2);
  });
});

describe('restarting', () => {
  it('is all or nothing', async () => {
    const failed = await queue.backup(join(folder.path, 'missing'));
    const done = await queue.backup(source);
    for (const id of [failed, done]) await queue.ended(id);
    const restart = async (ids: readonly number[]) =>
      (await queue.call('POST', '/tasks/restart', { data: { tasks_ids: ids } })).status;
    expect(await restart([failed, done])).toBe(400);
    expect(await restart([failed, 99])).toBe(404);
    expect(await queue.task(failed)).toMatchObject({ status: 'error', attempt: 1 });
    await makeSmallFolder(join(folder.path, 'missing'));
    expect(await restart([failed])).toBe(204);
    expect(await queue.ended(failed)).toMatchObject({ status: 'done', attempt: 2, error_message: null });
  });
});

describe('a new task', () => {
  it('waits in service mode, can be paused, continued and killed there, and runs afterwards', async () => {
    await serviceMode(true);
    const first = await queue.backup(source);
    const second = await queue.backup(source);
    expect((await queue.call('POST', `/tasks/${first}/pause`)).status).toBe(204);
    expect(await queue.task(first)).toMatchObject({ status: 'suspended', suspend_reason: 'user' });
    expect((await queue.call('POST', `/tasks/${first}/continue`, { task_id: first })).status).toBe(204);
    expect((await queue.task(first)).status).toBe('new');
    expect((await queue.call('POST', `/tasks/${first}/kill`)).status).toBe(204);
    expect((await queue.task(first)).status).toBe('killed');
    expect((await queue.task(second)).status).toBe('new');
    await serviceMode(false);
    expect((await queue.ended(second)).status).toBe('done');
    expect((await queue.task(first)).status).toBe('killed');
  });

  it('comes before others by its priority', async () => {
    await serviceMode(true);
    const ids = [];
    for (const priority of [100, 100, 100, 900]) ids.push(await queue.backup(source, { priority }));
    await serviceMode(false);
    for (const id of ids) await queue.ended(id);
    const lines = await app.database.db.selectFrom('task_logs').select('task_id').orderBy('id').execute();
    // Two run beside each other, and their lines may come in any order: the last one asked for is of the first two.
    const order = [...new Set(lines.map((line) => line.task_id))];
    expect(order.slice(0, 2)).toContain(ids[3]);
  });
});

describe('a role', () => {
  it('without the right is refused, and an administrator of another group does not see the task', async () => {
    const id = await queue.backup(source);
    await queue.ended(id);
    const { data } = (
      await queue.call('POST', '/client_groups', { data: { name: 'Elsewhere', shared: false } })
    ).body;
    const limited = await app.loginAs('administrator', {
      clientGroupIds: [(data as { id: number }).id],
    });
    expect((await limited.send('GET', `/tasks/${id}`)).status).toBe(404);
    expect((await limited.send('GET', '/tasks')).body.data).toEqual([]);
    expect((await app.send('GET', '/tasks')).status).toBe(401);
  });
});

describe('upkeep', () => {
  it('final tasks leave the queue when their time is over; 0 keeps them', async () => {
    const missing = join(folder.path, 'missing');
    const failed = await queue.backup(missing);
    const done = await queue.backup(source);
    for (const id of [failed, done]) await queue.ended(id);
    await queue.good('PATCH', '/global_configuration', { error_tasks_remove_period: 0 });
    await daysLater(29);
    const later = await queue.backup(source);
    await queue.ended(later);
    await daysLater(1.5);
    await expect
      .poll(async () => (await queue.call('GET', `/tasks/${done}`)).status, { timeout: 10_000 })
      .toBe(404);
    expect((await queue.tasks()).map((task) => task.id)).toEqual([failed, later]);
    expect(await queue.copies()).toHaveLength(2);
  });

  it('a copy whose time is over is removed, and its task is obsoleted', async () => {
    const task = await queue.ended(await queue.backup(source, { storage_duration: '1 day' }));
    const kept = await queue.ended(await queue.backup(source, { storage_duration: '1 week' }));
    await daysLater(1.1);
    await expect.poll(async () => (await queue.copies()).length, { timeout: 10_000 }).toBe(1);
    expect((await queue.task(task.id)).status).toBe('obsoleted');
    expect((await queue.task(kept.id)).status).toBe('done');
  });
});
