import type { Worker } from 'node:worker_threads';

/**
 * Tells of each thread that begins for a task; answers what ends that. The thread that brings the log of the database into its file
 * begins at any moment, and belongs to none.
 */
export function onTaskThread(told: (worker: Worker) => void): () => void {
  const note = (worker: Worker): void => {
    if (Reflect.get(worker, 'threadName') !== 'checkpoints') told(worker);
  };
  process.on('worker', note);
  return () => process.off('worker', note);
}
