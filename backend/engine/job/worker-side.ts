import { parentPort } from 'node:worker_threads';
import { toErrorData } from '../device-error.ts';
import type { Control } from './control.ts';
import type { WorkerMessage } from './worker-group.ts';

// In Electron a folder named *.asar would be read as an archive. Backup takes names as they are.
(process as { noAsar?: boolean }).noAsar = true;

let finished = false;

/** Runs a worker's step; an error ends the whole job, and the job's owner hears the reason. */
export function runWorker(control: Control, step: () => void): void {
  try {
    step();
  } catch (error) {
    if (finished) return;
    finished = true;
    control.fail();
    send({ type: 'error', error: toErrorData(error) });
    parentPort?.close();
  }
}

/** Gives the worker's result and lets the thread end. */
export function finishWorker(value: unknown): void {
  if (finished) return;
  finished = true;
  send({ type: 'result', value });
  parentPort?.close();
}

export function sendLog(level: 'info' | 'warning' | 'error', message: string): void {
  send({ type: 'log', level, message });
}

/** One more thread of those that wait for it is to be started; nothing happens when there is none. */
export function askForOneMore(): void {
  send({ type: 'more' });
}

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

/** The same for a step that lets the event loop turn in between. */
export function runWorkerAsync(control: Control, step: () => Promise<void>): void {
  step().catch((error: unknown) => {
    runWorker(control, () => {
      throw error;
    });
  });
}
