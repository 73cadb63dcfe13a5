import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../backend/platform/clock.ts';
import { startTestApp, type TestApp } from '../../support/backend.ts';
import { type Queue, queueOf } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const mib = 1_048_576;
let offsetMs = 0;
const clock: Clock = { now: () => Date.now() + offsetMs, monotonic: systemClock.monotonic };

let app: TestApp;
let queue: Queue;
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;
let client: string;

beforeAll(async () => {
  folder = await makeTempDir('traffic');
  source = join(folder.path, 'source');
  await mkdir(source);
  for (const name of ['one', 'two', 'three']) await writeFile(join(source, name), randomBytes(mib));
  app = await startTestApp({ started: true, clock });
  queue = queueOf((await app.loginAs('superuser')).send);
  client = await queue.localClient();
});
afterEach(async () => {
  for (const { id } of await queue.good<{ id: number }[]>('GET', '/client_bandwidth')) {
    await queue.good('DELETE', `/client_bandwidth/${id}`);
  }
});
afterAll(async () => {
  await app.close();
  await folder.remove();
});

const addLimit = async (limit: object): Promise<number> =>
  (await queue.good<{ id: number }>('POST', '/client_bandwidth', { data: { client, ...limit } })).id;
const change = (id: number, limit: object) => queue.good('PATCH', `/client_bandwidth/${id}`, { data: limit });
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};
const logged = async (id: number, part: string): Promise<boolean> =>
  (await queue.log(id, 'servers')).some(({ message }) => message.includes(part));
const untilLogged = async (id: number, part: string) => {
  while (!(await logged(id, part))) await new Promise((resolve) => setTimeout(resolve, 20));
};
const timeOfDay = (ms: number): string => new Date(ms).toTimeString().slice(0, 8);

describe('the bandwidth limit of a client', () => {
  it('slows its backups: 3 MiB at 1,024 KB/s take more than 2 seconds, at no more speed than that', async () => {
    await addLimit({ backup_bandwidth: 1024 });
    let id = 0;
    let lastSpeed = 0;
    const tookMs = await timed(async () => {
      id = await queue.backup(source);
      await queue.until(id, (task) => {
        if (task.transferred > 0 && task.speed > 0) lastSpeed = task.speed;
        return task.status === 'done';
      });
    });
    expect(tookMs).toBeGreaterThan(2000);
    expect((await queue.task(id)).transferred).toBeGreaterThanOrEqual(3 * mib);
    expect(lastSpeed).toBeLessThan(2 * mib);
    expect(await logged(id, 'limited to 1024 KB/s')).toBe(true);
  });

  it('slows its restores, and only them, when it is for restores', async () => {
    await addLimit({ restore_bandwidth: 1024 });
    const backup = await queue.ended(await queue.backup(source));
    expect(backup.status).toBe('done');
    expect(await logged(backup.id, 'limited')).toBe(false);
    const tookMs = await timed(async () => {
      const id = await queue.restore(Number(backup.repository_id), join(folder.path, 'out'));
      expect((await queue.ended(id)).status).toBe('done');
    });
    expect(tookMs).toBeGreaterThan(2000);
  });

  it('can be lifted while a task runs, which then ends soon', async () => {
    // At a KB a second the task would take most of an hour.
    const limit = await addLimit({ backup_bandwidth: 1 });
    const id = await queue.backup(source);
    await untilLogged(id, 'limited to 1.0 KB/s');
    await change(limit, { backup_bandwidth: 0 });
    expect((await queue.ended(id)).status).toBe('done');
    expect(await logged(id, 'is not limited any more')).toBe(true);
  });

  it('holds from the time of day that it begins at until the one that it ends at (case 64)', async () => {
    const minuteMs = 60_000;
    const startMs = clock.now() + 5 * minuteMs;
    await addLimit({
      backup_bandwidth: 1,
      window_start: timeOfDay(startMs),
      window_end: timeOfDay(startMs + 2 * minuteMs),
    });
    const before = await queue.backup(source);
    expect((await queue.ended(before)).status).toBe('done');
    expect(await logged(before, 'limited')).toBe(false);
    // Another limit keeps the next task under way until the window begins.
    const { id: evening } = await queue.good<{ id: number }>('POST', '/client_bandwidth', {
      client,
      backup_bandwidth: 2,
      window_start: timeOfDay(startMs + 2 * minuteMs),
      window_end: timeOfDay(startMs),
    });
    const id = await queue.backup(source);
    await untilLogged(id, 'limited to 2.0 KB/s');
    offsetMs += 6 * minuteMs;
    await untilLogged(id, 'limited to 1.0 KB/s');
    await change(evening, { backup_bandwidth: 0 });
    offsetMs += 2 * minuteMs;
    expect((await queue.ended(id)).status).toBe('done');
  });

  it('is shared by the tasks that run for the client; one that pauses leaves its share to the other', async () => {
    const limit = await addLimit({ backup_bandwidth: 4 });
    const first = await queue.backup(source);
    await untilLogged(first, 'limited to 4.0 KB/s');
    const second = await queue.backup(source);
    await untilLogged(second, 'limited to 2.0 KB/s');
    await untilLogged(first, 'limited to 2.0 KB/s');
    expect((await queue.call('POST', `/tasks/${second}/pause`)).status).toBe(204);
    const fourAgain = async () =>
      (await queue.log(first, 'servers')).filter(({ message }) => message.includes('to 4.0 KB/s')).length ===
      2;
    while (!(await fourAgain())) await new Promise((resolve) => setTimeout(resolve, 20));
    await queue.call('POST', `/tasks/${second}/continue`, { task_id: second });
    await change(limit, { backup_bandwidth: 0 });
    expect((await queue.ended(first)).status).toBe('done');
    expect((await queue.ended(second)).status).toBe('done');
  });

  it('does not hold up a kill', async () => {
    await addLimit({ backup_bandwidth: 1 });
    const id = await queue.backup(source);
    await untilLogged(id, 'limited to 1.0 KB/s');
    expect((await queue.call('POST', `/tasks/${id}/kill`)).status).toBe(204);
    await untilLogged(id, 'The task was killed');
  });
});
