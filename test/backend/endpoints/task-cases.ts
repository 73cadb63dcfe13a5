import { expect } from 'vitest';
import { nobody, type Stage } from './stage.ts';

type Draft = (resource: string, more?: object) => Promise<object>;

/** A task that waits: in service mode nothing is begun. */
async function waiting({ queue, probe, source }: Stage): Promise<number> {
  return probe.create('POST /task_queue', { data: await queue.draft(source) });
}

/** The queue in both families, with tasks that never run. */
export async function taskCases(stage: Stage): Promise<void> {
  const { probe, queue, source } = stage;
  const draft: Draft = queue.draft;
  await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: true });
  await probe.create('POST /task_queue', await draft(source));
  await probe.see(200, 'GET /task_queue');
  const list = await probe.see(200, 'GET /tasks', { query: { status: 'new', sort: 'id', order: 'desc' } });
  const [first] = list.data<{ id: number }[]>().map(({ id }) => id);
  await probe.see(200, 'GET /task_queue/{id}', { id: first });
  await probe.see(404, 'GET /task_queue/{id}', { id: nobody });
  await probe.see(200, 'GET /tasks/{task_id}', { id: first });
  await probe.see(404, 'GET /tasks/{task_id}', { id: nobody });
  await probe.see(200, 'GET /tasks/{task_id}/info/clients', { id: first });
  await probe.see(200, 'GET /tasks/{task_id}/info/servers', { id: first });
  await probe.see(200, 'GET /task_queue/extension', { query: { resource_type: 'File system' } });
  await probe.see(200, 'GET /tasks/extensions', { query: { resourse_type: 'File system' } });
  await operationCases(stage, Number(first));
  await deletionCases(stage);
  await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: false });
  for (const { id } of await queue.tasks()) await queue.ended(id);
}

async function operationCases({ probe }: Stage, id: number): Promise<void> {
  await probe.see(204, 'POST /tasks/{task_id}/pause', { id });
  await probe.see(400, 'POST /tasks/{task_id}/pause', { id });
  const go = { data: { task_id: id } };
  await probe.see(400, 'POST /tasks/{task_id}/continue', { id, body: { data: { task_id: id + 1 } } });
  await probe.see(204, 'POST /tasks/{task_id}/continue', { id, body: go });
  await probe.see(400, 'POST /tasks/{task_id}/continue', { id, body: go });
  const again = { data: { tasks_ids: [id] } };
  await probe.see(400, 'POST /tasks/restart', { body: again });
  await probe.see(204, 'POST /tasks/{task_id}/kill', { id });
  await probe.see(400, 'POST /tasks/{task_id}/kill', { id });
  await probe.see(204, 'POST /tasks/restart', { body: again });
}

/** Every way to remove tasks, by id and by status. */
async function deletionCases(stage: Stage): Promise<void> {
  const { probe } = stage;
  const killed = async (): Promise<number> => {
    const id = await waiting(stage);
    await probe.see(204, 'POST /tasks/{task_id}/kill', { id });
    return id;
  };
  const first = await killed();
  await probe.see(404, 'DELETE /task_queue', { body: { ids: [first, nobody] } });
  await probe.see(200, 'DELETE /task_queue', { body: { ids: [first] } });
  const second = await killed();
  await probe.see(404, 'DELETE /tasks', { body: { ids: [second, nobody] } });
  await probe.see(204, 'DELETE /tasks', { body: { ids: [second] } });
  const third = await killed();
  await probe.see(200, 'DELETE /task_queue/{id}', { id: third });
  await probe.see(404, 'DELETE /task_queue/{id}', { id: third });
  const [fourth, fifth] = [await killed(), await killed()];
  const removed = await probe.see(200, 'DELETE /task_queue/{status}', { id: 'KILLED' });
  expect(removed.data()).toEqual({ ids: [fourth, fifth] });
  for (const id of ['killed', 'obsoleted', 'error']) {
    await probe.see(404, 'DELETE /task_queue/{status}', { id });
  }
}
