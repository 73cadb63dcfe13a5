import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestApp } from '../../../support/backend.ts';
import { makeSmallFolder, queueOf } from '../../../support/queue.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

it('a run of a strategy for an incremental copy makes a full one, is called so, and says it', async () => {
  const folder = await makeTempDir('kind-of-copy');
  const app = await startTestApp({ started: true });
  try {
    const source = join(folder.path, 'source');
    await makeSmallFolder(source);
    const { send } = await app.loginAs('superuser');
    const queue = queueOf(send);
    const serviceMode = (isOn: boolean) =>
      queue.good('PATCH', '/global_configuration/service_mode', { service_mode: isOn });
    await serviceMode(true);
    const id = await queue.backup(source);
    // As the scheduler leaves it: the API itself takes full ones only.
    await app.built.features.db
      .updateTable('tasks')
      .set({ backup_type: 'incremental', task_type: 'backup_strategy' })
      .where('id', '=', id)
      .execute();
    await serviceMode(false);
    const task = await queue.ended(id);
    expect(task.status).toBe('done');
    expect(await queue.copy(Number(task.repository_id))).toMatchObject({
      backup_type: 'full',
      reference_id: null,
    });
    const lines = (await queue.log(id, 'servers')).map(({ level, message }) => `${level}: ${message}`);
    expect(lines).toContain(
      'warning: This server makes full copies only: in place of the incremental copy of the strategy a full one is made.',
    );
  } finally {
    await app.close();
    await folder.remove();
  }
});
