import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTaskStore } from '../../../backend/features/tasks/task-store.ts';
import {
  createRunner,
  type Runner,
  type Work,
  type WorkContext,
  WorkStopped,
} from '../../../backend/jobs/index.ts';
import { systemClock } from '../../../backend/platform/clock.ts';
import { silentLog } from '../../../backend/platform/log.ts';
import { startTestApp, type TestApp } from '../../support/backend.ts';

let app: TestApp;
let runner: Runner;
let works: Record<string, Work>;
/** How often the settings were read, and what happens right after. */
let looks = 0;
let afterLook: (() => Promise<void>) | null = null;
let isServiceMode: boolean;
/** By so much the runner's clock is ahead. */
let laterMs: number;
const lines: string[] = [];
/** Whose end was told. */
let ends: string[];

beforeEach(async () => {
  lines.length = 0;
  ends = [];
  works = {};
  isServiceMode = false;
  looks = 0;
  afterLook = null;
  laterMs = 0;
  app = await startTestApp();
  runner = make();
});
afterEach(async () => {
  await runner.stop();
  await app.close();
});

const make = (): Runner =>
  createRunner({
    db: app.database.db,
    clock: { now: systemClock.now, monotonic: () => systemClock.monotonic() + laterMs },
    log: silentLog,
    work: works,
    settings: async () => {
      const seen = { serviceMode: isServiceMode, restartSuspendedAfterMs: 60_000 };
      looks += 1;
      await afterLook?.();
      return seen;
    },
    writeLog: async (id, _side, _level, message) => {
      lines.push(`${id}: ${message}`);
    },
    changed: () => undefined,
    ended: ({ id, status }) => ends.push(`${id}: ${status}`),
    live: { set: () => undefined, clear: () => undefined },
  });

const add = (taskType: string, priority = 100): Promise<number> =>
  createTaskStore(app.database.db).insert(
    { taskType, resourceType: null, resource: null, client: null, createdBy: null, priority },
    Date.now(),
  );
const row = (id: number) =>
  app.database.db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const set = (id: number, values: object) =>
  app.database.db.updateTable('tasks').set(values).where('id', '=', id).execute();
const becomes = (id: number, status: string) =>
  expect.poll(async () => (await row(id)).status, { timeout: 10_000 }).toBe(status);

/** Work that goes on until it is told to end, and says what was asked of it. */
function held() {
  const asked: string[] = [];
  let context: WorkContext | null = null;
  let release: () => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const work: Work = async (given) => {
    context = given;
    await given.moveTo('execution');
    await new Promise<void>((resolve, reject) => {
      release = resolve;
      fail = reject;
      given.attach({
        pause: () => asked.push('pause'),
        resume: () => asked.push('resume'),
        stop: () => {
          asked.push('stop');
          reject(new WorkStopped());
        },
      });
    });
    return { kind: 'done', skippedItems: null, transferredBytes: 5 };
  };
  return {
    work,
    asked,
    begun: () => context !== null,
    report: (bytesDone: number, currentPath: string | null) =>
      context?.progress({
        ...{ bytesDone, bytesTotal: null, filesDone: 0, filesTotal: null },
        ...{ currentPath, transferredBytes: 0 },
      }),
    release: () => release(),
    fail: (error: Error) => fail(error),
  };
}

it('a task runs from new to done, once', async () => {
  let runs = 0;
  works.verify = async (context) => {
    runs += 1;
    await context.moveTo('execution');
    return { kind: 'done', skippedItems: 0, transferredBytes: 7 };
  };
  const id = await add('verify');
  await runner.start();
  await becomes(id, 'done');
  expect(await row(id)).toMatchObject({ progress: 100, transferred: 7, speed: 0 });
  runner.wake();
  expect(runs).toBe(1);
});

it('a type without work ends in an error that says so', async () => {
  const id = await add('move');
  await runner.start();
  await becomes(id, 'error');
  expect((await row(id)).error_message).toContain('move');
});

it('a task that was paused or killed in the moment of its start obeys all the same', async () => {
  const paused = held();
  const killed = held();
  works.verify = async (context) => {
    // As a person would do it, before the work has moved.
    await set(context.task.id, { status: 'suspended', suspend_reason: 'user', paused_status: 'assigned' });
    return paused.work(context);
  };
  works.restore = async (context) => {
    await set(context.task.id, { status: 'killed' });
    return killed.work(context);
  };
  const [first, second] = [await add('verify'), await add('restore')];
  await runner.start();
  await expect.poll(() => runner.running(), { timeout: 10_000 }).toEqual([first]);
  expect((await row(second)).status).toBe('killed');
  await set(first, { status: 'assigned', suspend_reason: null });
  runner.resume(first);
  await becomes(first, 'execution');
  await expect.poll(paused.begun).toBe(true);
  paused.release();
  await becomes(first, 'done');
});

