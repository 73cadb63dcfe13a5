import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { CompactSign, compactVerify } from 'jose';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';

export const accessLifetimeMs = 15 * 60_000;
export const refreshLifetimeMs = 24 * 60 * 60_000;
/** So many tokens are remembered as genuine. */
const keptTokens = 1000;

const Claims = z.object({
  sub: z.string(),
  iat: z.number(),
  nbf: z.number(),
  exp: z.number(),
  jti: z.string(),
  type: z.enum(['access', 'refresh']),
  fresh: z.boolean(),
  csrf: z.string(),
  sid: z.string(),
});
export type Claims = z.infer<typeof Claims>;

export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface Tokens {
  issue(session: {
    readonly userId: number;
    readonly sessionId: string;
    readonly csrf: string;
    /** The password was shown just now (login), not a refresh token. */
    readonly fresh: boolean;
  }): Promise<TokenPair>;
  /**
   * The claims of a token of this very process; `null` for anything else: another key, another algorithm, another
   * type, not yet or no longer valid. `allowExpired` is for the access token beside a refresh.
   */
  read(
    token: string,
    type: Claims['type'],
    options?: { readonly allowExpired?: boolean },
  ): Promise<Claims | null>;
}

/** HS256 with a key that lives as long as the process: a restart of the service ends all sessions. */
export function createTokens(clock: Clock, key: Uint8Array = randomBytes(32)): Tokens {
  const sign = (claims: Claims): Promise<string> =>
    new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(key);
  /** Tokens whose signature was right, so that it is not worked out for every request; their times are checked each time. */
  const genuine = new Map<string, Claims>();
  const claimsOf = async (token: string): Promise<Claims | null> => {
    const known = genuine.get(token);
    if (known) return known;
    const claims = await verified(token, key);
    if (claims === null) return null;
    if (genuine.size >= keptTokens) genuine.clear();
    genuine.set(token, claims);
    return claims;
  };
  return {
    issue: async ({ userId, sessionId, csrf, fresh }) => {
      const nowMs = clock.now();
      const claims = (type: Claims['type'], lifetimeMs: number): Claims => ({
        sub: String(userId),
        iat: Math.floor(nowMs / 1000),
        nbf: Math.floor(nowMs / 1000),
        exp: Math.floor((nowMs + lifetimeMs) / 1000),
        jti: randomUUID(),
        type,
        fresh: fresh && type === 'access',
        csrf,
        sid: sessionId,
      });
      const [accessToken, refreshToken] = await Promise.all([
        sign(claims('access', accessLifetimeMs)),
        sign(claims('refresh', refreshLifetimeMs)),
      ]);
      return { accessToken, refreshToken };
    },
    read: async (token, type, options = {}) => {
      const claims = await claimsOf(token);
      if (claims?.type !== type) return null;
      const now = clock.now() / 1000;
      // A clock that was set back by a little must not end a session that was just opened.
      if (claims.nbf > now + 60) return null;
      return options.allowExpired || claims.exp > now ? claims : null;
    },
  };
}

async function verified(token: string, key: Uint8Array): Promise<Claims | null> {
  if (token.length > 4096) return null;
  try {
    const { payload } = await compactVerify(token, key, { algorithms: ['HS256'] });
    const claims = Claims.safeParse(JSON.parse(new TextDecoder().decode(payload)));
    return claims.success ? claims.data : null;
  } catch {
    // Whatever is wrong with a token, the answer is the same: it does not count.
    return null;
  }
}

/** What is kept of a refresh token. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
