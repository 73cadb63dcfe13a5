import { Worker } from 'node:worker_threads';
import { workerUrl } from '../platform/worker-url.ts';
import type { LogSyncAnswer, LogSyncInput, LogSyncOrder } from './log-sync-worker.ts';

/** Who writes so little does not need the thread. */
const COMMITS_BEFORE = 100;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface LogSyncDeps {
  readonly path: string;
  /** Does it when no transaction is open. */
  readonly exclusively: <R>(work: () => R) => Promise<R>;
  /** Whether whoever commits waits for the disk in the commit itself. Within `exclusively`. */
  readonly setOwn: (isOwn: boolean) => void;
  /** Brings all of the log into the database, and that to the disk. False: not all of it could be. Within `exclusively`. */
  readonly bringIn: () => boolean;
}

/**
 * Brings what was committed to the write-ahead log of SQLite to the disk, in a thread of its own. A busy disk takes up to a second for it, and
 * SQLite itself would hold up the main thread for so long, and with it everybody. The threads of the runtime are for what may hang: nothing
 * that is saved should wait behind those. Commits that come meanwhile wait for the next sync together. Without the thread (it did not start
 * yet, or has failed) whoever writes waits by itself.
 */
export function createLogSync(deps: LogSyncDeps) {
  let worker: Worker | null = null;
  let isOutside = false;
  let isClosing = false;
  let commits = 0;
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;
  let answered: (error: Error | null) => void = () => undefined;
  let failure: Error | null = null;
  let ended: Promise<void> = Promise.resolve();

  const setOutside = (isWanted: boolean): Promise<void> =>
    deps.exclusively(() => {
      const isSo = isWanted && !isClosing;
      deps.setOwn(!isSo);
      isOutside = isSo;
    });
  const order = (what: LogSyncOrder): void => worker?.postMessage(what);

  const start = (): Worker => {
    const workerData: LogSyncInput = { path: `${deps.path}-wal` };
    const made = new Worker(workerUrl(import.meta.url, 'log-sync-worker'), { workerData, name: 'log sync' });
    // It holds up no end of the process but while a commit waits for it.
    made.unref();
    made.on('message', (message: LogSyncAnswer) => {
      // A database that is being closed takes nobody any more; what is committed then waits by itself.
      if (message.kind === 'ready') setOutside(true).catch(() => undefined);
      else answered(message.kind === 'failed' ? message.error : null);
    });
    const gone = (error: Error): void => {
      if (isOutside) setOutside(false).catch(() => undefined);
      answered(error);
    };
    made.on('error', gone);
    ended = new Promise((resolve) => {
      made.once('exit', () => {
        worker = null;
        gone(new Error('the thread that brings commits to the disk has ended'));
        resolve();
      });
    });
    return made;
  };

  const syncOutside = (): Promise<Error | null> => {
    const asked = worker;
    if (asked === null) return Promise.resolve(new Error('no thread brings commits to the disk'));
    return new Promise((resolve) => {
      asked.ref();
      answered = (error) => {
        asked.unref();
        answered = () => undefined;
        resolve(error);
      };
      order('sync');
    });
  };
  const sync = async (): Promise<void> => {
    failure ??= await syncOutside();
    if (failure === null) return;
    // The system takes pages for written whose sync has failed, and says nothing the next time. What is in the database itself is proved.
    if (!(await deps.exclusively(deps.bringIn))) throw failure;
    failure = null;
  };
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const those = waiting;
      waiting = [];
      try {
        await sync();
        for (const { resolve } of those) resolve();
      } catch (error) {
        for (const { reject } of those) reject(error);
      }
    }
    running = null;
  };

  return {
    /** To be called at once after each commit: until it is on the disk. */
    committed: async (): Promise<void> => {
      commits += 1;
      if (commits === COMMITS_BEFORE && !isClosing) worker = start();
      if (!isOutside) return;
      await new Promise<void>((resolve, reject) => {
        waiting.push({ resolve, reject });
        running ??= run();
      });
    },
    /** What is committed from now on waits by itself. */
    close: async (): Promise<void> => {
      isClosing = true;
      await setOutside(false);
      await running;
      worker?.ref();
      order('end');
      await ended;
    },
  };
}

export type LogSync = ReturnType<typeof createLogSync>;
