import type { Session } from '../../../contract/auth/auth.ts';
import { foldCase } from '../../db/index.ts';
import type { RequestFacts, SessionUser } from '../../http/handler.ts';
import type { Clock } from '../../platform/clock.ts';
import { Refusal } from '../../platform/errors.ts';
import { newSecret, newUuid } from '../../platform/ids.ts';
import { createInTurn } from '../../platform/in-turn.ts';
import type { Log } from '../../platform/log.ts';
import { toWireTimeOrNull } from '../../platform/wire-time.ts';
import type { AttemptsStore } from './attempts-store.ts';
import type { AuthSettings } from './auth-settings.ts';
import type { Account, AuthStore, Holder, SessionRow } from './auth-store.ts';
import { createCallers } from './callers.ts';
import { isLoopback, presentedTokens, refreshPair } from './credentials.ts';
import type { DomainAccountStore } from './domain-account-store.ts';
import { createDomainLogin, type DomainGate } from './domain-login.ts';
import { loginBlocked, loginFailed } from './login-failure.ts';
import type { PasswordHasher } from './passwords.ts';
import { sameSecret } from './passwords.ts';
import { type Claims, refreshLifetimeMs, type TokenPair, type Tokens, tokenDigest } from './tokens.ts';

/** Name of the service database that a login must give. */
export const databaseName = 'strongroom';

export interface AuthDeps {
  readonly store: AuthStore;
  readonly attempts: AttemptsStore;
  readonly passwords: PasswordHasher;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly version: string;
  /** Decides about users of the domain. */
  readonly gate: DomainGate;
  readonly accounts: DomainAccountStore;
  readonly log: Log;
  settings(): Promise<AuthSettings>;
  /** Grows whenever users, roles, groups or sessions may have changed. */
  accessVersion(): number;
  /** The one-run secret of the desktop app that started this process; `null` in a backend that stands alone. */
  readonly launchSecret: string | null;
}

export interface LoginInput {
  readonly backup_database: string;
  readonly backup_user: string;
  readonly password: string;
  readonly auth_type?: 'database' | 'domain' | null | undefined;
  readonly domain?: string | null | undefined;
}

export interface SignedIn {
  readonly session: Session;
  readonly tokens: TokenPair;
}

export type AuthService = ReturnType<typeof createAuthService>;

