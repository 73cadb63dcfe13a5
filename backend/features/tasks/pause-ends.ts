import type { EngineJob } from '../../engine/index.ts';
import { type WorkContext, WorkStopped } from '../../jobs/index.ts';

/** A pause stops it for good, for work that cannot be held: its owner begins it anew (`againAfterPause`). */
export function endedByPause<R>(job: EngineJob<R>): EngineJob<R> {
  return { ...job, pause: () => job.stop(), resume: () => undefined };
}

/**
 * Does the work, and once more each time that a pause has ended it and the task goes on. `work` attaches itself to the
 * task and throws `WorkStopped` when it was stopped.
 */
export async function againAfterPause<R>(context: WorkContext, work: () => Promise<R>): Promise<R> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WorkStopped)) throw error;
      // Nothing runs now, so nothing is to be paused or stopped; throws when the task was killed rather than paused.
      context.attach({ pause: () => undefined, resume: () => undefined, stop: () => undefined });
      await context.moveTo('execution');
      context.log('client', 'info', 'The work was ended by the pause and begins anew.');
    }
  }
}
