/** What a difference between the clock of a server and that of this computer leads to. */
export type SkewVerdict = 'none' | 'warning' | 'noDeletions';

const warnedMs = 60_000;
/** Retention is counted in days: by a clock that is wrong by one, what has expired cannot be judged. */
const noDeletionsMs = 86_400_000;

/** `skewMs`: the server's clock less this computer's; null while it is not known. */
export function judgeSkew(skewMs: number | null): SkewVerdict {
  const amountMs = Math.abs(skewMs ?? 0);
  if (amountMs >= noDeletionsMs) return 'noDeletions';
  return amountMs >= warnedMs ? 'warning' : 'none';
}
