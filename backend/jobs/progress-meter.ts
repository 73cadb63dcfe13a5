/** What running work says about itself. Totals are null until they are known; they may grow later. */
export interface ProgressReport {
  readonly bytesDone: number;
  readonly bytesTotal: number | null;
  readonly filesDone: number;
  readonly filesTotal: number | null;
  /** Display form of the path that is worked on. */
  readonly currentPath: string | null;
  /** Bytes that reached the other side (stored, or written on restore). */
  readonly transferredBytes: number;
}

export interface ProgressView extends ProgressReport {
  /** Whole percent, never falling, never above 99 before the work is done. */
  readonly percent: number;
  /** Of what reaches the other side; until something has, of what is worked through. */
  readonly bytesPerSecond: number;
  /** Null while an honest estimate is not possible. */
  readonly remainingSeconds: number | null;
}

export interface ProgressMeter {
  report(report: ProgressReport, nowMs: number): void;
  view(nowMs: number): ProgressView;
  /** Time that passes between hold and release is no part of any speed. */
  hold(nowMs: number): void;
  release(nowMs: number): void;
}

const windowMs = 10_000;
/** Less than this says nothing about the speed that will last. */
const leastObservedMs = 2_000;
const longestEstimateSeconds = 30 * 86_400;

interface Sample {
  readonly atMs: number;
  readonly bytes: number;
  readonly transferred: number;
}

const nothing: ProgressReport = {
  bytesDone: 0,
  bytesTotal: null,
  filesDone: 0,
  filesTotal: null,
  currentPath: null,
  transferredBytes: 0,
};

/**
 * Percent, speed and remaining time from reports. Times are monotonic milliseconds given by the caller, so that a
 * step of the wall clock cannot make a speed negative.
 */
export function createProgressMeter(startPercent = 0): ProgressMeter {
  let last = nothing;
  let percent = Math.min(99, Math.max(0, Math.floor(startPercent)));
  let samples: Sample[] = [];
  let heldMs = 0;
  let heldSince: number | null = null;

  const worked = (nowMs: number): number => (heldSince ?? nowMs) - heldMs;

  return {
    report(report, nowMs) {
      const atMs = worked(nowMs);
      last = report;
      percent = Math.max(percent, percentOf(report));
      samples = [
        ...recent(samples, atMs),
        { atMs, bytes: report.bytesDone, transferred: report.transferredBytes },
      ];
    },
    view(nowMs) {
      const atMs = worked(nowMs);
      const seen = recent(samples, atMs);
      if (heldSince !== null) return { ...last, percent, bytesPerSecond: 0, remainingSeconds: null };
      // Work may run ahead of a slow line by what is buffered, so its own speed would show more than the line carries.
      const bytesPerSecond = speedOf(seen, atMs, last.transferredBytes > 0 ? 'transferred' : 'bytes');
      // Content is never less than what is stored of it: where it seems to be, its counter waits for a frame on its way.
      const workedPerSecond = Math.max(speedOf(seen, atMs, 'bytes'), speedOf(seen, atMs, 'transferred'));
      const remainingSeconds = remainingOf(last, seen, atMs, workedPerSecond);
      return { ...last, percent, bytesPerSecond, remainingSeconds };
    },
    hold(nowMs) {
      heldSince ??= nowMs;
    },
    release(nowMs) {
      if (heldSince === null) return;
      heldMs += nowMs - heldSince;
      heldSince = null;
    },
  };
}

/** Bytes decide; a tree of empty files is measured by their number. */
export function percentOf(report: ProgressReport): number {
  const byBytes = share(report.bytesDone, report.bytesTotal);
  if (byBytes !== null) return byBytes;
  return share(report.filesDone, report.filesTotal) ?? 0;
}

function share(done: number, total: number | null): number | null {
  if (total === null || total <= 0) return null;
  return Math.min(99, Math.max(0, Math.floor((done / total) * 100)));
}

/** The samples of the window, and the last one before it, from which the window's first growth is measured. */
function recent(samples: readonly Sample[], nowMs: number): Sample[] {
  const firstInside = samples.findIndex((sample) => sample.atMs >= nowMs - windowMs);
  if (firstInside < 0) return samples.slice(-1);
  return samples.slice(Math.max(0, firstInside - 1));
}

function speedOf(samples: readonly Sample[], nowMs: number, of: 'bytes' | 'transferred'): number {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return 0;
  const elapsedMs = nowMs - first.atMs;
  if (elapsedMs <= 0) return 0;
  return Math.max(0, Math.round(((last[of] - first[of]) / elapsedMs) * 1000));
}

function remainingOf(
  report: ProgressReport,
  samples: readonly Sample[],
  nowMs: number,
  bytesPerSecond: number,
): number | null {
  const first = samples[0];
  if (first === undefined || nowMs - first.atMs < leastObservedMs) return null;
  if (report.bytesTotal === null || report.bytesDone >= report.bytesTotal || bytesPerSecond <= 0) return null;
  const seconds = Math.ceil((report.bytesTotal - report.bytesDone) / bytesPerSecond);
  return seconds > longestEstimateSeconds ? null : seconds;
}
