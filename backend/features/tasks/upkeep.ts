import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { withinDeadline } from '../../platform/within-deadline.ts';

export interface RegularWork {
  readonly name: string;
  readonly run: () => Promise<void>;
  /** Asked every second and knows itself whether it is due; else run every minute. */
  readonly knowsWhenDue?: boolean;
  /** Makes file calls on storages: one of a mount that does not answer may never come back. */
  readonly usesStorages?: boolean;
}

export interface UpkeepDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly jobs: readonly RegularWork[];
  /** How long the others wait for one. */
  readonly patienceMs?: number;
}

/** By the injected clock, so that a jump of it is noticed within a second. */
const everyMs = 60_000;
const lookEveryMs = 1_000;
const usualPatienceMs = 15_000;
const stopWithinMs = 8_000;
/** A file call that does not come back holds one of the four threads that all file calls of the server share. */
const mostLateOnStorages = 2;

/**
 * Regular work beside the tasks, one job after the other in their order. One job's failure is logged and holds up no
 * other; one that takes long or hangs goes on beside the others, and is begun again only once it has ended.
 */
export function createUpkeep(deps: UpkeepDeps) {
  const { clock, log } = deps;
  const patienceMs = deps.patienceMs ?? usualPatienceMs;
  const running = new Map<RegularWork, Promise<void>>();
  const late = new Set<RegularWork>();
  let timer: NodeJS.Timeout | null = null;
  let isGoingRound = false;
  let lastMs: number | null = null;

  const begin = (job: RegularWork): Promise<void> => {
    const work = Promise.resolve()
      .then(job.run)
      .catch((error) => log.error('regular work failed; it is tried again', { job: job.name, error }))
      .finally(() => {
        running.delete(job);
        if (late.delete(job)) log.info('regular work that took long has ended', { job: job.name });
      });
    running.set(job, work);
    return work;
  };

  const mayBegin = (job: RegularWork): boolean => {
    if (running.has(job)) return false;
    const lateOnStorages = [...late].filter(({ usesStorages }) => usesStorages).length;
    return !job.usesStorages || lateOnStorages < mostLateOnStorages;
  };

  const goRound = async (jobs: readonly RegularWork[]): Promise<void> => {
    for (const job of jobs) {
      if (timer === null) return;
      if (!mayBegin(job)) continue;
      if (await isOverWithin(begin(job), patienceMs)) continue;
      late.add(job);
      log.warn('regular work takes long; the other work goes on without it', { job: job.name });
    }
  };

  const look = (): void => {
    const nowMs = clock.now();
    if (isGoingRound) return;
    const isMinuteOver = lastMs === null || Math.abs(nowMs - lastMs) >= everyMs;
    if (isMinuteOver) lastMs = nowMs;
    isGoingRound = true;
    void goRound(deps.jobs.filter((job) => isMinuteOver || job.knowsWhenDue)).finally(() => {
      isGoingRound = false;
    });
  };

  return {
    start: (): void => {
      timer = setInterval(look, lookEveryMs);
      look();
    },
    /** What runs is waited for, but not for ever: a storage that does not answer must not keep the server from its end. */
    stop: async (): Promise<void> => {
      if (timer !== null) clearInterval(timer);
      timer = null;
      if (await isOverWithin(Promise.all(running.values()), stopWithinMs)) return;
      const jobs = [...running.keys()].map(({ name }) => name);
      log.warn('regular work did not end in time', { jobs });
    },
  };
}

/** False: it goes on still. */
function isOverWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  return withinDeadline(
    work.then(() => true),
    false,
    limitMs,
  );
}
