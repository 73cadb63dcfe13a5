import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { nobody, type Stage } from './stage.ts';

/** Copies of a real backup. */
export async function repositoryCases(stage: Stage): Promise<void> {
  const { probe, queue, source, folder } = stage;
  await mkdir(join(folder, 'second'));
  await queue.addPool('Second', join(folder, 'second'));
  await queue.good('PATCH', '/global_configuration', {
    dont_delete_last_gs_rule_archive: false,
    dont_delete_last_strategy_rule_archive: false,
  });
  const copyOf = async (): Promise<number> =>
    Number((await queue.ended(await queue.backup(source))).repository_id);
  const [first, second, third] = [await copyOf(), await copyOf(), await copyOf()];
  const listed = (await probe.see(200, 'GET /repository')).data<{ id: number }[]>();
  expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([first, second, third]));
  const one = await probe.see(200, 'GET /repository/{id}', { id: first });
  expect(one.data()).toMatchObject({ id: first, backup_type: 'full', pool: 'Default' });
  await probe.see(200, 'GET /repository/extension');
  await probe.see(200, 'GET /repository/extension', { query: { repository_id: String(first) } });
  const chains = await probe.see(200, 'POST /repository/deletion_reference_chain', {
    body: { ids: [first] },
  });
  expect(chains.data()).toEqual([{ id: first, dependencies: [] }]);
  await retentionCases(stage, first);
  await taskCases(stage, first);

  await probe.see(404, 'DELETE /repository', { body: { ids: [second, nobody] } });
  await probe.see(200, 'DELETE /repository', { body: { ids: [second] } });
  await probe.see(200, 'DELETE /repository/{id}', { id: third });
  await probe.see(404, 'DELETE /repository/{id}', { id: third });
}

async function retentionCases({ probe }: Stage, id: number): Promise<void> {
  const until = (store_until: string) => ({ data: { store_until } });
  const kept = '2099-01-31T23:59:59.123456';
  const changed = await probe.see(200, 'PATCH /repository/{id}', { id, body: until(kept) });
  expect(changed.data()).toMatchObject({ id, store_until: kept });
  await probe.see(400, 'PATCH /repository/{id}', { id, body: until('1999-01-01T00:00:00') });
  await probe.see(400, 'PATCH /repository/{id}', { id, body: until('tomorrow') });
  await probe.see(404, 'PATCH /repository/{id}', { id: nobody, body: until(kept) });
}

/** What becomes a task: each is awaited, so that the next finds the copy free. */
async function taskCases({ probe, queue, client, folder }: Stage, id: number): Promise<void> {
  const done = async (row: string, details: object): Promise<void> => {
    const answer = await probe.see(201, row, { id, ...details });
    const { task_id: task } = answer.data<{ task_id: number }>();
    const ended = await queue.ended(task);
    expect([row, ended.status, ended.error_message]).toEqual([row, 'done', null]);
  };
  const path = 'POST /repository/{id}';
  await done(`${path}/verification`, {});
  await probe.see(404, `${path}/verification`, { id: nobody });
  const restore = { target_client: client, destination_path: join(folder, 'restored') };
  await done(`${path}/restoring`, { body: { data: { restore_task: restore } } });
  const relative = { ...restore, destination_path: 'not/absolute' };
  await probe.see(400, `${path}/restoring`, { id, body: { data: { restore_task: relative } } });
  await probe.see(404, `${path}/restoring`, { id: nobody, body: { data: { restore_task: restore } } });
  await done(`${path}/copying`, { query: { pool_name: 'Second' } });
  await probe.see(404, `${path}/copying`, { id, query: { pool_name: 'no such pool' } });
  await probe.see(404, `${path}/copying`, { id: nobody, query: { pool_name: 'Second' } });
  await done(`${path}/moving`, { query: { pool_name: 'Second' } });
  await probe.see(404, `${path}/moving`, { id: nobody, query: { pool_name: 'Second' } });
}
