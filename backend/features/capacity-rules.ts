export const bytesPerGb = 1024 ** 3;

/** Up to here the copies of a strategy may go: its capacity in GB less the reserve. */
export function strategyLimitBytes(capacity: number, reservePercent: number): number {
  return capacity * bytesPerGb * (1 - reservePercent / 100);
}

/**
 * What copies of `storedBytes` do to a limit when `addedBytes` come to them, in the words of a refusal; null while it
 * holds. Nothing is added before a backup begins: then the question is whether the limit is reached already.
 */
export function limitBroken(copies: {
  readonly storedBytes: number;
  readonly addedBytes: number;
  readonly limitBytes: number;
}): 'have reached' | 'would pass' | null {
  const { storedBytes, addedBytes, limitBytes } = copies;
  if (addedBytes === 0) return storedBytes >= limitBytes ? 'have reached' : null;
  return storedBytes + addedBytes > limitBytes ? 'would pass' : null;
}
