import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCopyRemoval } from '../../../backend/features/repository/copy-removal.ts';
import { NotAnswering } from '../../../backend/platform/answering.ts';
import { silentLog } from '../../../backend/platform/log.ts';
import { fromWireTime, toWireTime } from '../../../backend/platform/wire-time.ts';
import { Copy, type RestoreExtension } from '../../../contract/repository/copy.ts';
import { type RepositoryLab, startRepositoryLab } from './support.ts';

let lab: RepositoryLab;
beforeEach(async () => {
  lab = await startRepositoryLab();
});
afterEach(() => lab.close());

const dayMs = 86_400_000;
const get = async (id: number) => (await lab.superuser.send('GET', `/repository/${id}`)).data<Copy>();
const keep = (id: number, store_until: unknown) =>
  lab.superuser.send('PATCH', `/repository/${id}`, { data: { store_until } });
const localClient = async (): Promise<string> => {
  const row = await lab.app.database.db
    .selectFrom('clients')
    .selectAll()
    .where('id', '=', 1)
    .executeTakeFirst();
  return `${row?.hostname} (${row?.hwid})`;
};
const ownCopy = async (columns: Parameters<typeof lab.rows.copy>[1] = {}) => {
  const text = await localClient();
  return lab.rows.copy(
    { poolId: 1, storageId: 1, clientId: 1 },
    { client_text: text, client_hwid: text.slice(-17, -1), ...columns },
  );
};

describe('a copy', () => {
  it('is answered with every field', async () => {
    const id = await ownCopy({ created_ms: lab.clock.now(), size: 7, real_size: 5, files_count: 3 });
    const record = await get(id);
    expect(Copy.parse(record)).toEqual(record);
    expect(Object.keys(record).sort()).toEqual(Object.keys(Copy.shape).sort());
    expect(record).toMatchObject({
      id,
      reference_id: null,
      client_id: 1,
      status: 'Not Verified',
      pool: 'Default',
      pool_type: 'File system',
      media_server: hostname(),
      storage: `${lab.app.dataDir}/pools/default`,
      created: toWireTime(lab.clock.now()),
      store_until: null,
      signed: false,
      size: 7,
      damage: null,
    });
    expect(record.path).toMatch(/\/pools\/default\/copy-\d+$/);
  });

  it('of another group does not exist for a limited administrator', async () => {
    const group = (await lab.superuser.send('POST', '/client_groups', { data: { name: 'Own' } })).data<{
      id: number;
    }>();
    const client = await lab.rows.client({ groupId: group.id });
    const own = await lab.rows.copy({ clientId: client });
    const other = await ownCopy();
    const orphan = await lab.rows.copy({});
    const limited = await lab.app.loginAs('administrator', { clientGroupIds: [group.id] });
    const seen = (await limited.send('GET', '/repository')).data<Copy[]>().map(({ id }) => id);
    expect(seen).toEqual([own]);
    for (const id of [other, orphan]) {
      expect((await limited.send('GET', `/repository/${id}`)).status).toBe(404);
      expect((await limited.send('DELETE', '/repository', { ids: [own, id] })).status).toBe(404);
      expect((await limited.send('POST', `/repository/${id}/verification`)).status).toBe(404);
      expect((await limited.send('GET', `/repository/${id}/files`)).status).toBe(404);
    }
  });

  it('shows what a verification found, in the list too (cases 87, 91)', async () => {
    const id = await ownCopy();
    const damage = [
      { severity: 'error', item: '/srv/a', message: 'The content differs.', next_step: 'Back it up again.' },
    ];
    await lab.repository.copies.storeVerification(id, { status: 'Suspicious', damage });
    const [row] = (await lab.superuser.send('GET', '/repository?status=Suspicious')).data<Copy[]>();
    expect(row).toMatchObject({ id, status: 'Suspicious', damage });
    await lab.repository.copies.storeVerification(id, { status: 'Trusted', damage: [] });
    expect(await get(id)).toMatchObject({ status: 'Trusted', damage: null });
    expect(lab.changes.filter(({ kind }) => kind === 'repository')).toEqual([
      { kind: 'repository', action: 'changed', id, clientGroupId: 1 },
      { kind: 'repository', action: 'changed', id, clientGroupId: 1 },
    ]);
  });
});

