/** The tokens of one server: in memory, in main, nowhere else but (refresh and access) in the keychain. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  readonly csrf: string;
}

/** Monotonic milliseconds; steps of the wall clock do not move it. */
export type Ticks = () => number;

const usualAccessMs = 15 * 60_000;
const renewBeforeMs = 60_000;

export interface Session {
  readonly tokens: () => Tokens | null;
  /** Grows with every new set of tokens: a caller sees whether someone else renewed meanwhile. */
  readonly generation: () => number;
  readonly isNearExpiry: () => boolean;
  readonly set: (tokens: Tokens | null) => void;
  /** The one renewal in flight: whoever asks while it runs gets the same answer. */
  readonly renewOnce: (renew: () => Promise<void>) => Promise<void>;
}

/**
 * Expiry is judged by the token's own span on a monotonic clock, as a hint to renew early. What counts is the
 * server's answer: after a sleep of the computer the monotonic clock may have stood still, and a 401 says so.
 */
export function createSession(ticks: Ticks = () => performance.now()): Session {
  let tokens: Tokens | null = null;
  let generation = 0;
  let renewAt = 0;
  let renewal: Promise<void> | null = null;
  return {
    tokens: () => tokens,
    generation: () => generation,
    isNearExpiry: () => tokens !== null && ticks() >= renewAt,
    set: (next) => {
      tokens = next;
      generation++;
      const spanMs = next ? accessSpanMs(next.access) : 0;
      renewAt = ticks() + Math.max(spanMs / 2, spanMs - renewBeforeMs);
    },
    renewOnce: (renew) => {
      renewal ??= renew().finally(() => {
        renewal = null;
      });
      return renewal;
    },
  };
}

/** `exp - iat` of the token, if it is a JWT that says so; both are the server's clock, so its skew does not matter. */
function accessSpanMs(token: string): number {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const { exp, iat } = claims as { readonly exp?: unknown; readonly iat?: unknown };
    if (typeof exp !== 'number' || typeof iat !== 'number') return usualAccessMs;
    const spanMs = (exp - iat) * 1000;
    return spanMs > 0 && spanMs <= 24 * 3_600_000 ? spanMs : usualAccessMs;
  } catch {
    // Not a JWT: an opaque token has the span that the specification names.
    return usualAccessMs;
  }
}