it('a restarted task waits until its earlier work has ended', async () => {
  let going = 0;
  let most = 0;
  const releases: (() => void)[] = [];
  works.verify = async (context) => {
    going += 1;
    most = Math.max(most, going);
    await context.moveTo('execution');
    context.attach({ pause: () => undefined, resume: () => undefined, stop: () => undefined });
    await new Promise<void>((resolve) => releases.push(resolve));
    going -= 1;
    return { kind: 'done', skippedItems: null, transferredBytes: 0 };
  };
  const id = await add('verify');
  await runner.start();
  await becomes(id, 'execution');
  await expect.poll(() => releases.length).toBe(1);
  await set(id, { status: 'killed' });
  runner.kill(id);
  await set(id, { status: 'restarting', attempt: 2 });
  runner.wake();
  await becomes(id, 'new');
  const other = await add('verify');
  runner.wake();
  await becomes(other, 'execution');
  expect((await row(id)).status).toBe('new');
  releases[0]?.();
  await becomes(id, 'execution');
  await expect.poll(() => releases.length).toBe(3);
  for (const end of releases) end();
  await becomes(id, 'done');
  await becomes(other, 'done');
  expect(most).toBe(2);
});

it('the end of a killed task is told once, whether or not it was being worked on, if it had begun', async () => {
  const first = held();
  works.verify = first.work;
  await runner.start();
  const begun = { started_ms: 1 };
  const paused = { ...begun, status: 'suspended', suspend_reason: 'user', paused_status: 'execution' };
  const waiting = { ...begun, status: 'suspended', suspend_reason: 'resource', suspended_ms: Date.now() };
  const kill = async (id: number, values: object): Promise<void> => {
    await set(id, { ...values, status: 'killed' });
    runner.kill(id);
  };
  const idle = [];
  for (const values of [paused, waiting]) {
    const id = await add('restore');
    await set(id, values);
    await kill(id, { suspend_reason: null });
    idle.push(`${id}: killed`);
    await expect.poll(() => ends).toEqual(idle);
  }
  isServiceMode = true;
  await kill(await add('restore'), {});
  isServiceMode = false;
  const live = await add('verify');
  runner.wake();
  await expect.poll(first.begun, { timeout: 10_000 }).toBe(true);
  await kill(live, {});
  await expect.poll(() => ends, { timeout: 10_000 }).toEqual([...idle, `${live}: killed`]);
  expect(runner.running()).toEqual([]);
});

it('a task that is killed while its work is about to begin has one end', async () => {
  works.verify = async (context) => {
    await set(context.task.id, { status: 'killed' });
    runner.kill(context.task.id);
    runner.kill(context.task.id);
    await context.moveTo('execution');
    return { kind: 'done', skippedItems: null, transferredBytes: 0 };
  };
  const id = await add('verify');
  await runner.start();
  await expect.poll(() => ends, { timeout: 10_000 }).toEqual([`${id}: killed`]);
  runner.kill(id);
  runner.kill(id);
  works.restore = async () => ({ kind: 'done', skippedItems: null, transferredBytes: 0 });
  const other = await add('restore');
  runner.wake();
  await expect.poll(() => ends, { timeout: 10_000 }).toEqual([`${id}: killed`, `${other}: done`]);
});

it('killed work that does not end, since a call of it hangs, holds up the queue for 20 s and no longer', async () => {
  const releases: (() => void)[] = [];
  works.verify = async (context) => {
    await context.moveTo('execution');
    context.attach({ pause: () => undefined, resume: () => undefined, stop: () => undefined });
    await new Promise<void>((resolve) => releases.push(resolve));
    return { kind: 'done', skippedItems: null, transferredBytes: 0 };
  };
  works.restore = async () => ({ kind: 'done', skippedItems: null, transferredBytes: 0 });
  const hung = [await add('verify'), await add('verify')];
  await runner.start();
  for (const id of hung) await becomes(id, 'execution');
  for (const id of hung) {
    await set(id, { status: 'killed' });
    runner.kill(id);
  }
  const next = await add('restore');
  laterMs = 15_000;
  runner.wake();
  // The look at the queue takes in what was added before it.
  await expect.poll(() => releases.length).toBe(2);
  expect((await row(next)).status).toBe('new');
  laterMs = 25_000;
  runner.wake();
  await becomes(next, 'done');
  for (const release of releases) release();
});

