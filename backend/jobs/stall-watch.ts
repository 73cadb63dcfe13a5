import type { ProgressReport } from './progress-meter.ts';
import type { LogLevel } from './work.ts';

/** Slow disks, tapes and lines move sooner than this. */
const stalledAfterMs = 15 * 60_000;
const minuteMs = 60_000;

export interface StallLine {
  readonly level: LogLevel;
  readonly text: string;
}

/**
 * Whether work still moves, for its log: behind a mount or a device that hangs a task waits without an error, for hours.
 * It is told once that nothing moves, and once when something does again. Work that tells of no progress at all is not
 * judged. Times are monotonic milliseconds.
 */
export function createStallWatch() {
  let last: ProgressReport | null = null;
  let movedMs = 0;
  let isTold = false;

  return {
    /** To be called with each report. */
    report(report: ProgressReport, nowMs: number): StallLine | null {
      if (last !== null && isSame(last, report)) return null;
      const minutes = Math.floor((nowMs - movedMs) / minuteMs);
      const line = isTold
        ? ({ level: 'info', text: `It moves again, after ${minutes} minutes.` } as const)
        : null;
      last = report;
      movedMs = nowMs;
      isTold = false;
      return line;
    },

    /** To be called again and again while the work runs. */
    look(nowMs: number): StallLine | null {
      if (last === null || isTold || nowMs - movedMs < stalledAfterMs) return null;
      isTold = true;
      const place = last.currentPath === null ? '' : ` The last that it worked on was ${last.currentPath}.`;
      return {
        level: 'warning',
        text: `Nothing has moved for ${stalledAfterMs / minuteMs} minutes.${place} Look whether its disk, mount, drive or server answers; a task that is killed holds up no other.`,
      };
    },

    /** While it is paused nothing moves; that time does not count. */
    pause(nowMs: number): void {
      movedMs = nowMs;
    },
  };
}

function isSame(one: ProgressReport, other: ProgressReport): boolean {
  return (
    one.bytesDone === other.bytesDone &&
    one.filesDone === other.filesDone &&
    one.transferredBytes === other.transferredBytes &&
    one.currentPath === other.currentPath
  );
}
