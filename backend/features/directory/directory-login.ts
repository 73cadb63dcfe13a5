import type { Client } from 'ldapts';
import { type Role, roles } from '../../../contract/permissions.ts';
import type { Db } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import { DirectoryError, type DirectoryFailure, directoryErrorOf } from './directory-errors.ts';
import {
  type DirectoryUser,
  findGroup,
  findUser,
  findUserBySid,
  groupSidsOf,
  isDomainName,
} from './directory-search.ts';
import type { DirectoryService } from './directory-service.ts';
import { type DirectorySettings, withDirectory } from './directory-session.ts';
import { createDirectoryStore } from './directory-store.ts';

/** Who was let in. */
export interface DirectoryVisitor {
  readonly dn: string;
  readonly sid: string;
  readonly userName: string;
  /** As the connection names it. */
  readonly domain: string;
  readonly roles: readonly Role[];
}

export type DirectoryLogin = ReturnType<typeof createDirectoryLogin>;

/** Lets users of the domain in. Every failure is a DirectoryError whose reason is for the log alone. */
export function createDirectoryLogin(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: Pick<DirectoryService, 'settings'>;
}) {
  const store = createDirectoryStore(deps.db);

  const requireSettings = async (): Promise<DirectorySettings> => {
    const settings = await deps.directory.settings();
    if (settings !== null) return settings;
    throw new DirectoryError('notConfigured', 'no connection to a domain controller is configured');
  };

  const bindService = async (client: Client, settings: DirectorySettings): Promise<void> => {
    try {
      await client.bind(settings.login, settings.password);
    } catch (error) {
      const { failure, message } = directoryErrorOf(error);
      if (failure === 'unreachable' || failure === 'certificate') throw error;
      throw new DirectoryError(
        'serviceLogin',
        `the account ${settings.login} is not let in: ${message}`,
        error,
      );
    }
  };

  /** Roles of all mapped groups; a mapping that was made while the directory was away finds its group now. */
  const rolesFor = async (
    client: Client,
    settings: DirectorySettings,
    sids: ReadonlySet<string>,
  ): Promise<readonly Role[]> => {
    const held = new Set<string>();
    for (const mapping of await store.mappings()) {
      let { sid } = mapping;
      if (sid === null) {
        sid = (await findGroup(client, settings, mapping.group))?.sid ?? null;
        if (sid !== null) await store.setSid(mapping.id, sid);
      }
      if (sid !== null && sids.has(sid)) held.add(mapping.role);
    }
    return roles.filter((role) => held.has(role));
  };

  const visitorOf = async (
    client: Client,
    settings: DirectorySettings,
    user: DirectoryUser,
  ): Promise<DirectoryVisitor> => {
    const found = await rolesFor(client, settings, await groupSidsOf(client, user.dn));
    if (found.length === 0) throw new DirectoryError('noRole', 'no group of the user has a role here');
    return { dn: user.dn, sid: user.sid, userName: user.userName, domain: settings.domain, roles: found };
  };

  /** On a connection of its own, so that the rights of the lookups never become the user's. */
  const checkPassword = async (settings: DirectorySettings, dn: string, password: string): Promise<void> => {
    await withDirectory(settings, (client) => client.bind(dn, password));
  };

  return {
    /** Name and password at the controller, then the roles of the user's groups. */
    enter: async (login: {
      readonly userName: string;
      readonly password: string;
      readonly domain: string;
      /** Asked before the password is tried: the same user has many spellings, but one SID. */
      readonly mayTry: (sid: string) => Promise<boolean>;
    }): Promise<DirectoryVisitor> => {
      const settings = await requireSettings();
      // An empty password would be taken for an anonymous login, which succeeds.
      if (login.password === '') throw new DirectoryError('wrongPassword', 'the password is empty');
      const user = await withDirectory(settings, async (client) => {
        await bindService(client, settings);
        const isOwn = login.domain.toLowerCase() === settings.domain.toLowerCase();
        if (!isOwn && !(await isDomainName(client, login.domain))) {
          throw new DirectoryError('wrongDomain', `${login.domain} is not the domain of the connection`);
        }
        return findUser(client, settings, login.userName);
      }).catch(async (error: unknown) => {
        if (error instanceof DirectoryError && error.failure === 'unknownUser') {
          // A name that is not there takes as long as a wrong password.
          const nobody = `CN=${newUuid()},${settings.userSearchBase}`;
          await checkPassword(settings, nobody, login.password).catch(() => undefined);
        }
        throw error;
      });
      if (!(await login.mayTry(user.sid))) throw new DirectoryError('blocked', 'too many failed logins here');
      await checkPassword(settings, user.dn, login.password);
      return withDirectory(settings, async (client) => {
        await bindService(client, settings);
        return visitorOf(client, settings, user);
      });
    },

    /** The same user again, without the password: whether it is still there, may log in, and is in a group with a role. */
    lookAgain: async (sid: string): Promise<DirectoryVisitor> => {
      const settings = await requireSettings();
      return withDirectory(settings, async (client) => {
        await bindService(client, settings);
        const user = await findUserBySid(client, settings, sid);
        if (user.isDisabled) throw new DirectoryError('disabled', 'the account is disabled');
        if (user.expiresMs !== null && user.expiresMs <= deps.clock.now()) {
          throw new DirectoryError('accountExpired', 'the account has expired');
        }
        return visitorOf(client, settings, user);
      });
    },
  };
}

/** Failures that are nobody's fault who logs in. */
const unavailable: readonly DirectoryFailure[] = ['unreachable', 'certificate', 'serviceLogin', 'refused'];

/** The same answers without exceptions, as logging in takes them. */
export function createDirectoryGate(login: DirectoryLogin) {
  const answered = async (work: Promise<DirectoryVisitor>) => {
    try {
      return { kind: 'welcome', visitor: await work } as const;
    } catch (error) {
      const { failure, message } = directoryErrorOf(error);
      if (failure === 'notConfigured' || failure === 'blocked') return { kind: failure } as const;
      const kind = unavailable.includes(failure) ? 'unavailable' : 'refused';
      return { kind, reason: `${failure}: ${message}` } as const;
    }
  };
  return {
    enter: (input: Parameters<DirectoryLogin['enter']>[0]) => answered(login.enter(input)),
    lookAgain: (sid: string) => answered(login.lookAgain(sid)),
  };
}
