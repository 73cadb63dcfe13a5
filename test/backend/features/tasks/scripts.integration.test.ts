import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTaskStore } from '../../../../backend/features/tasks/task-store.ts';
import type { Task } from '../../../../contract/tasks/task.ts';
import { startTestApp, type TestApp } from '../../../support/backend.ts';
import { makeBigFolder, makeSmallFolder, type Queue, queueOf } from '../../../support/queue.ts';
import { isAlive, makeScript, untilGone, untilWritten } from '../../../support/real-scripts.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';
import { rowsOf } from '../rows.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let app: TestApp;
let queue: Queue;
let source: string;
let isOpen: boolean;
beforeEach(async () => {
  folder = await makeTempDir('scripts');
  source = join(folder.path, 'source');
  await makeSmallFolder(source);
  app = await startTestApp({ started: true, scriptTimeoutMs: 8_000 });
  isOpen = true;
  queue = queueOf((await app.loginAs('superuser')).send);
});
afterEach(async () => {
  if (isOpen) await app.close();
  await folder.remove();
});

const file = (name: string) => join(folder.path, name);
const script = (name: string, ...lines: readonly string[]) => makeScript(folder.path, name, lines);

async function addRule(scripts: object): Promise<number> {
  const rule = {
    client_id: await queue.localClient(),
    strategy_id: 'Default',
    resource_type: 'File system',
    resource: source,
    ...scripts,
  };
  const answer = await queue.good<{ id: number }>('POST', '/strategy_rules', {
    data: { strategy_rule: rule },
  });
  return answer.id;
}

/** A task of the rule, as the scheduler makes it. */
async function start(
  ruleId: number,
  more: { readonly resource?: string; readonly clientId?: number; readonly poolId?: number } = {},
) {
  const [client] = await queue.good<{ id: number }[]>('GET', '/clients');
  const text = await queue.localClient();
  const [id = 0] = await app.database.db.transaction().execute((tx) =>
    createTaskStore(tx).insertMany(
      [
        {
          taskType: 'backup_strategy',
          resourceType: 'File system',
          resource: more.resource ?? source,
          client: { id: more.clientId ?? client?.id ?? 0, text },
          backupType: 'full',
          pool: { id: more.poolId ?? 1, name: 'Default' },
          mediaServer: { id: 1, name: 'vm' },
          crypto: 'nocrypt',
          strategyRuleId: ruleId,
          createdBy: null,
        },
      ],
      Date.now(),
    ),
  );
  return id;
}

/** The line of the client's log with these words. */
const line = (id: number, words: string) =>
  vi.waitFor(
    async () => {
      const found = (await queue.log(id, 'clients')).find(({ message }) => message.includes(words));
      if (!found) throw new Error(`no line with: ${words}`);
      return found;
    },
    { timeout: 30_000, interval: 20 },
  );

const variables = async (name: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await untilWritten(file(name)))
      .trimEnd()
      .split('\n')
      .filter((text) => text.startsWith('STRONGROOM_'))
      .map((text) => text.split(/=(.*)/s).slice(0, 2)),
  );
/** Written under another name first, so that whoever waits for it finds all of it. */
const tellAll = (name: string) => [
  `env > ${file(`${name}.part`)}`,
  `mv ${file(`${name}.part`)} ${file(name)}`,
];

