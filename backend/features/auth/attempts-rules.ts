/** Limits of the configuration: `attempts` 0 = nobody is ever blocked. */
export interface LoginLimits {
  readonly attempts: number;
  readonly blockMs: number;
}

export interface Attempts {
  readonly failures: number;
  readonly blockedUntilMs: number | null;
}

/**
 * A clock that was set back must not make a block longer than the configured time; neither must a period that was
 * shortened meanwhile.
 */
export function isBlocked(attempts: Attempts | null, limits: LoginLimits, nowMs: number): boolean {
  if (limits.attempts === 0 || attempts === null || attempts.blockedUntilMs === null) return false;
  return nowMs < attempts.blockedUntilMs && attempts.blockedUntilMs - nowMs <= limits.blockMs;
}

/** The state once this attempt has failed, of an account that is not blocked. */
export function afterAttempt(before: Attempts | null, limits: LoginLimits, nowMs: number): Attempts {
  const earlier = before === null || before.blockedUntilMs !== null ? 0 : before.failures;
  const failures = earlier + 1;
  const full = limits.attempts > 0 && failures >= limits.attempts;
  return { failures, blockedUntilMs: full ? nowMs + limits.blockMs : null };
}
