import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';

export interface CheckpointInput {
  readonly path: string;
}
/** `checkpoint` is answered when it is over, `end` by the end of the thread. */
export type CheckpointOrder = 'checkpoint' | 'end';

const { path } = workerData as CheckpointInput;
const database = new DatabaseSync(path);
// As on the handle that writes: what is in the database is on the disk before the log is used anew.
database.exec('pragma synchronous = full; pragma fullfsync = 1; pragma checkpoint_fullfsync = 1;');

parentPort?.on('message', (order: CheckpointOrder) => {
  if (order === 'end') {
    database.close();
    parentPort?.close();
    return;
  }
  // Passive: it waits for nobody, and nobody for it. One that fails (the disk is full, say) leaves the log as it is.
  database.exec('pragma wal_checkpoint(passive)');
  parentPort?.postMessage('over');
});
