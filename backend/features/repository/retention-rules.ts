import { type Duration, parseDuration } from '../../../contract/words.ts';
import { counted } from '../bulk.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** The last moment that a date with a four-digit year can name: longer keeping times end there. */
const latestMs = new Date(9999, 11, 31, 23, 59, 59).getTime();

/**
 * Until when a copy is kept that was made at `createdMs`; null = forever. By the calendar, in the server's local
 * time: `1 month` after 31 January is the last day of February.
 */
export function storeUntil(createdMs: number, storageDuration: string | null): number | null {
  const duration = storageDuration === null ? undefined : parseDuration(storageDuration);
  return duration ? addDuration(createdMs, duration) : null;
}

export function addDuration(fromMs: number, { count, unit }: Duration): number {
  const date = new Date(fromMs);
  if (unit === 'day' || unit === 'week') {
    date.setDate(date.getDate() + count * (unit === 'week' ? 7 : 1));
  } else {
    const day = date.getDate();
    date.setDate(1);
    date.setMonth(date.getMonth() + count * (unit === 'year' ? 12 : 1));
    date.setDate(Math.min(day, daysIn(date.getFullYear(), date.getMonth())));
  }
  const untilMs = date.getTime();
  return Number.isNaN(untilMs) ? latestMs : Math.min(untilMs, latestMs);
}

function daysIn(year: number, month: number): number {
  const last = new Date(2000, 0, 1);
  last.setFullYear(year, month + 1, 0);
  return last.getDate();
}

/** What the configuration says about keeping. */
export interface RetentionSettings {
  readonly mandatoryStorageDays: number;
  readonly immutableArchives: boolean;
}

export interface KeptCopy {
  readonly id: number;
  readonly createdMs: number;
  /** Null = forever. */
  readonly storeUntilMs: number | null;
}

/** Before this moment the copy cannot be deleted, nor can it be told to end. */
export function mandatoryUntil(copy: KeptCopy, settings: RetentionSettings): number {
  return copy.createdMs + settings.mandatoryStorageDays * dayMs;
}

/** The later of two ends; null = forever. */
export function laterEnd(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : Math.max(left, right);
}

/** True when `left` ends before `right`. */
export function endsBefore(left: number | null, right: number | null): boolean {
  if (left === null) return false;
  return right === null || left < right;
}

/**
 * Why a copy cannot be told to end at `untilMs` (null = never), or null when it can. `dependants`: the copies that
 * build on it; it must outlive them.
 */
export function whyEndIsRefused(
  copy: KeptCopy,
  untilMs: number | null,
  about: {
    readonly dependants: readonly KeptCopy[];
    readonly settings: RetentionSettings;
    readonly nowMs: number;
  },
): string | null {
  const { settings, nowMs } = about;
  if (untilMs !== null && untilMs <= nowMs) return 'must be in the future; to remove the copy now, delete it';
  if (untilMs !== null && untilMs < mandatoryUntil(copy, settings)) {
    return `must not end within the mandatory storage time of ${counted(settings.mandatoryStorageDays, 'day')} after the copy was made`;
  }
  if (settings.immutableArchives && endsBefore(untilMs, copy.storeUntilMs)) {
    return 'can only be moved to a later time while immutable_archives is on';
  }
  const longer = about.dependants.find((dependant) => endsBefore(untilMs, dependant.storeUntilMs));
  if (longer)
    return `must not end before the copy ${longer.id}, which builds on this one; shorten that one first`;
  return null;
}
