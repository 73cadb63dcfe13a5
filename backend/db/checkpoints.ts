import { Worker } from 'node:worker_threads';
import { workerUrl } from '../platform/worker-url.ts';
import type { CheckpointInput, CheckpointOrder } from './checkpoint-worker.ts';

/** What lies in the write-ahead log of SQLite, in pages. */
export interface LogPages {
  readonly log: number;
  readonly checkpointed: number;
}

/** From so many on they are brought into the database: SQLite's own number. */
const pagesAtOnce = 1_000;
/** While work never ceases, so many may come together: 64 MiB. Then whoever writes does the rest, and the log begins anew. */
const mostPages = 16_000;

/**
 * Brings what was committed from the log into the database in a thread of its own: it costs a third of a commit, and two
 * waits for the disk. Without the thread (it could not start, a checkpoint failed) whoever writes does it again, as
 * SQLite does by itself.
 */
export function createCheckpoints(deps: {
  readonly path: string;
  /** Null within a transaction: its end asks again. */
  readonly pages: () => LogPages | null;
  /** Whoever writes brings the pages in from so many on. */
  readonly setOwn: (pages: number) => void;
}) {
  let worker: Worker | null = null;
  let isBusy = false;
  let isEnded = false;
  let ended: Promise<void> = Promise.resolve();

  const order = (what: CheckpointOrder): void => worker?.postMessage(what);

  const start = (): Worker => {
    const input: CheckpointInput = { path: deps.path };
    const made = new Worker(workerUrl(import.meta.url, 'checkpoint-worker'), {
      workerData: input,
      name: 'checkpoints',
    });
    // It holds up no end of the process: what is in the log stays there.
    made.unref();
    made.on('message', () => {
      isBusy = false;
      if (!isEnded) look();
    });
    made.on('error', () => {
      if (!isEnded) deps.setOwn(pagesAtOnce);
      isEnded = true;
    });
    ended = new Promise((resolve) => made.once('exit', () => resolve()));
    return made;
  };

  const look = (): void => {
    const pages = deps.pages();
    if (pages === null || pages.log - pages.checkpointed < pagesAtOnce) return;
    isBusy = true;
    worker ??= start();
    order('checkpoint');
  };

  deps.setOwn(mostPages);
  return {
    /** To be called after each commit. */
    committed: (): void => {
      if (!isBusy && !isEnded) look();
    },
    /** Ends when the thread has closed the database. */
    end: async (): Promise<void> => {
      isEnded = true;
      worker?.ref();
      order('end');
      await ended;
    },
  };
}

export type Checkpoints = ReturnType<typeof createCheckpoints>;
