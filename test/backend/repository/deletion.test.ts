import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Copy } from '../../../contract/repository/copy.ts';
import { type RepositoryLab, startRepositoryLab } from './support.ts';

let lab: RepositoryLab;
beforeEach(async () => {
  lab = await startRepositoryLab();
});
afterEach(() => lab.close());

const storage = () => join(lab.app.dataDir, 'pools', 'default');
const dayMs = 86_400_000;
/** Ahead of the clock, so that the app's own regular work does not come first. */
const dueTime = () => lab.clock.now() + dayMs;

/** The folders of copies are named by UUIDs; others are never removed. */
function uuidOf(name: string): string {
  return `${Buffer.from(name).toString('hex').padStart(8, '0').slice(-8)}-0000-4000-8000-000000000000`;
}
/** A copy with a folder on the default storage. */
async function copy(name: string, columns: Parameters<typeof lab.rows.copy>[1] = {}): Promise<number> {
  const uuid = uuidOf(name);
  await mkdir(join(storage(), uuid));
  await writeFile(join(storage(), uuid, 'archive.tar'), uuid.repeat(1000));
  return lab.rows.copy({ poolId: 1, storageId: 1, clientId: 1 }, { uuid, ...columns });
}
const isThere = (name: string) =>
  stat(join(storage(), uuidOf(name))).then(
    () => true,
    () => false,
  );
const listed = async () =>
  (await lab.superuser.send('GET', '/repository')).data<Copy[]>().map(({ id }) => id);
const remove = (ids: number[]) => lab.superuser.send('DELETE', '/repository', { ids });
/** 1 ← 2 ← 3, each full or building on the one before. */
async function chain(columns: Parameters<typeof lab.rows.copy>[1] = {}): Promise<number[]> {
  const first = await copy('one', columns);
  const second = await copy('two', { backup_type: 'incremental', reference_id: first, ...columns });
  return [first, second, await copy('three', { reference_id: second, ...columns })];
}
const task = async (status: string, columns: { copyId?: number } = {}) =>
  lab.rows.task({ status, ...columns });
const statusOf = async (id: number) =>
  (
    await lab.app.database.db
      .selectFrom('tasks')
      .select('status')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).status;

it('removes row and folder, and the task that made the copy becomes obsoleted', async () => {
  const made = await task('done');
  const id = await copy('one', { task_id: made });
  const other = await copy('two');
  const answer = await lab.superuser.send('DELETE', `/repository/${id}`);
  expect([answer.status, answer.data()]).toEqual([200, { ids: [id] }]);
  expect(await listed()).toEqual([other]);
  expect([await isThere('one'), await isThere('two')]).toEqual([false, true]);
  expect(await statusOf(made)).toBe('obsoleted');
  expect(lab.changes).toEqual([
    { kind: 'repository', action: 'removed', id, clientGroupId: 1 },
    { kind: 'pool', action: 'changed', id: 1 },
    { kind: 'task', action: 'changed', id: made, clientGroupId: null },
  ]);
  expect((await lab.superuser.send('GET', `/repository/${id}`)).status).toBe(404);
});

it('is all or nothing: an unknown id among others removes nothing', async () => {
  const id = await copy('one');
  const answer = await remove([id, 99]);
  expect(answer.status).toBe(404);
  expect(answer.body.errors.ids).toContain('99');
  expect(await listed()).toEqual([id]);
  expect(await isThere('one')).toBe(true);
  expect((await lab.superuser.send('DELETE', '/repository/99')).status).toBe(404);
});

it('tells which copies build on others, in the order in which they were made', async () => {
  const [first = 0, second = 0, third = 0] = await chain();
  const answer = await lab.superuser.send('POST', '/repository/deletion_reference_chain', {
    ids: [third, first],
  });
  expect(answer.status).toBe(200);
  expect(answer.data()).toEqual([
    { id: third, dependencies: [] },
    { id: first, dependencies: [second, third] },
  ]);
  const unknown = await lab.superuser.send('POST', '/repository/deletion_reference_chain', { ids: [99] });
  expect(unknown.status).toBe(404);
});

it('takes the whole chain, or asks for it when repository_remove_chain is no', async () => {
  const [first = 0, second = 0, third = 0] = await chain();
  await lab.configure({ repository_remove_chain: 'no' });
  const refused = await remove([first]);
  expect([refused.status, await listed()]).toEqual([400, [first, second, third]]);
  expect(refused.body.errors.ids).toContain(`${second}, ${third}`);
  await lab.configure({ repository_remove_chain: 'yes' });
  expect((await remove([second])).data<{ ids: number[] }>().ids.sort()).toEqual([second, third]);
  expect(await listed()).toEqual([first]);
});

it('refuses copies that an active task uses', async () => {
  const [first = 0, , third = 0] = await chain();
  const verifying = await task('suspended', { copyId: third });
  const answer = await remove([first]);
  expect([answer.status, (await listed()).length]).toEqual([400, 3]);
  expect(answer.body.errors.ids).toContain(`task ${verifying}`);
  const own = await lab.repository.copies.removeCopies([first], { groups: null, exceptTask: verifying });
  expect(own.ids).toHaveLength(3);
});

