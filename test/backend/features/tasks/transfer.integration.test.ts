import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Copy } from '../../../../contract/repository/copy.ts';
import { transferSuite } from '../../../suites/transfer-suite.ts';
import type { Session, TestApp } from '../../../support/backend.ts';
import { type BackupLab, openBackupLab } from '../../../support/backup-lab.ts';
import { makeBigFolder, type Queue } from '../../../support/queue.ts';

let lab: BackupLab;
let app: TestApp;
let superuser: Session;
let queue: Queue;
let folder: BackupLab['folder'];
let source: string;

beforeEach(async () => {
  lab = await openBackupLab('transfer');
  ({ app, superuser, queue, folder, source } = lab);
  for (const name of ['near', 'far']) await mkdir(join(folder.path, name));
  await queue.addPool('Near', join(folder.path, 'near'), { compression_type: 'Optimal' });
  await queue.addPool('Far', join(folder.path, 'far'), {
    compression_type: 'None',
    retention_period: '2 weeks',
  });
});
afterEach(() => lab.close());

const backUp = async (): Promise<Copy> => {
  const task = await queue.ended(await queue.backup(source, { pool: 'Near' }));
  return queue.copy(Number(task.repository_id));
};
const folders = (name: string) => readdir(join(folder.path, name));
const refusal = async (path: string, by: Session = superuser) => {
  const { status, body } = await by.send('POST', path);
  return { status, fields: Object.keys(body.errors) };
};

transferSuite('SQLite', async () => ({}));

describe('copying a copy to another pool', () => {
  it('ends in error where it would pass the limit of its client, and leaves nothing; a move adds nothing', async () => {
    const origin = await backUp();
    const real_size = 1024 ** 3 - 1;
    await app.database.db.updateTable('copies').set({ real_size }).execute();
    const [client] = await queue.good<{ id: number }[]>('GET', '/clients');
    await queue.good('PATCH', `/clients/${client?.id}`, { data: { storage_capacity: 1 } });
    await queue.good('PATCH', '/global_configuration', { clients_capacity_limits: true });
    const task = await queue.ended(await queue.copyTo(origin.id, 'Far'));
    expect(task).toMatchObject({ status: 'error', error_message: expect.stringContaining('limit of 1 GB') });
    await expect.poll(() => folders('far')).toEqual([]);
    expect((await queue.ended(await queue.moveTo(origin.id, 'Far'))).status).toBe('done');
  });
});

describe('moving a copy to another pool', () => {
  it('that is killed leaves the copy where it was, and nothing at the other place', async () => {
    await rm(source, { recursive: true });
    await makeBigFolder(source, 200);
    const copy = await backUp();
    const id = await queue.moveTo(copy.id, 'Far');
    while ((await folders('far')).length === 0) await setImmediate();
    expect((await queue.call('POST', `/tasks/${id}/pause`)).status).toBe(204);
    expect(await folders('far')).toEqual([expect.stringMatching(/\.partial$/)]);
    expect((await queue.call('DELETE', `/repository/${copy.id}`)).status).toBe(400);
    expect((await queue.call('POST', `/repository/${copy.id}/verification`)).status).toBe(400);
    expect((await queue.call('POST', `/repository/${copy.id}/copying?pool_name=Far`)).status).toBe(400);
    expect((await queue.call('POST', `/tasks/${id}/kill`)).status).toBe(204);
    await expect.poll(() => folders('far'), { timeout: 20_000 }).toEqual([]);
    expect(await queue.copy(copy.id)).toMatchObject({ pool: 'Near', path: copy.path });
    expect(existsSync(String(copy.path))).toBe(true);
  });
});