describe('the scripts of a rule', { timeout: 120_000 }, () => {
  it('the normal one runs once the copy is in the catalogue and is told of it; its output is in the log', async () => {
    const normal = await script('normal', ...tellAll('told'), 'echo all is well');
    const ruleId = await addRule({ normal_execution_script: normal, exception_execution_script: '/nowhere' });
    const id = await start(ruleId);
    const task = await queue.ended(id);
    expect(task.status).toBe('done');
    expect(await variables('told')).toEqual({
      STRONGROOM_RUN_ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      STRONGROOM_EVENT: 'normal',
      STRONGROOM_STATUS: 'done',
      STRONGROOM_ERROR: '',
      STRONGROOM_TASK_ID: String(id),
      STRONGROOM_TASK_TYPE: 'backup_strategy',
      STRONGROOM_ATTEMPT: '1',
      STRONGROOM_RULE_ID: String(ruleId),
      STRONGROOM_CLIENT: await queue.localClient(),
      STRONGROOM_RESOURCE_TYPE: 'File system',
      STRONGROOM_RESOURCE: source,
      STRONGROOM_BACKUP_TYPE: 'full',
      STRONGROOM_POOL: 'Default',
      STRONGROOM_COPY_ID: String(task.repository_id),
      STRONGROOM_DESTINATION: '',
      STRONGROOM_DEPLOYMENT: 'no',
    });
    expect(await line(id, `${normal}: all is well`)).toMatchObject({ level: 'info' });
    expect(await line(id, 'ended well')).toMatchObject({ level: 'info' });
    expect((await queue.log(id, 'clients')).some(({ message }) => message.includes('/nowhere'))).toBe(false);
  });

  it('the exception one runs after an error, with the reason, and after a kill', async () => {
    const exception = await script('exception', ...tellAll('told'));
    const ruleId = await addRule({
      normal_execution_script: '/nowhere',
      exception_execution_script: exception,
    });
    const failed = await queue.ended(await start(ruleId, { resource: file('gone') }));
    expect(failed.status).toBe('error');
    expect(await variables('told')).toMatchObject({
      STRONGROOM_EVENT: 'exception',
      STRONGROOM_STATUS: 'error',
      STRONGROOM_ERROR: failed.error_message,
      STRONGROOM_COPY_ID: '',
    });
    await line(failed.id, 'ended well');
    await rm(file('told'));

    await makeBigFolder(file('big'), 160);
    await mkdir(file('slow'));
    await queue.addPool('Slow', file('slow'));
    await queue.slowDown('backup', 4);
    const id = await start(ruleId, { resource: file('big'), poolId: 2 });
    await queue.moving(id);
    await queue.good('POST', `/tasks/${id}/kill`);
    expect(await variables('told')).toMatchObject({
      STRONGROOM_TASK_ID: String(id),
      STRONGROOM_STATUS: 'killed',
    });
    await queue.fullSpeed();
  });

  it('a script that hangs, fails or is missing costs no copy and holds up no task; the log says what is wrong', async () => {
    const hanging = await script('hanging', `sleep 1000 & echo $! > ${file('child')}`, 'wait');
    const hung = await start(await addRule({ normal_execution_script: hanging }));
    expect((await queue.ended(hung)).status).toBe('done');
    const child = Number(await untilWritten(file('child')));
    // The script still hangs, and the queue goes on.
    const next = await queue.backup(source);
    await queue.until(next, ({ started }) => started !== null);
    expect(await isAlive(child)).toBe(true);
    expect((await queue.ended(next)).status).toBe('done');
    expect(await line(hung, 'did not end within 8 s')).toMatchObject({ level: 'error' });
    await untilGone(child);
    for (const [path, words] of [
      [await script('failing', 'echo cannot >&2', 'exit 3'), 'exit code 3'],
      [file('missing'), 'is not there'],
    ] as const) {
      const id = await start(await addRule({ normal_execution_script: path }));
      expect((await queue.ended(id)).status).toBe('done');
      expect(await line(id, words)).toMatchObject({ level: 'error' });
      expect((await queue.task(id)).status).toBe('done');
    }
    expect(await queue.copies()).toHaveLength(4);
  });

  it('of many tasks all run, four at a time at most', async () => {
    const path = await script('count', `echo + >> ${file('ran')}`, 'sleep 1', `echo - >> ${file('ran')}`);
    const ruleId = await addRule({ normal_execution_script: path });
    const ids: number[] = [];
    for (let number = 0; number < 7; number += 1) ids.push(await start(ruleId));
    for (const id of ids) await line(id, 'ended well');
    let now = 0;
    const counts = (await readFile(file('ran'), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((sign) => {
        now += sign === '+' ? 1 : -1;
        return now;
      });
    expect(counts).toHaveLength(14);
    expect(Math.max(...counts)).toBeLessThanOrEqual(4);
  });

  it('are not run on this host for a client that is another one', async () => {
    const ruleId = await addRule({
      exception_execution_script: await script('other', `echo ran > ${file('ran')}`),
    });
    const other = await rowsOf(app.database.db).client();
    await queue.good('PATCH', '/global_configuration', { kill_task_of_offline_client: 'yes' });
    const id = await start(ruleId, { clientId: other });
    expect((await queue.ended(id)).status).toBe('killed');
    expect(await line(id, 'the client is offline')).toMatchObject({ level: 'warning' });
    await expect(readFile(file('ran'))).rejects.toThrow('ENOENT');
  });

  it('a stop of the server ends those that run, with all that they started', async () => {
    const path = await script(
      'endless',
      "trap '' TERM",
      `sleep 1000 & echo $! > ${file('child')}`,
      'wait',
      'wait',
    );
    const id = await start(await addRule({ normal_execution_script: path }));
    expect((await queue.ended(id)).status).toBe('done');
    const child = Number(await untilWritten(file('child')));
    isOpen = false;
    await app.close();
    await untilGone(child);
  });
});

describe('the restore script', { timeout: 120_000 }, () => {
  const copyOf = async (restoreScript: string): Promise<number> => {
    const task: Task = await queue.ended(await start(await addRule({ restore_script: restoreScript })));
    expect(task.status).toBe('done');
    return Number(task.repository_id);
  };
  const restoreTo = async (copyId: number, name: string): Promise<number> => {
    await mkdir(file(name));
    return queue.restore(copyId, file(name));
  };

  it('runs when the files are in their place, before the task ends', async () => {
    const path = await script(
      'after',
      `test -f ${file('target')}/source/note.txt && ls $STRONGROOM_DESTINATION`,
      ...tellAll('told'),
    );
    const id = await restoreTo(await copyOf(path), 'target');
    expect((await queue.ended(id)).status).toBe('done');
    expect(await variables('told')).toMatchObject({
      STRONGROOM_EVENT: 'restore',
      STRONGROOM_TASK_ID: String(id),
      STRONGROOM_TASK_TYPE: 'restore',
      STRONGROOM_STATUS: 'at_server',
      STRONGROOM_DESTINATION: file('target'),
    });
    expect((await queue.log(id, 'clients')).map(({ message }) => message)).toContain(`${path}: source`);
  });

  it('that fails ends the task in error; the files stay, and other tasks go on', async () => {
    const id = await restoreTo(await copyOf(await script('failing', 'exit 4')), 'target');
    const task = await queue.ended(id);
    expect([task.status, task.error_message]).toEqual(['error', expect.stringContaining('exit code 4')]);
    expect(await readFile(join(file('target'), 'source', 'note.txt'), 'utf8')).toBe('a note\n');
    expect((await queue.ended(await queue.backup(source))).status).toBe('done');
  });

  it('that hangs is killed with its children at a kill of the task', async () => {
    const path = await script(
      'hanging',
      `sleep 1000 & echo $! > ${file('child')}`,
      `setsid sh -c 'echo $$ > ${file('away')}; exec sleep 1000' &`,
      'wait',
    );
    const id = await restoreTo(await copyOf(path), 'target');
    const child = Number(await untilWritten(file('child')));
    const away = Number(await untilWritten(file('away')));
    expect((await queue.task(id)).status).toBe('at_server');
    await queue.good('POST', `/tasks/${id}/kill`);
    expect((await queue.ended(id)).status).toBe('killed');
    await untilGone(child);
    await untilGone(away);
  });
});
