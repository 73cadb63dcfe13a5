import type { Role } from '../../../contract/permissions.ts';
import { foldCase } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { Refusal } from '../../platform/errors.ts';
import type { InTurn } from '../../platform/in-turn.ts';
import type { Log } from '../../platform/log.ts';
import type { AttemptsStore } from './attempts-store.ts';
import type { AuthSettings } from './auth-settings.ts';
import type { DomainAccount, DomainAccountStore } from './domain-account-store.ts';
import { LoginFailure, loginBlocked, loginFailed } from './login-failure.ts';

/** A user whom the domain controller vouches for. */
export interface DomainVisitor {
  readonly dn: string;
  readonly sid: string;
  readonly userName: string;
  readonly domain: string;
  readonly roles: readonly Role[];
}

export type DomainAnswer =
  | { readonly kind: 'welcome'; readonly visitor: DomainVisitor }
  /** Not let in; why is for the log alone. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nobody could be asked. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'notConfigured' }
  /** `mayTry` said no. */
  | { readonly kind: 'blocked' };

/** What decides about users of the domain. */
export interface DomainGate {
  enter(login: {
    readonly userName: string;
    readonly password: string;
    readonly domain: string;
    /** Asked once it is known who wants in, before the password is tried. */
    readonly mayTry: (sid: string) => Promise<boolean>;
  }): Promise<DomainAnswer>;
  /** The same user again, without a password. */
  lookAgain(sid: string): Promise<DomainAnswer>;
}

export interface DomainLoginDeps {
  readonly gate: DomainGate;
  readonly accounts: DomainAccountStore;
  readonly attempts: AttemptsStore;
  readonly settings: () => Promise<AuthSettings>;
  readonly clock: Clock;
  readonly log: Log;
  readonly inTurn: InTurn;
}

export type DomainLogin = ReturnType<typeof createDomainLogin>;

/** Logins of users of the domain; who they are and what they may do is the controller's to say. */
export function createDomainLogin(deps: DomainLoginDeps) {
  const { gate, accounts, attempts, clock, log } = deps;

  return {
    /** Answers the account as it was before this login. Refuses with one text for every fault of the user's. */
    enter: async (input: {
      readonly userName: string;
      readonly password: string;
      readonly domain: string;
    }): Promise<DomainAccount> => {
      const nameKey = attemptsKey(input);
      return deps.inTurn(nameKey, async () => {
        const { limits } = await deps.settings();
        const isCounted = limits.attempts > 0;
        const counted: string[] = [];
        let foundSid: string | null = null;
        const reserve = async (key: string): Promise<boolean> => {
          if (!isCounted) return true;
          const isFree = await attempts.reserve(key, limits, clock.now());
          if (isFree) counted.push(key);
          return isFree;
        };
        const forgive = () => Promise.all(counted.map((key) => attempts.forgive(key)));

        if (!(await reserve(nameKey))) throw loginBlocked();
        const answer = await gate.enter({
          ...input,
          mayTry: (sid) => {
            foundSid = sid;
            return reserve(`domain|${sid}`);
          },
        });
        if (answer.kind === 'blocked') throw loginBlocked();
        if (answer.kind === 'welcome') {
          await Promise.all(counted.map((key) => attempts.reset(key)));
          return accounts.welcome(answer.visitor, clock.now());
        }
        if (answer.kind === 'notConfigured') {
          await forgive();
          throw noConnection();
        }
        const facts = { user: input.userName, domain: input.domain, reason: answer.reason };
        if (answer.kind === 'refused') {
          log.info('a user of the domain was not let in', facts);
          if (foundSid !== null) await accounts.noteFailed(foundSid, clock.now());
          throw loginFailed(answer.reason);
        }
        log.warn('the domain controller could not be asked about a login', facts);
        // Nothing was guessed at: an outage must not lock anybody out.
        await forgive();
        throw new Refusal('auth.failed', {
          message:
            'The domain controller cannot be asked now: try again later, or log in with a user of this server.',
          cause: new LoginFailure(answer.reason),
        });
      });
    },

    /**
     * At every refresh: who was disabled or left the groups loses the session. While the controller is away the session
     * goes on as it was, at most until its end.
     */
    isStillWelcome: async (account: { readonly id: number; readonly sid: string }): Promise<boolean> => {
      const answer = await gate.lookAgain(account.sid);
      if (answer.kind === 'welcome') {
        await accounts.setRoles(account.id, answer.visitor.roles);
        return true;
      }
      if (answer.kind === 'notConfigured' || answer.kind === 'blocked') return false;
      const facts = { account: account.sid, reason: answer.reason };
      if (answer.kind === 'refused') log.info('a session of a domain user has ended', facts);
      else log.warn('the domain controller could not be asked about a session', facts);
      return answer.kind === 'unavailable';
    },
  };
}

/**
 * Counts names that the directory does not know as well. What stands around the name (`DOMAIN\`, `@domain`, spaces) and
 * which of its names the domain is called by make no new account to guess at.
 */
function attemptsKey({ userName, domain }: { readonly userName: string; readonly domain: string }): string {
  const name = userName.slice(userName.lastIndexOf('\\') + 1).split('@')[0] ?? '';
  const [shortDomain] = domain.split('.');
  return `domain|${foldCase(shortDomain ?? '')}|${foldCase(name.trim())}`;
}

function noConnection(): Refusal {
  return new Refusal('auth.failed', {
    message: 'This server has no domain connection: log in with auth_type database.',
    cause: new LoginFailure('no connection to a domain controller is configured'),
  });
}
