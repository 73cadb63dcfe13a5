import type { StoredDevice } from './tape-device-store.ts';

const dayMs = 86_400_000;

/**
 * Whether the schedule wants a drive cleaned: so many days after the last cleaning, or after its first use, and not when it has done
 * nothing since, for each cleaning wears its heads. 0 days: there is no schedule. Pure.
 */
export function isCleaningDue(
  { cleaningFromMs, alertsMs }: Pick<StoredDevice, 'cleaningFromMs' | 'alertsMs'>,
  periodDays: number,
  nowMs: number,
): boolean {
  if (periodDays === 0 || cleaningFromMs === null || alertsMs === null) return false;
  return alertsMs > cleaningFromMs && nowMs - cleaningFromMs >= periodDays * dayMs;
}
