import type { Configuration } from '../../../contract/configuration/configuration.ts';
import { fromWireTime } from '../../platform/wire-time.ts';
import { isWithin, secondOfDay } from '../daily-window.ts';

const hourMs = 3_600_000;

/**
 * Whether the moment lies in the daily window, in the local time of this host. A window that ends before it begins
 * goes over midnight; equal ends mean the whole day. The end itself is outside. Pure.
 */
export function isInDailyWindow(start: string, end: string, nowMs: number): boolean {
  return isWithin({ start, end }, secondOfDay(nowMs));
}

export interface CleaningTimes {
  readonly periodHours: number;
  /** As the configuration answers it: the last time, null when there was none. */
  readonly lastTime: string | null;
}

/**
 * Whether background cleaning of one kind is to begin now: not in service mode, inside the service window, and when
 * its period has passed since the last time (0 = never). After a clock that went back it is due. Pure.
 */
export function isCleaningDue(
  settings: Pick<Configuration, 'service_mode' | 'service_window_start' | 'service_window_end'>,
  times: CleaningTimes,
  nowMs: number,
): boolean {
  if (settings.service_mode || times.periodHours === 0) return false;
  if (!isInDailyWindow(settings.service_window_start, settings.service_window_end, nowMs)) return false;
  const lastMs = times.lastTime === null ? null : fromWireTime(times.lastTime);
  if (lastMs === null || lastMs > nowMs) return true;
  return nowMs - lastMs >= times.periodHours * hourMs;
}
