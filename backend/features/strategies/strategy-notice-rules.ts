const dayMs = 86_400_000;
const bytesPerGb = 1024 ** 3;

/** A capacity in GB as bytes. */
export const capacityBytesOf = (gigabytes: number): number => gigabytes * bytesPerGb;

/** The copies take the capacity less the reserve, or more; a capacity of 0 is none. */
export function isCapacityReached(storedBytes: number, gigabytes: number, reservePercent: number): boolean {
  return gigabytes > 0 && storedBytes >= capacityBytesOf(gigabytes) * (1 - reservePercent / 100);
}

/** The last moment of which it is said that what ends by then ends soon. */
export const soonUntilMs = (nowMs: number, periodDays: number): number => nowMs + periodDays * dayMs;
