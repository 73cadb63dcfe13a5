import type { Worker } from 'node:worker_threads';

/** They bring the log of the database to the disk, and into its file. */
const databaseThreads: readonly unknown[] = ['log sync', 'checkpoints'];

/** Tells of each thread that begins for a task; answers what ends that. Those of the database begin at any moment, and belong to none. */
export function onTaskThread(told: (worker: Worker) => void): () => void {
  const note = (worker: Worker): void => {
    if (!databaseThreads.includes(Reflect.get(worker, 'threadName'))) told(worker);
  };
  process.on('worker', note);
  return () => process.off('worker', note);
}