describe('how long a copy is kept', () => {
  const at = (days: number) => toWireTime(lab.clock.now() + days * dayMs);

  it('is changed to a date, with every digit, and to forever', async () => {
    const id = await ownCopy();
    const answer = await keep(id, '2031-01-31T23:59:59.123456');
    expect([answer.status, answer.data<Copy>().store_until]).toEqual([200, '2031-01-31T23:59:59.123456']);
    expect((await get(id)).store_until).toBe('2031-01-31T23:59:59.123456');
    const found = await lab.superuser.send('GET', '/repository?store_until=2031-01-31T23:59:59.123');
    expect(found.data<Copy[]>()).toHaveLength(1);
    expect((await keep(id, null)).data<Copy>().store_until).toBe(null);
  });

  it.each([['tomorrow'], ['2031-02-30T00:00:00'], [5], ['2031-01-01T00:00:00Z'], ['2001-01-01T00:00:00']])(
    'is not changed to %j',
    async (value) => {
      const id = await ownCopy();
      const answer = await keep(id, value);
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, ['store_until']]);
    },
  );

  it('of what a copy builds on grows with it', async () => {
    const first = await ownCopy({ store_until_ms: lab.clock.now() + dayMs });
    const second = await ownCopy({ reference_id: first, store_until_ms: lab.clock.now() + 5 * dayMs });
    const third = await ownCopy({ reference_id: second, store_until_ms: lab.clock.now() + dayMs });
    await keep(third, at(3));
    expect([(await get(first)).store_until, (await get(second)).store_until]).toEqual([at(3), at(5)]);
    const answer = await keep(first, at(4));
    expect(answer.body.errors.store_until).toContain(`copy ${second}`);
    await keep(third, null);
    expect([(await get(first)).store_until, (await get(second)).store_until]).toEqual([null, null]);
  });

  it('follows the storage duration of the task, and so does what the copy builds on', async () => {
    const { db } = lab.app.database;
    const first = await ownCopy({ store_until_ms: lab.clock.now() });
    const taskId = await lab.rows.task({ status: 'at_server', clientId: 1, poolId: 1 });
    await db
      .updateTable('tasks')
      .set({ storage_duration: '1 month', resource: '/srv', resource_type: 'File system' })
      .where('id', '=', taskId)
      .execute();
    const task = await db.selectFrom('tasks').selectAll().where('id', '=', taskId).executeTakeFirstOrThrow();
    const id = await db.transaction().execute((tx) =>
      lab.repository.copies.registerCopy(tx, {
        uuid: 'new-one',
        storageId: 1,
        task: { ...task, client_text: 'h (0123456789abcdef)', archiving: 0 },
        referenceId: first,
        sizeBytes: 10,
        storedBytes: 5,
        filesCount: 2,
        skippedItems: 1,
        isFileListAvailable: true,
        isVerified: true,
        createdMs: lab.clock.now(),
      }),
    );
    const until = '2030-02-15';
    expect(await get(id)).toMatchObject({
      chain_id: first,
      reference_id: first,
      task_id: taskId,
      client_hwid: '0123456789abcdef',
      status: 'Trusted',
      size: 10,
      real_size: 5,
    });
    expect((await get(id)).store_until?.slice(0, 10)).toBe(until);
    expect((await get(first)).store_until?.slice(0, 10)).toBe(until);
    await lab.repository.copies.announceCreated('new-one');
    expect(lab.changes).toContainEqual({ kind: 'repository', action: 'created', id, clientGroupId: 1 });
    expect(fromWireTime((await get(id)).created)).toBe(lab.clock.now());
  });
});

