import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../../backend/db/index.ts';
import { startTestApp } from '../../../support/backend.ts';
import { type Queue, queueOf } from '../../../support/queue.ts';
import { makeScript, untilWritten } from '../../../support/real-scripts.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

async function ruleWith(queue: Queue, script: string): Promise<number> {
  const rule = {
    client_id: await queue.localClient(),
    strategy_id: 'Default',
    resource_type: 'File system',
    resource: '/etc',
    exception_execution_script: script,
  };
  return (await queue.good<{ id: number }>('POST', '/strategy_rules', { data: { strategy_rule: rule } })).id;
}

it('the exception script runs after a task that the end of the server broke, at the next start, once', {
  timeout: 60_000,
}, async () => {
  const folder = await makeTempDir('broken-script');
  onTestFinished(folder.remove);
  const told = join(folder.path, 'told');
  const script = await makeScript(folder.path, 'exception', [
    `echo "$STRONGROOM_EVENT $STRONGROOM_STATUS $STRONGROOM_TASK_ID $STRONGROOM_ERROR" >> ${told}`,
  ]);
  const dataDir = join(folder.path, 'data');
  await mkdir(dataDir);
  const first = await startTestApp({ started: true, dataDir });
  const queue = queueOf((await first.loginAs('superuser')).send);
  await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: true });
  const ruleId = await ruleWith(queue, script);
  const id = await queue.backup('/etc');
  await first.close();

  // As a server leaves it that is killed while the task runs.
  const { db, close } = await openDatabase({ kind: 'sqlite', path: join(dataDir, 'strongroom.db') });
  await db
    .updateTable('tasks')
    .set({ task_type: 'backup_strategy', strategy_rule_id: ruleId, status: 'transmission', started_ms: 1 })
    .where('id', '=', id)
    .execute();
  await close();

  for (let start = 0; start < 2; start += 1) {
    const again = await startTestApp({ started: true, dataDir });
    await untilWritten(told);
    await again.close();
    expect(await readFile(told, 'utf8')).toMatch(
      new RegExp(`^exception broken ${id} The server ended while this task was running.*\n$`),
    );
  }
});
