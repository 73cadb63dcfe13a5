import { afterEach, expect, it } from 'vitest';
import type { Task } from '../../../contract/tasks/task.ts';
import { openTapeLab, type TapeLab } from './tape-lab.ts';

let lab: TapeLab;
afterEach(() => lab.close());

const begin = async (barcode: string, what: 'labelling' | 'scanning', body?: object): Promise<number> => {
  const { id } = await lab.cartridge(barcode);
  return (await lab.queue.good<{ task_id: number }>('POST', `/cartridges/${id}/${what}`, body)).task_id;
};
const end = async (task: number): Promise<{ readonly task: Task; readonly log: string }> => {
  const ended = await lab.queue.ended(task);
  const lines = await lab.queue.log(task, 'servers');
  return { task: ended, log: lines.map(({ message }) => message).join('\n') };
};

it('a cartridge is labelled by a task; one that holds something only when told to overwrite', async () => {
  lab = await openTapeLab();
  const made = await end(await begin('SR0002L8', 'labelling', {}));
  expect(made.task).toMatchObject({
    status: 'done',
    task_type: 'tape_label',
    resource: 'SR0002L8',
    pool: 'Tapes',
  });
  expect(made.log).toContain('SR0002L8 has a label of pool Tapes');
  const { label_uuid: before, location } = await lab.cartridge('SR0002L8');
  expect([typeof before, location]).toEqual(['string', 'storage']);
  const refused = await end(await begin('SR0002L8', 'labelling', {}));
  expect([refused.task.status, refused.task.error_message]).toEqual([
    'error',
    expect.stringContaining('a label of SR0002L8 in pool Tapes'),
  ]);
  expect((await lab.cartridge('SR0002L8')).label_uuid).toBe(before);
  expect((await end(await begin('SR0002L8', 'labelling', { overwrite: true }))).task.status).toBe('done');
  expect((await lab.cartridge('SR0002L8')).label_uuid).not.toBe(before);
  const { id } = await lab.cartridge('CLN001L1');
  const cleaning = await lab.queue.call('POST', `/cartridges/${id}/labelling`, {});
  expect([cleaning.status, Object.keys(cleaning.body.errors)]).toEqual([400, ['label']]);
});

it('a lost catalogue comes back by tasks, which tell the parts they find; a cartridge that is away is waited for', async () => {
  lab = await openTapeLab();
  const { queue } = lab;
  for (const _copy of [1, 2]) {
    expect((await queue.ended(await queue.backup(lab.source, { pool: 'Tapes' }))).status).toBe('done');
  }
  const { db } = lab.app.database;
  await db.deleteFrom('copies').execute();
  await db.deleteFrom('tape_parts').execute();
  const scan = await end(await begin('SR0001L8', 'scanning'));
  expect(scan.task).toMatchObject({ status: 'done', task_type: 'tape_scan', resource: 'SR0001L8' });
  expect(scan.log).toMatch(/2 parts of copies were read[\s\S]*In the catalogue again: copy \d+, copy \d+/);
  expect(await queue.copies()).toHaveLength(2);
  // Taken out behind the back of the catalogue: the task says which one to bring, and goes on then.
  const all = ['SR0001L8', 'SR0002L8', 'SR0003L8', 'CLN001L1'];
  await queue.good('PATCH', `/virtual_libraries/${lab.virtual}`, { cartridges: all.slice(1) });
  const task = await begin('SR0001L8', 'scanning');
  const waiting = await queue.until(task, ({ status }) => status === 'suspended');
  expect(waiting.error_message).toContain('The cartridge SR0001L8 is not in the library of pool Tapes');
  expect((await lab.inside(all)).status).toBe(200);
  await queue.good('POST', `/tasks/${task}/continue`, { data: { task_id: task } });
  expect((await end(task)).task.status).toBe('done');
});
