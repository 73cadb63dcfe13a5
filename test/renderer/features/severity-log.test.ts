import { expect, test, vi } from 'vitest';
import type { TaskLogLine } from '../../../contract/tasks/task.ts';
import { createSeverityLog } from '../../../renderer/features/tasks/severity-log.ts';
import type { Severity } from '../../../renderer/shell/backend-log.ts';

/** Every 1,000th line is an error and every tenth of the others a warning, unless told otherwise. */
function usual(id: number): string {
  if (id % 1000 === 1) return 'error';
  return id % 10 === 5 ? 'warning' : 'info';
}

function setUp(
  severity: Severity,
  count: number,
  levelOf: (id: number) => string = usual,
  isFiltering = true,
) {
  const log: TaskLogLine[] = [];
  const grow = (more: number) => {
    for (let at = 0; at < more; at += 1) {
      const id = log.length + 1;
      log.push({
        id,
        time: '2026-01-01T00:00:00',
        level: levelOf(id),
        source: 'host',
        message: `line ${id}`,
      });
    }
  };
  grow(count);
  const list = vi.fn(async (level: string | null, page: number, limit: number) => {
    const all = level === null || !isFiltering ? log : log.filter((line) => line.level === level);
    return { items: all.slice((page - 1) * limit, page * limit), total: all.length };
  });
  const severityLog = createSeverityLog(severity, { list, reasonOf: (error) => String(error) });
  const of = (...levels: string[]) => log.filter(({ level }) => levels.includes(level));
  return { severityLog, grow, list, log, of, now: () => severityLog.store.getState() };
}

test('errors far before the end of 100,000 lines are found, by one page', async () => {
  const { severityLog, list, of, now } = setUp('error', 100_000);
  expect(now().isRead).toBe(false);
  await severityLog.read();
  expect(now()).toEqual({ lines: of('error'), leftOut: 0, rest: 0, problem: null, isRead: true });
  expect(now().lines).toHaveLength(100);
  expect(list).toHaveBeenCalledTimes(1);
});

test('warnings and errors stand in one order, no line missing within, and what is before is counted', async () => {
  const { severityLog, list, of, now } = setUp('warning', 100_000, (id) =>
    id % 7 === 0 ? 'error' : 'warning',
  );
  await severityLog.read();
  const all = of('warning', 'error');
  expect(now().lines).toEqual(all.slice(-now().lines.length));
  expect(now().lines.length).toBeGreaterThan(9000);
  expect(now().leftOut + now().lines.length).toBe(100_000);
  expect(list.mock.calls.length).toBeLessThan(50);
});

test('it follows: a log that grew is read on from its end', async () => {
  const { severityLog, grow, list, of, now } = setUp('warning', 20_000);
  await severityLog.read();
  list.mockClear();
  grow(1000);
  await severityLog.read();
  expect(now().lines).toEqual(of('warning', 'error'));
  expect(list.mock.calls.length).toBeLessThanOrEqual(4);
});

test('all lines are one log that is asked for without a level', async () => {
  const { severityLog, list, log, now } = setUp('all', 1234);
  await severityLog.read();
  expect(now().lines).toEqual(log);
  expect(new Set(list.mock.calls.map(([level]) => level))).toEqual(new Set([null]));
});

test.each(['warning', 'error'] as const)(
  'a server that does not know the filter by level shows nothing milder than %s, and nothing twice',
  async (severity) => {
    const { severityLog, of, now } = setUp(severity, 1500, usual, false);
    await severityLog.read();
    expect(now().lines).toEqual(severity === 'error' ? of('error') : of('warning', 'error'));
  },
);

test('a failure of one level is told and keeps the lines of both', async () => {
  const { severityLog, list, of, now } = setUp('warning', 3000);
  await severityLog.read();
  list.mockRejectedValueOnce(new Error('No answer.'));
  await severityLog.read();
  expect(now()).toMatchObject({ lines: of('warning', 'error'), problem: 'Error: No answer.' });
  await severityLog.read();
  expect(now().problem).toBeNull();
});

test('all warnings and errors of a long log can be gone through, from the end to the beginning and back', async () => {
  const { severityLog, of, now } = setUp('warning', 45_000, (id) => (id % 7 === 0 ? 'error' : 'warning'));
  await severityLog.read();
  const all = of('warning', 'error');
  const check = () => {
    const { lines, leftOut, rest } = now();
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(20_000);
    // Their ids are the numbers of the lines: each is looked at once, in a test that makes hundreds of steps.
    expect(lines.findIndex((line, at) => line !== all[leftOut + at])).toBe(-1);
    expect(leftOut + lines.length + rest).toBe(45_000);
  };
  const seen = new Set(now().lines.map(({ id }) => id));
  for (let step = 0; step < 500 && now().leftOut > 0; step += 1) {
    await severityLog.older();
    check();
    for (const { id } of now().lines) seen.add(id);
  }
  expect(seen.size).toBe(45_000);
  for (let step = 0; step < 500 && now().rest > 0; step += 1) {
    await severityLog.newer();
    check();
  }
  expect(now().lines.at(-1)).toEqual(all.at(-1));
  await severityLog.toBegin();
  check();
  expect(now().lines[0]).toEqual(all[0]);
  await severityLog.toEnd();
  check();
  expect(now().lines.at(-1)).toEqual(all.at(-1));
});