it('a task that is removed right after its kill takes nothing with it', async () => {
  const first = held();
  works.verify = first.work;
  const id = await add('verify');
  await runner.start();
  await becomes(id, 'execution');
  await expect.poll(first.begun).toBe(true);
  await set(id, { status: 'killed' });
  await app.database.db.deleteFrom('tasks').where('id', '=', id).execute();
  runner.kill(id);
  await expect.poll(() => runner.running(), { timeout: 10_000 }).toEqual([]);
  works.verify = async () => ({ kind: 'done', skippedItems: null, transferredBytes: 0 });
  const next = await add('verify');
  runner.wake();
  await becomes(next, 'done');
});

it('a failure that nobody expected ends the task, not the server', async () => {
  works.verify = async () => {
    throw new TypeError('a mistake');
  };
  const id = await add('verify');
  await runner.start();
  await becomes(id, 'error');
  expect(lines).toEqual([`${id}: a mistake`]);
});

it('at the end of the server running work waits for the next start, as does a continued task that nobody works on', async () => {
  const first = held();
  works.verify = first.work;
  const id = await add('verify');
  await runner.start();
  await becomes(id, 'execution');
  await expect.poll(first.begun).toBe(true);
  await runner.stop();
  expect(first.asked).toEqual(['stop']);
  expect(await row(id)).toMatchObject({ status: 'new', progress: 0, started_ms: null });

  const second = await add('verify');
  await set(second, { status: 'transmission' });
  const another = make();
  await another.start();
  expect((await row(second)).status).toBe('broken');
  await another.stop();
  await set(second, { status: 'transmission' });
  await runner.stop();
  expect((await row(second)).status).toBe('new');
});

it('service mode lets running work end and starts nothing', async () => {
  const first = held();
  works.verify = first.work;
  const id = await add('verify');
  await runner.start();
  await becomes(id, 'execution');
  await expect.poll(first.begun).toBe(true);
  isServiceMode = true;
  const later = await add('verify');
  runner.wake();
  first.release();
  await becomes(id, 'done');
  expect((await row(later)).status).toBe('new');
});

it('service mode that begins while the queue is looked at keeps what comes after it waiting', async () => {
  let runs = 0;
  works.verify = async () => {
    runs += 1;
    return { kind: 'done', skippedItems: 0, transferredBytes: 0 };
  };
  await runner.start();
  let later: number | null = null;
  afterLook = async () => {
    afterLook = null;
    isServiceMode = true;
    later = await add('verify');
  };
  runner.wake();
  await expect.poll(() => later).not.toBe(null);
  const before = looks;
  // No look at the queue reads them more than twice when there is one task.
  const lookAgain = () => {
    runner.wake();
    return looks;
  };
  await expect.poll(lookAgain, { timeout: 10_000 }).toBeGreaterThan(before + 4);
  expect(runs).toBe(0);
  isServiceMode = false;
  runner.wake();
  await becomes(Number(later), 'done');
});

it('a task whose work does not move any more says so in its log, once, and when it moves again', async () => {
  const work = held();
  works.verify = work.work;
  const id = await add('verify');
  await runner.start();
  await becomes(id, 'execution');
  const said = () => lines.filter((line) => /moved|moves/.test(line));
  laterMs += 60 * 60_000;
  work.report(7, '/mnt/far/letter.txt');
  laterMs += 14 * 60_000;
  work.report(7, '/mnt/far/letter.txt');
  await set(id, { status: 'suspended', suspend_reason: 'user' });
  runner.pause(id);
  laterMs += 60 * 60_000;
  await expect.poll(() => work.asked).toEqual(['pause']);
  await set(id, { status: 'execution' });
  runner.resume(id);
  await expect.poll(() => work.asked).toEqual(['pause', 'resume']);
  expect(said()).toEqual([]);
  laterMs += 16 * 60_000;
  const stalled = expect.stringMatching(/Nothing has moved for 15 minutes.*letter\.txt.*killed/);
  await expect.poll(said, { timeout: 10_000 }).toEqual([stalled]);
  laterMs += 16 * 60_000;
  work.report(8, '/mnt/far/next.txt');
  await expect
    .poll(said, { timeout: 10_000 })
    .toEqual([stalled, expect.stringMatching(/moves again, after \d+ minutes/)]);
  work.release();
  await becomes(id, 'done');
  expect(said()).toHaveLength(2);
});
