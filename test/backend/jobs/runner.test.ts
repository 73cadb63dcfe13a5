import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../backend/db/index.ts';
import { createRunner, type Runner, type Work } from '../../../backend/jobs/index.ts';
import { silentLog } from '../../../backend/platform/log.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let database: Awaited<ReturnType<typeof openDatabase>>;
let runner: Runner;

beforeEach(async () => {
  folder = await makeTempDir('runner');
  database = await openDatabase({ kind: 'sqlite', path: join(folder.path, 'queue.db') });
});
afterEach(async () => {
  await runner.stop();
  await database.close();
  await folder.remove();
});

const patient = { timeout: 10_000 };
const db = () => database.db;
async function add(): Promise<number> {
  const empty = { progress: 0, archiving: 0, attempt: 1, claim: 0, transferred: 0, speed: 0 } as const;
  const row = await db()
    .insertInto('tasks')
    .values({ ...empty, task_type: 'backup_urgent', status: 'new', priority: 100, created_ms: 0 })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}
const statusOf = async (id: number): Promise<string> =>
  (await db().selectFrom('tasks').select('status').where('id', '=', id).executeTakeFirstOrThrow()).status;
/** What the task service does when a person acts: first the row, then the running work. */
async function act(id: number, status: string, signal: (id: number) => void): Promise<void> {
  await db().updateTable('tasks').set({ status, suspend_reason: 'user' }).where('id', '=', id).execute();
  signal(id);
}

function startRunner(work: Work): Promise<void> {
  let monotonicMs = 0;
  runner = createRunner({
    db: db(),
    clock: { now: () => 1_000, monotonic: () => (monotonicMs += 1) },
    log: silentLog,
    work: { backup_urgent: work },
    settings: async () => ({ serviceMode: false, restartSuspendedAfterMs: 60_000 }),
    writeLog: async () => {},
    changed: () => {},
    live: { set: () => {}, clear: () => {} },
    mostAtOnce: 1,
  });
  return runner.start();
}

describe('the queue', () => {
  it('goes on with other tasks while one is paused', async () => {
    const first = await add();
    const second = await add();
    await startRunner(async (context) => {
      // Work that goes on until somebody stops it.
      if (context.task.id === first) {
        await new Promise<void>((resolve) =>
          context.attach({ pause: () => {}, resume: () => {}, stop: resolve }),
        );
      }
      return { kind: 'done', skippedItems: 0, transferredBytes: 0 };
    });
    await expect.poll(() => statusOf(first), patient).toBe('assigned');
    expect(await statusOf(second)).toBe('new');
    await act(first, 'suspended', runner.pause);
    await expect.poll(() => statusOf(second), patient).toBe('done');
    expect(await statusOf(first)).toBe('suspended');
  });

  it('takes back what a task has made that was killed when its work had just ended', async () => {
    const id = await add();
    let undone = 0;
    await startRunner(async () => {
      await act(id, 'killed', runner.kill);
      return {
        kind: 'done',
        skippedItems: 0,
        transferredBytes: 0,
        commit: async () => {
          throw new Error('nothing of a killed task is written');
        },
        undo: async () => {
          undone += 1;
        },
      };
    });
    await expect.poll(() => undone, patient).toBe(1);
    expect(await statusOf(id)).toBe('killed');
  });
});
