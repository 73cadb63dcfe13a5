export const bytesPerGb = 1024 ** 3;

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