describe('restoring and verifying', () => {
  const restore = async (id: number, task: object, more: object = {}) =>
    lab.superuser.send('POST', `/repository/${id}/restoring`, {
      data: {
        restore_task: { target_client: await localClient(), destination_path: '/tmp/restored', ...task },
        ...more,
      },
    });

  it('hands the queue a task with everything that was asked for', async () => {
    const id = await ownCopy({ resource: '/srv/data' });
    const answer = await restore(
      id,
      { data_deployment: true, granular_restore_files: ['a', '/srv/data/b'] },
      { module_extensions: { parameters: { new_name: 'other' } } },
    );
    expect([answer.status, answer.data()]).toEqual([201, { task_id: 1 }]);
    expect(lab.tasks).toMatchObject([
      {
        taskType: 'restore',
        resource: '/srv/data',
        client: { id: 1, text: await localClient() },
        sourcePool: { id: 1, name: 'Default' },
        mediaServer: { name: hostname() },
        copyId: id,
        createdBy: 'superuser',
        input: {
          destination: '/tmp/restored',
          newName: 'other',
          deployInto: true,
          selection: ['a', '/srv/data/b'],
        },
        commonModulesExtensions: { parameters: { worker_parallelism: 8, memory_threshold: 0 } },
      },
    ]);
  });

  it.each([
    ['target_client', { target_client: 'nobody (0123456789abcdef)' }],
    ['target_client', { target_client: 'nobody' }],
    ['destination_path', { destination_path: 'tmp' }],
    ['destination_path', { destination_path: '/' }],
    ['granular_restore_files', { granular_restore_files: ['/etc/passwd'] }],
    ['granular_restore_files', { granular_restore_files: 'a' }],
    ['data_deployment', { data_deployment: 'yes' }],
  ])('refuses a wrong %s', async (field, task) => {
    const id = await ownCopy();
    const answer = await restore(id, task);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [field]]);
    expect(lab.tasks).toEqual([]);
  });

  it('refuses to restore into the data of the server', async () => {
    const id = await ownCopy();
    for (const path of [lab.app.dataDir, `${lab.app.dataDir}/pools/default/x`]) {
      expect((await restore(id, { destination_path: path })).status).toBe(400);
    }
  });

  it('makes a verification of the client of the copy', async () => {
    const id = await ownCopy();
    const answer = await lab.superuser.send('POST', `/repository/${id}/verification`);
    expect([answer.status, answer.data()]).toEqual([201, { task_id: 1 }]);
    expect(lab.tasks).toMatchObject([{ taskType: 'verify', copyId: id, pool: { id: 1 }, input: null }]);
    expect((await lab.superuser.send('POST', '/repository/99/verification')).status).toBe(404);
    expect((await restore(99, {})).status).toBe(404);
  });

  it('tells the parameters of a restore', async () => {
    const id = await ownCopy();
    for (const path of ['/repository/extension', `/repository/extension?repository_id=${id}`]) {
      const answer = await lab.superuser.send('GET', path);
      const { module_extensions, common_modules_extensions, crypto } = answer.data<RestoreExtension>();
      expect(module_extensions.map(({ name }) => name)).toEqual(['new_name']);
      expect(common_modules_extensions.map(({ name }) => name)).toEqual([
        'worker_parallelism',
        'memory_threshold',
      ]);
      expect(crypto).toEqual({ values: ['nocrypt', 'aes-256-gcm', 'age'] });
    }
    expect((await lab.superuser.send('GET', '/repository/extension?repository_id=99')).status).toBe(404);
  });
});

const removalBy = (removeFolder: Parameters<typeof createCopyRemoval>[0]['removeFolder'], log = silentLog) =>
  createCopyRemoval({
    tapeLists: 'nowhere',
    db: lab.app.database.db,
    clock: lab.clock,
    log,
    configuration: { read: async () => (await lab.superuser.send('GET', '/global_configuration')).data() },
    tell: { copy: () => undefined, task: () => undefined },
    hold: { look: async () => false },
    removeFolder,
    closeFiles: async () => undefined,
  });

it('a folder that a storage refuses to give up is tried again, and what others need stays until then', async () => {
  const first = await ownCopy();
  const second = await ownCopy({ reference_id: first });
  let isBroken = true;
  const removed: string[] = [];
  const removal = removalBy(async ({ copyId }) => {
    if (isBroken) throw new Error('EIO');
    removed.push(copyId);
  });
  expect((await removal.remove([first], { groups: null })).ids).toEqual([second, first]);
  expect((await lab.superuser.send('GET', '/repository')).data()).toEqual([]);
  expect(await lab.app.database.db.selectFrom('copies').select('id').execute()).toHaveLength(2);
  isBroken = false;
  await removal.finish();
  expect(removed).toHaveLength(2);
  expect(await lab.app.database.db.selectFrom('copies').select('id').execute()).toEqual([]);
});

it('a storage that does not answer is asked once and holds up no copy of another; its own go when it answers', async () => {
  const path = join(lab.app.dataDir, 'second');
  await mkdir(path);
  const storage = await lab.superuser.send('POST', '/storage_local_catalogs', { data: { path } });
  const { id: storageId } = storage.data<{ id: number }>();
  const mute = [await ownCopy(), await ownCopy()];
  const other = await ownCopy({ storage_id: storageId });
  let isMute = true;
  const asked: string[] = [];
  const errors: string[] = [];
  const log = { ...silentLog, error: (message: string) => void errors.push(message) };
  const removal = removalBy(async ({ storagePath }) => {
    asked.push(storagePath);
    if (isMute && storagePath !== path) throw new NotAnswering(storagePath);
  }, log);
  await removal.remove([...mute, other], { groups: null });
  expect(asked).toEqual([`${lab.app.dataDir}/pools/default`, path]);
  expect(errors).toHaveLength(1);
  const left = () => lab.app.database.db.selectFrom('copies').select('id').orderBy('id').execute();
  expect((await left()).map(({ id }) => id)).toEqual(mute);
  isMute = false;
  await removal.finish();
  expect(await left()).toEqual([]);
});