export function createAuthService(deps: AuthDeps) {
  const { store, attempts, passwords, tokens, clock } = deps;
  /** Attempts on one account follow each other, so that each sees how the one before it ended. */
  const inTurn = createInTurn();
  const domainLogin = createDomainLogin({ ...deps, inTurn });
  const endListeners = new Map<string, Set<() => void>>();

  const tellEnded = (sessionId: string): void => {
    for (const listener of [...(endListeners.get(sessionId) ?? [])]) listener();
  };

  const endSession = async (sessionId: string): Promise<boolean> => {
    const ended = await store.endSession(sessionId);
    tellEnded(sessionId);
    return ended;
  };

  const { currentUser } = createCallers(deps);

  const checkPassword = async (input: LoginInput, account: Account | null): Promise<void> => {
    const accountKey = `database||${foldCase(input.backup_user)}`;
    await inTurn(accountKey, async () => {
      const { limits } = await deps.settings();
      if (limits.attempts > 0 && !(await attempts.reserve(accountKey, limits, clock.now()))) {
        throw loginBlocked();
      }
      const right = account
        ? await passwords.verify(account.passwordHash, input.password)
        : await passwords.verifyNothing(input.password);
      const failure = whyRefused(account, right);
      if (failure !== null) {
        await store.noteFailedLogin(account?.id ?? null, clock.now());
        throw loginFailed(failure);
      }
      if (limits.attempts > 0) await attempts.reset(accountKey);
    });
  };

  /** The desktop app signs in as the first superuser of the backend that it has started itself. */
  const isLaunch = async (input: LoginInput, facts: RequestFacts): Promise<boolean> =>
    deps.launchSecret !== null &&
    isLoopback(facts.address) &&
    sameSecret(input.password, deps.launchSecret) &&
    input.backup_user === (await store.firstSuperuserName());

  const sessionAnswer = async (
    holder: Holder,
    pair: TokenPair,
    csrf: string,
    facts: RequestFacts,
  ): Promise<SignedIn> => {
    const { showPreviousLogins } = await deps.settings();
    const shown = (epochMs: number | null) => (showPreviousLogins ? toWireTimeOrNull(epochMs) : null);
    return {
      tokens: pair,
      session: {
        access_token: pair.accessToken,
        refresh_token: pair.refreshToken,
        csrf_token: csrf,
        last_fail_login: shown(holder.previousFailMs),
        last_success_login: shown(holder.previousSuccessMs),
        package_version: deps.version,
        role: [...(holder.domain?.roles ?? (await store.rolesOf(holder.id)))],
        backup_server_address: new URL(facts.origin).hostname,
        user_name: holder.domain?.name ?? holder.userName,
      },
    };
  };

  const open = async (
    holder: SessionRow['holder'],
    previous: Pick<Holder, 'previousSuccessMs' | 'previousFailMs'>,
    facts: RequestFacts,
  ): Promise<SignedIn> => {
    const nowMs = clock.now();
    const sessionId = newUuid();
    const csrf = newSecret();
    const userId = 'userId' in holder ? holder.userId : -holder.domainAccountId;
    const pair = await tokens.issue({ userId, sessionId, csrf, fresh: true });
    const refreshHash = tokenDigest(pair.refreshToken);
    const { previousSuccessMs, previousFailMs } = previous;
    await store.openSession(
      {
        id: sessionId,
        holder,
        refreshHash,
        expiresMs: nowMs + refreshLifetimeMs,
        previousSuccessMs,
        previousFailMs,
      },
      nowMs,
    );
    const user = await store.sessionUser(sessionId, nowMs);
    if (!user) throw sessionOver();
    return sessionAnswer(user, pair, csrf, facts);
  };

  return {
    currentUser,

    async login(input: LoginInput, facts: RequestFacts): Promise<SignedIn> {
      if (input.auth_type === 'domain') {
        const { backup_user: userName, password, domain } = input;
        const account = await domainLogin.enter({ userName, password, domain: domain ?? '' });
        return open({ domainAccountId: account.id }, account, facts);
      }
      if (input.backup_database !== databaseName) throw loginFailed('unknown database');
      const account = await store.accountByName(input.backup_user);
      if (!(account && (await isLaunch(input, facts)))) await checkPassword(input, account);
      if (!account) throw loginFailed('unknown user');
      const previous = {
        previousSuccessMs: account.lastSuccessLoginMs,
        previousFailMs: account.lastFailLoginMs,
      };
      return open({ userId: account.id }, previous, facts);
    },

    async refresh(facts: RequestFacts): Promise<SignedIn> {
      const shown = refreshPair(facts);
      if (!shown) {
        throw new Refusal('auth.required', {
          message:
            'One or both tokens are missing: send Authorization-Access-Token and Authorization, or both cookies.',
        });
      }
      const access = await tokens.read(shown.access, 'access', { allowExpired: true });
      const refresh = await tokens.read(shown.refresh, 'refresh');
      if (!access || !refresh || access.sid !== refresh.sid) throw sessionOver();
      const user = await store.sessionUser(refresh.sid, clock.now());
      if (!user) throw sessionOver();
      if (user.domain && !(await domainLogin.isStillWelcome(user.domain))) {
        await endSession(refresh.sid);
        throw sessionOver();
      }
      const pair = await tokens.issue({
        userId: user.id,
        sessionId: refresh.sid,
        csrf: refresh.csrf,
        fresh: false,
      });
      const rotated = await store.rotateRefresh(refresh.sid, {
        from: tokenDigest(shown.refresh),
        to: tokenDigest(pair.refreshToken),
        expiresMs: clock.now() + refreshLifetimeMs,
      });
      if (!rotated) {
        // A token that was used before is shown again: somebody has a copy of it. Nobody keeps this session.
        await endSession(refresh.sid);
        throw sessionOver();
      }
      const now = (await store.sessionUser(refresh.sid, clock.now())) ?? user;
      return sessionAnswer(now, pair, refresh.csrf, facts);
    },

    async logout(user: SessionUser): Promise<void> {
      await endSession(user.sessionId);
    },

    async permissions(user: SessionUser) {
      const { serviceMode } = await deps.settings();
      return { role: [...user.roles], permissions: [...user.permissions], service_mode: serviceMode };
    },

    async authenticate(facts: RequestFacts, writes: boolean): Promise<SessionUser> {
      const shown = presentedTokens(facts);
      if (!shown) {
        throw new Refusal('auth.required', { message: 'Log in first: no access token was sent.' });
      }
      const claims = await tokens.read(shown.token, 'access');
      if (!claims) throw sessionOver();
      if (writes && shown.from === 'cookie') checkCsrf(facts, claims);
      const user = await currentUser(claims.sid);
      if (!user || String(user.id) !== claims.sub) throw sessionOver();
      return user;
    },

    onSessionEnd(sessionId: string, listener: () => void): () => void {
      const listeners = endListeners.get(sessionId) ?? new Set();
      endListeners.set(sessionId, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) endListeners.delete(sessionId);
      };
    },
  };
}

/** A form of another site can make the browser send the cookies, but it cannot know this value. */
function checkCsrf(facts: RequestFacts, claims: Claims): void {
  const header = facts.headers['x-csrf-token'];
  if (typeof header === 'string' && sameSecret(header, claims.csrf)) return;
  throw new Refusal('auth.csrf', {
    message: 'With cookies a change needs the header X-CSRF-TOKEN with the csrf_token of the login.',
  });
}

function whyRefused(account: Account | null, isPasswordRight: boolean): string | null {
  if (account === null) return 'unknown user';
  if (!isPasswordRight) return 'wrong password';
  return account.enabled ? null : 'the account is disabled';
}

function sessionOver(): Refusal {
  return new Refusal('auth.required', {
    message: 'The session is over or the token is not valid: log in again.',
  });
}
