import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';

export interface RegularWork {
  readonly name: string;
  readonly run: () => Promise<void>;
  /** Asked every second and knows itself whether it is due; else run every minute. */
  readonly knowsWhenDue?: boolean;
}

export interface UpkeepDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly jobs: readonly RegularWork[];
}

/** By the injected clock, so that a jump of it is noticed within a second. */
const everyMs = 60_000;
const lookEveryMs = 1_000;

/** Regular work beside the tasks. One job's failure is logged and holds up no other. */
export function createUpkeep(deps: UpkeepDeps) {
  const { clock, log } = deps;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let lastMs: number | null = null;

  const runAll = async (jobs: readonly RegularWork[]): Promise<void> => {
    for (const job of jobs) {
      if (timer === null) return;
      try {
        await job.run();
      } catch (error) {
        log.error('regular work failed; it is tried again', { job: job.name, error });
      }
    }
  };

  const look = (): void => {
    const nowMs = clock.now();
    if (running !== null) return;
    const isMinuteOver = lastMs === null || Math.abs(nowMs - lastMs) >= everyMs;
    if (isMinuteOver) lastMs = nowMs;
    running = runAll(deps.jobs.filter((job) => isMinuteOver || job.knowsWhenDue)).finally(() => {
      running = null;
    });
  };

  return {
    start: (): void => {
      timer = setInterval(look, lookEveryMs);
      look();
    },
    stop: async (): Promise<void> => {
      if (timer !== null) clearInterval(timer);
      timer = null;
      await running;
    },
  };
}
