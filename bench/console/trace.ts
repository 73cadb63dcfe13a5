import { readFile, rm } from 'node:fs/promises';
import type { ElectronApplication } from '@playwright/test';

/** Work in milliseconds of the processor: what else the machine does at the time does not count. */
export interface Work {
  /** In one piece. */
  readonly longestMs: number;
  readonly wholeMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

const pageThread = 'CrRendererMain';
const mainThread = 'CrBrowserMain';

/** Records Chromium's own trace of all tasks of both threads while `work` is done. */
export async function workDuring(
  app: ElectronApplication,
  work: () => Promise<void>,
): Promise<{ readonly page: Work; readonly main: Work }> {
  await app.evaluate(({ contentTracing }) =>
    contentTracing.startRecording({
      included_categories: ['toplevel'],
      recording_mode: 'record-continuously',
    }),
  );
  await work();
  const path = await app.evaluate(({ contentTracing }) => contentTracing.stopRecording());
  const { traceEvents } = JSON.parse(await readFile(path, 'utf8')) as { traceEvents: readonly TraceEvent[] };
  await rm(path, { force: true });
  const workOf = (thread: string): Work => {
    const ids = new Set(
      traceEvents
        .filter(({ name, args }) => name === 'thread_name' && args.name === thread)
        .map(({ pid, tid }) => `${pid} ${tid}`),
    );
    const tasks = traceEvents.filter(
      ({ name, ph, pid, tid }) => ph === 'X' && name.endsWith('RunTask') && ids.has(`${pid} ${tid}`),
    );
    // Nothing at all would look like no work.
    if (tasks.length === 0) throw new Error(`the trace holds no work of ${thread}`);
    const times = tasks.map(({ tdur }) => (tdur ?? 0) / 1000);
    return {
      longestMs: times.reduce((most, ms) => Math.max(most, ms), 0),
      wholeMs: times.reduce((sum, ms) => sum + ms, 0),
    };
  };
  return { page: workOf(pageThread), main: workOf(mainThread) };
}
