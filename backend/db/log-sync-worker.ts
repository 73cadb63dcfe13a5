import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

export interface LogSyncInput {
  /** The write-ahead log. */
  readonly path: string;
}
/** `sync` is answered, `end` by the end of the thread. */
export type LogSyncOrder = 'sync' | 'end';
/** `ready` comes once, by itself. */
export type LogSyncAnswer =
  | { readonly kind: 'ready' | 'done' }
  | { readonly kind: 'failed'; readonly error: Error };

const { path } = workerData as LogSyncInput;
const file = openSync(path, 'r+');
const answer = (message: LogSyncAnswer): void => parentPort?.postMessage(message);

function sync(): LogSyncAnswer {
  try {
    fdatasyncSync(file);
    return { kind: 'done' };
  } catch (error) {
    return { kind: 'failed', error: error as Error };
  }
}

parentPort?.on('message', (order: LogSyncOrder) => {
  if (order === 'sync') {
    answer(sync());
    return;
  }
  closeSync(file);
  parentPort?.close();
});
answer({ kind: 'ready' });
