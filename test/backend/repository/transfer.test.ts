import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RepositoryLab, startRepositoryLab } from './support.ts';

let lab: RepositoryLab;
beforeEach(async () => {
  lab = await startRepositoryLab();
  await pool('Target');
});
afterEach(() => lab.close());

async function pool(pool_name: string, more: object = {}): Promise<void> {
  const [server] = (await lab.superuser.send('GET', '/media_servers')).data<{ name: string }[]>();
  const data = { pool_name, pool_type: 'File system', media_server: server?.name, ...more };
  const answer = await lab.superuser.send('POST', '/pools', { data });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
}
const copy = (columns: Parameters<typeof lab.rows.copy>[1] = {}) =>
  lab.rows.copy({ poolId: 1, storageId: 1, clientId: 1 }, columns);
const bring = async (word: 'copying' | 'moving', id: number, target = 'Target') => {
  const answer = await lab.superuser.send('POST', `/repository/${id}/${word}?pool_name=${target}`);
  return { status: answer.status, errors: answer.body.errors };
};
const using = async (copyId: number, task_type: string) => {
  const id = await lab.rows.task({ status: 'new', copyId });
  await lab.app.database.db.updateTable('tasks').set({ task_type }).where('id', '=', id).execute();
  return id;
};

it.each(['copying', 'moving'] as const)(
  '%s hands the queue a task of the copy and both pools',
  async (word) => {
    const id = await copy({ resource: '/srv/data' });
    expect((await bring(word, id)).status).toBe(201);
    expect(lab.tasks).toEqual([
      expect.objectContaining({
        taskType: word === 'copying' ? 'copy' : 'move',
        copyId: id,
        resource: '/srv/data',
        pool: expect.objectContaining({ name: 'Target' }),
        sourcePool: expect.objectContaining({ name: 'Default' }),
      }),
    ]);
  },
);

it('takes full copies only, at any place of the chain (case 134)', async () => {
  const full = await copy();
  const second = await copy({ backup_type: 'incremental', reference_id: full });
  const third = await copy({ backup_type: 'differential', reference_id: full });
  for (const id of [second, third]) {
    for (const word of ['copying', 'moving'] as const) {
      expect(await bring(word, id)).toEqual({
        status: 400,
        errors: { id: expect.stringContaining('only full copies') },
      });
    }
  }
  expect(await bring('moving', full)).toEqual({
    status: 400,
    errors: { id: expect.stringContaining('build on it') },
  });
  expect((await bring('copying', full)).status).toBe(201);
});

it('says of pools that it cannot write to that it cannot', async () => {
  const id = await copy();
  await pool('Sky', { pool_type: 'Cloud' });
  await pool('Theirs', { pool_type: 'Client defined' });
  for (const target of ['Sky', 'Theirs']) {
    for (const word of ['copying', 'moving'] as const) {
      expect(await bring(word, id, target)).toEqual({
        status: 400,
        errors: { pool_name: expect.stringContaining('of type') },
      });
    }
  }
});

it('needs the name of a pool that exists and is another one', async () => {
  const id = await copy();
  for (const word of ['copying', 'moving'] as const) {
    expect((await bring(word, id, 'Default')).status).toBe(400);
    expect((await bring(word, id, 'Nowhere')).status).toBe(404);
    expect((await bring(word, id, '')).status).toBe(400);
    expect((await bring(word, 999)).status).toBe(404);
    expect((await lab.superuser.send('POST', `/repository/${id}/${word}`)).status).toBe(400);
  }
});

it('does not move what is used, and lets nobody use what moves', async () => {
  const id = await copy();
  const verifying = await using(id, 'verify');
  expect((await bring('moving', id)).errors.id).toContain(`task ${verifying}`);
  expect((await bring('copying', id)).status).toBe(201);
  const moved = await copy();
  await using(moved, 'move');
  expect((await bring('copying', moved)).status).toBe(400);
  expect((await bring('moving', moved)).status).toBe(400);
  expect((await lab.superuser.send('POST', `/repository/${moved}/verification`)).status).toBe(400);
  expect((await lab.superuser.send('DELETE', `/repository/${moved}`)).status).toBe(400);
});

it('moves what may not be deleted: its data stay', async () => {
  const now = lab.clock.now();
  await lab.configure({ immutable_archives: true, mandatory_storage_time: 9 });
  const id = await copy({ created_ms: now, store_until_ms: now + 1e9, strategy_rule_id: null });
  expect((await lab.superuser.send('DELETE', `/repository/${id}`)).status).toBe(400);
  expect((await bring('moving', id)).status).toBe(201);
});

it('does not see what is being deleted', async () => {
  const id = await copy({ deleting: 1 });
  expect((await bring('copying', id)).status).toBe(404);
  expect((await bring('moving', id)).status).toBe(404);
});
