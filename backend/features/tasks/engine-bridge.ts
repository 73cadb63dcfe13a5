import { DeviceError, type EngineJob } from '../../engine/index.ts';
import { type LogSide, type WorkContext, type WorkEnd, WorkStopped } from '../../jobs/index.ts';
import type { TrafficOf } from './traffic-limits.ts';
import type { Direction } from './traffic-rules.ts';

/** Whose bandwidth the work of a task uses; what limits it is told in the task's log. */
export function trafficOf({ task, log }: WorkContext, direction: Direction): TrafficOf {
  return { clientId: task.client_id, direction, note: (message) => log('server', 'info', message) };
}

/** Lets a person act on a job of the engine and sees what it says; answers its result. */
export async function follow<R>(context: WorkContext, job: EngineJob<R>, side: LogSide): Promise<R> {
  context.attach(job);
  const stopListening = [
    job.onProgress((progress) => context.progress(progress)),
    job.onLog((line) => context.log(side, line.level, line.message)),
  ];
  try {
    return await job.result;
  } catch (error) {
    if (error instanceof DeviceError && error.kind === 'cancelled') throw new WorkStopped();
    throw error;
  } finally {
    for (const stop of stopListening) stop();
  }
}

/** Resolves once the first bytes have arrived on the other side, or the job has ended. */
export async function firstBytes<R>(job: EngineJob<R>): Promise<void> {
  await new Promise<void>((resolve) => {
    const off = job.onProgress((progress) => {
      if (progress.transferredBytes === 0) return;
      off();
      resolve();
    });
    job.result.then(
      () => resolve(),
      () => resolve(),
    );
  });
}

/** Follows a job that writes to the client, and moves its task on as it gets ahead. */
export async function followRestore<R>(context: WorkContext, job: EngineJob<R>): Promise<R> {
  const moved = context
    .moveTo('transmission')
    .then(() => firstBytes(job))
    .then(() => context.moveTo('execution'));
  // A task that is over fails here and at the job; the job's failure is the one that is looked at.
  moved.catch(() => job.stop());
  const result = await follow(context, job, 'client');
  await moved;
  return result;
}

/** What an error of the engine means for the task. Bugs pass on and are logged by the runner. */
export function endFor(error: unknown, options: { readonly waitsForSpace: boolean }): WorkEnd {
  if (!(error instanceof DeviceError)) throw error;
  if (error.kind === 'noSpace' && options.waitsForSpace) return { kind: 'waiting', message: error.message };
  return { kind: 'error', message: error.message };
}