it('paused and continued it comes to its end; killed and restarted it begins anew', async () => {
  await rm(source, { recursive: true });
  await makeBigFolder(source, 100);
  const copy = await backUp();
  const id = await queue.moveTo(copy.id, 'Far');
  while ((await folders('far')).length === 0) await setImmediate();
  expect((await queue.call('POST', `/tasks/${id}/pause`)).status).toBe(204);
  await queue.until(id, (task) => task.status === 'suspended');
  expect((await queue.call('POST', `/tasks/${id}/continue`, { task_id: id })).status).toBe(204);
  await queue.ended(id);
  expect(await queue.copy(copy.id)).toMatchObject({ pool: 'Far' });
  const back = await queue.moveTo(copy.id, 'Near');
  expect((await queue.call('POST', `/tasks/${back}/kill`)).status).toBe(204);
  await queue.good('POST', '/tasks/restart', { data: { tasks_ids: [back] } });
  expect(await queue.ended(back)).toMatchObject({ status: 'done', attempt: 2 });
  expect(await queue.copy(copy.id)).toMatchObject({ pool: 'Near', status: 'Trusted' });
  await expect.poll(() => folders('far')).toEqual([]);
  // What was done already is not done again: the copy is where it was to go.
  await app.database.db.updateTable('tasks').set({ status: 'broken' }).where('id', '=', back).execute();
  await queue.good('POST', '/tasks/restart', { data: { tasks_ids: [back] } });
  expect(await queue.ended(back)).toMatchObject({
    status: 'error',
    error_message: expect.stringContaining('is the pool that the copy is in'),
  });
  expect(await folders('near')).toHaveLength(1);
});

it('a storage that is lost in the middle holds up a move, which then goes on with what has arrived (case 101)', async () => {
  await rm(source, { recursive: true });
  await makeBigFolder(source, 100);
  const copy = await backUp();
  const id = await queue.moveTo(copy.id, 'Far');
  const arrived = async (): Promise<number> => {
    const [name] = await folders('far');
    const archive = join(folder.path, 'far', name ?? '', 'archive.tar.zst');
    return existsSync(archive) ? (await stat(archive)).size : 0;
  };
  while ((await arrived()) < 8_000_000) await setImmediate();
  expect((await queue.call('POST', `/tasks/${id}/pause`)).status).toBe(204);
  const away = join(folder.path, 'unplugged');
  await rename(join(folder.path, 'far'), away);
  expect((await queue.call('POST', `/tasks/${id}/continue`, { task_id: id })).status).toBe(204);
  expect(await queue.until(id, ({ suspend_reason: reason }) => reason === 'resource')).toMatchObject({
    status: 'suspended',
    error_message: expect.stringContaining(`${join(folder.path, 'far')} cannot be reached any more`),
  });
  expect(await queue.copy(copy.id)).toMatchObject({ pool: 'Near', status: copy.status });
  await rename(away, join(folder.path, 'far'));
  expect((await queue.call('POST', `/tasks/${id}/continue`, { task_id: id })).status).toBe(204);
  const { status, transferred } = await queue.ended(id);
  expect(status).toBe('done');
  // The archive alone is beyond 100 MB.
  expect(transferred).toBeLessThan(98_000_000);
  expect(await queue.copy(copy.id)).toMatchObject({ pool: 'Far', status: 'Trusted' });
  const log = (await queue.log(id, 'servers')).map(({ message }) => message).join('\n');
  expect(log).toMatch(/\d{7,} bytes had arrived before, were read back and are right/);
});

it('overwrites what a move leaves behind, if archives are deleted with zeroing', async () => {
  await queue.good('PATCH', '/global_configuration', { delete_archives_with_zeroing: true });
  const copy = await backUp();
  const old = await open(join(String(copy.path), 'archive.tar.zst'), 'r');
  const { size } = await old.stat();
  await queue.ended(await queue.moveTo(copy.id, 'Far'));
  await expect.poll(() => folders('near')).toEqual([]);
  const left = Buffer.alloc(size, 1);
  await old.read(left, 0, size, 0);
  await old.close();
  expect(left.equals(Buffer.alloc(size))).toBe(true);
});

it('a damaged copy is neither copied nor moved, and the task says what is wrong with it', async () => {
  const copy = await backUp();
  const archive = await open(join(String(copy.path), 'archive.tar.zst'), 'r+');
  await archive.write(Buffer.from([0xff, 0xff, 0xff]), 0, 3, 40);
  await archive.close();
  for (const begin of [queue.copyTo, queue.moveTo]) {
    const task = await queue.ended(await begin(copy.id, 'Far'));
    expect(task).toMatchObject({
      status: 'error',
      error_message: expect.stringContaining('not what was once backed up'),
    });
  }
  expect(await folders('far')).toEqual([]);
  expect(await queue.copies()).toHaveLength(1);
});

