import { expect, test, vi } from 'vitest';
import type { TaskLogLine } from '../../../contract/tasks/task.ts';
import { createTaskLog } from '../../../renderer/features/tasks/task-log.ts';

function setUp(count: number) {
  const log: TaskLogLine[] = [];
  const grow = (more: number) => {
    for (let at = 0; at < more; at += 1) {
      const id = log.length + 1;
      log.push({ id, time: '2026-01-01T00:00:00', level: 'info', source: 'host', message: `line ${id}` });
    }
  };
  grow(count);
  const list = vi.fn(async (page: number, limit: number) => {
    const items = log.slice((page - 1) * limit, page * limit);
    return { items, total: log.length };
  });
  const taskLog = createTaskLog({ list, reasonOf: (error) => String(error) });
  return { taskLog, grow, log, list, now: () => taskLog.store.getState() };
}

test('a log of several pages is read whole, oldest first', async () => {
  const { taskLog, log, now } = setUp(1234);
  await taskLog.read();
  expect(now().lines).toEqual(log);
});

test('a log that grew is read on from its end and repeats nothing', async () => {
  const { taskLog, grow, log, list, now } = setUp(1234);
  await taskLog.read();
  list.mockClear();
  grow(3);
  await taskLog.read();
  expect(list.mock.calls.map(([page]) => page)).toEqual([3]);
  expect(now().lines).toEqual(log);
});

test('a log that ends with a full page goes on behind it', async () => {
  const { taskLog, grow, log, now } = setUp(500);
  await taskLog.read();
  grow(2);
  await taskLog.read();
  expect(now().lines).toEqual(log);
});

test('of a very long log the end is shown, and how much was left out', async () => {
  const { taskLog, log, list, now } = setUp(60_000);
  await taskLog.read();
  expect(now().lines.at(-1)).toEqual(log.at(-1));
  expect(now().lines.length + now().leftOut).toBe(60_000);
  expect(now().rest).toBe(0);
  expect(now().lines.length).toBeLessThanOrEqual(10_000);
  expect(list.mock.calls.length).toBeLessThan(25);
});

test('a long log that grows stays bounded and keeps its end', async () => {
  const { taskLog, grow, log, now } = setUp(9990);
  await taskLog.read();
  grow(700);
  await taskLog.read();
  expect(now().lines.at(-1)).toEqual(log.at(-1));
  expect(now().lines[0]).toEqual(log[now().leftOut]);
  expect(now().lines.length).toBeLessThanOrEqual(10_000);
});

test('asked again while it reads, it reads once more and not at the same time', async () => {
  const { taskLog, list } = setUp(3);
  await Promise.all([taskLog.read(), taskLog.read(), taskLog.read()]);
  expect(list).toHaveBeenCalledTimes(2);
});

test('a failure keeps the lines and tells the reason until the next answer', async () => {
  const { taskLog, list, log, now } = setUp(3);
  await taskLog.read();
  list.mockRejectedValueOnce(new Error('No answer.'));
  await taskLog.read();
  expect(now()).toMatchObject({ lines: log, problem: 'Error: No answer.' });
  await taskLog.read();
  expect(now().problem).toBeNull();
});

/** The lines held are a part of the log, and what lies around them is counted. */
function isPartOf(log: readonly TaskLogLine[], now: ReturnType<typeof setUp>['now']) {
  const { lines, leftOut, rest } = now();
  expect(lines.length).toBeLessThanOrEqual(10_000);
  expect(leftOut + lines.length + rest).toBe(log.length);
  expect(lines).toEqual(log.slice(leftOut, leftOut + lines.length));
}

test('each line of a very long log is reached from its end, and never more than 10,000 are held', async () => {
  const { taskLog, log, now } = setUp(31_234);
  await taskLog.read();
  while (now().leftOut > 0) {
    const before = now().leftOut;
    await taskLog.older();
    expect(now().leftOut).toBeLessThan(before);
    isPartOf(log, now);
  }
  expect(now().lines[0]).toEqual(log[0]);
  expect(now().rest).toBeGreaterThan(20_000);
  while (now().rest > 0) {
    const before = now().rest;
    await taskLog.newer();
    expect(now().rest).toBeLessThan(before);
    isPartOf(log, now);
  }
  expect(now().lines.at(-1)).toEqual(log.at(-1));
});

test('the beginning and the end are one step away', async () => {
  const { taskLog, log, list, now } = setUp(31_234);
  await taskLog.read();
  list.mockClear();
  await taskLog.toBegin();
  expect(now().lines[0]).toEqual(log[0]);
  isPartOf(log, now);
  await taskLog.toEnd();
  expect(now().lines.at(-1)).toEqual(log.at(-1));
  isPartOf(log, now);
  expect(list.mock.calls.length).toBeLessThanOrEqual(5);
});

test('a log that grows leaves alone what is read far before its end, and counts what came', async () => {
  const { taskLog, log, grow, now } = setUp(31_234);
  await taskLog.read();
  await taskLog.toBegin();
  const read = now().lines;
  grow(700);
  await taskLog.read();
  expect(now().lines).toEqual(read);
  isPartOf(log, now);
});

test('at its most lines a growing log pushes out none while its end is not followed', async () => {
  const { taskLog, log, grow, now } = setUp(31_000);
  await taskLog.read();
  taskLog.follow(false);
  const read = now().lines;
  grow(700);
  await taskLog.read();
  expect(now().lines).toEqual(read);
  isPartOf(log, now);
  await taskLog.toEnd();
  expect(now().lines.at(-1)).toEqual(log.at(-1));
});

test('a failure on the way to older lines is told, and the way stays open', async () => {
  const { taskLog, log, list, now } = setUp(31_000);
  await taskLog.read();
  list.mockRejectedValueOnce(new Error('No answer.'));
  await taskLog.older();
  expect(now().problem).toBe('Error: No answer.');
  isPartOf(log, now);
  const before = now().leftOut;
  await taskLog.older();
  expect(now().problem).toBeNull();
  expect(now().leftOut).toBe(before - 500);
});