it('refuses young and immutable copies until their time has come', async () => {
  const id = await copy('one', { created_ms: lab.clock.now(), store_until_ms: lab.clock.now() + 5 * dayMs });
  await lab.configure({ mandatory_storage_time: 2 });
  expect((await remove([id])).status).toBe(400);
  lab.clock.advance(2 * dayMs);
  const again = await lab.app.login('superuser', 'correct horse battery');
  await again.send('PATCH', '/global_configuration', { immutable_archives: true });
  expect((await again.send('DELETE', `/repository/${id}`)).body.errors.ids).toContain('immutable_archives');
  // It expires at the same moment; in service mode that waits.
  await again.send('PATCH', '/global_configuration/service_mode', { service_mode: true });
  lab.clock.advance(3 * dayMs);
  const later = await lab.app.login('superuser', 'correct horse battery');
  expect((await later.send('DELETE', `/repository/${id}`)).status).toBe(200);
});

it('removes a copy whose folder or storage is gone already', async () => {
  const first = await copy('one');
  const second = await copy('two');
  await rm(join(storage(), uuidOf('one')), { recursive: true });
  expect((await remove([first])).status).toBe(200);
  await rm(storage(), { recursive: true });
  expect((await remove([second])).status).toBe(200);
  expect(await listed()).toEqual([]);
});

it('goes on with a deletion that was cut off; until then the copy is not listed', async () => {
  const made = await task('done');
  const first = await copy('one', { deleting: 1, task_id: made });
  const second = await copy('two', { deleting: 1, reference_id: first });
  expect(await listed()).toEqual([]);
  expect((await remove([second])).status).toBe(404);
  await lab.repository.copies.finishDeletions();
  expect([await isThere('one'), await isThere('two')]).toEqual([false, false]);
  expect(await statusOf(made)).toBe('obsoleted');
  expect(await lab.app.database.db.selectFrom('copies').select('id').execute()).toEqual([]);
});

it('removes a copy that has expired together with its chain, and nothing else', async () => {
  const now = dueTime();
  const made = await task('done');
  await chain({ store_until_ms: now, task_id: made });
  const kept = [
    await copy('later', { store_until_ms: now + 1 }),
    await copy('forever', { store_until_ms: null }),
    await copy('archived', { store_until_ms: now, archiving: 1 }),
  ];
  const used = await copy('used', { store_until_ms: now });
  // A working one would be taken up by the queue.
  const restoring = await task('suspended', { copyId: used });
  expect(await lab.repository.copies.expireDue(now)).toHaveLength(3);
  expect(await listed()).toEqual([...kept, used]);
  expect([await statusOf(made), await statusOf(restoring)]).toEqual(['obsoleted', 'suspended']);
});

it('keeps an expired copy as long as one that is not expired builds on it', async () => {
  const now = dueTime();
  const first = await copy('one', { store_until_ms: now });
  const second = await copy('two', { reference_id: first, store_until_ms: now + 1 });
  expect(await lab.repository.copies.expireDue(now)).toEqual([]);
  expect(await listed()).toEqual([first, second]);
  expect(await lab.repository.copies.expireDue(now + 1)).toHaveLength(2);
});

it('goes on with what has expired when a copy is gone, or is protected, only since the plan was made', async () => {
  const { db } = lab.app.database;
  const now = dueTime();
  const ids: number[] = [];
  for (const name of ['first', 'gone', 'used', 'last']) ids.push(await copy(name, { store_until_ms: now }));
  const [first = 0, gone = 0, used = 0, last = 0] = ids;
  const task = await lab.rows.task({ status: 'suspended' });
  await sql`create trigger meanwhile after update of deleting on copies when new.id = ${sql.lit(first)} begin
    delete from copies where id = ${sql.lit(gone)};
    update tasks set copy_id = ${sql.lit(used)} where id = ${sql.lit(task)}; end`.execute(db);
  expect(await lab.repository.copies.expireDue(now)).toEqual([first, last]);
  expect(await listed()).toEqual([used]);
  await sql`drop trigger meanwhile`.execute(db);
});

it('lets expiry wait while service mode is on, and warns of what stays, with the reason (case 97)', async () => {
  const now = dueTime();
  const id = await copy('one', { store_until_ms: now });
  const warned = () =>
    lab.lines.filter(([level, message]) => level === 'warn' && message === 'expired copies are still kept');
  await lab.superuser.send('PATCH', '/global_configuration/service_mode', { service_mode: true });
  await lab.configure({ obsoleted_backup_notification_period: 2 });
  for (const day of [0, 1]) {
    expect(await lab.repository.copies.expireDue(now + day * dayMs)).toEqual([]);
  }
  const reason = 'nothing expires while the server is in service mode';
  expect(warned().map((line) => line[2])).toEqual([{ total: 1, copies: [{ copy: id, reason }] }]);
  expect(await lab.repository.copies.expireDue(now + 2 * dayMs)).toEqual([]);
  expect(warned()).toHaveLength(2);
  await lab.superuser.send('PATCH', '/global_configuration/service_mode', { service_mode: false });
  expect(await lab.repository.copies.expireDue(now)).toEqual([id]);
});

it('removes broken copies before their time only when told to', async () => {
  const id = await copy('one', { status: 'Broken' });
  expect(await lab.repository.copies.expireDue(lab.clock.now())).toEqual([]);
  await lab.configure({ auto_delete_archive_from_broken_chain: 'yes' });
  expect(await lab.repository.copies.expireDue(lab.clock.now())).toEqual([id]);
});