it('everything that needs a copy waits while its storage is away, and nothing is said of the copy (case 101)', async () => {
  const copy = await backUp();
  const away = join(folder.path, 'not mounted');
  await rename(join(folder.path, 'near'), away);
  const ids = [
    await queue.verify(copy.id),
    await queue.restore(copy.id, join(folder.path, 'out')),
    await queue.copyTo(copy.id, 'Far'),
  ];
  const waitFor = (id: number) => queue.until(id, ({ status }) => status === 'suspended');
  for (const id of ids) {
    expect(await waitFor(id)).toMatchObject({
      suspend_reason: 'resource',
      error_message: expect.stringContaining('cannot be reached'),
    });
  }
  expect(await queue.copies()).toMatchObject([{ id: copy.id, status: copy.status }]);
  await rename(away, join(folder.path, 'near'));
  for (const id of ids) {
    expect((await queue.call('POST', `/tasks/${id}/continue`, { task_id: id })).status).toBe(204);
    expect((await queue.ended(id)).status).toBe('done');
  }
  // Nor does a copy begin whose target is away.
  await rm(join(folder.path, 'far'), { recursive: true });
  await waitFor(await queue.copyTo(copy.id, 'Far'));
  expect(existsSync(join(folder.path, 'far'))).toBe(false);
  expect(await queue.copies()).toHaveLength(2);
});

it('a pool takes another compression at any time; its copies stay good, and travel as they are (case 100)', async () => {
  const [pool] = await queue.good<{ id: number }[]>('GET', '/pools?pool_name=Near');
  const copies: Copy[] = [];
  for (const compression_type of ['None', 'Fast', 'Optimal', 'Best']) {
    await queue.good('PATCH', `/pools/${pool?.id}`, { compression_type });
    copies.push(await backUp());
  }
  for (const { id, size } of copies) {
    expect((await queue.ended(await queue.verify(id))).status).toBe('done');
    expect((await queue.ended(await queue.moveTo(id, 'Far'))).status).toBe('done');
    expect(await queue.copy(id)).toMatchObject({ status: 'Trusted', size, pool: 'Far' });
  }
  const names = await Promise.all((await queue.copies()).map((copy) => readdir(String(copy.path))));
  expect(names.map((files) => files.find((file) => file.startsWith('archive')))).toEqual([
    'archive.tar',
    'archive.tar.lz4',
    'archive.tar.zst',
    'archive.tar.zst',
  ]);
});

it('waits while the pool has no storage', async () => {
  await queue.good('POST', '/pools', {
    pool_name: 'Empty',
    pool_type: 'File system',
    media_server: (await queue.good<{ name: string }[]>('GET', '/media_servers'))[0]?.name,
  });
  const copy = await backUp();
  const id = await queue.copyTo(copy.id, 'Empty');
  const task = await queue.until(id, ({ status }) => status === 'suspended');
  expect(task).toMatchObject({
    suspend_reason: 'resource',
    error_message: expect.stringContaining('no storage'),
  });
});

it('is refused for what cannot be, with the field that is to blame', async () => {
  const copy = await backUp();
  const path = `/repository/${copy.id}`;
  const { id: otherGroup } = await queue.good<{ id: number }>('POST', '/client_groups', { name: 'Others' });
  for (const word of ['copying', 'moving']) {
    expect(await refusal(`${path}/${word}`)).toEqual({ status: 400, fields: ['pool_name'] });
    expect(await refusal(`${path}/${word}?pool_name=Nowhere`)).toEqual({
      status: 404,
      fields: ['pool_name'],
    });
    expect(await refusal(`${path}/${word}?pool_name=Near`)).toEqual({ status: 400, fields: ['pool_name'] });
    expect(await refusal(`/repository/999/${word}?pool_name=Far`)).toEqual({ status: 404, fields: ['id'] });
    const auditor = await app.loginAs('auditor');
    expect((await refusal(`${path}/${word}?pool_name=Far`, auditor)).status).toBe(403);
    const limited = await app.loginAs('administrator', { clientGroupIds: [otherGroup] });
    expect((await refusal(`${path}/${word}?pool_name=Far`, limited)).status).toBe(404);
  }
});
