import type { z } from 'zod';
import type {
  DirectoryConnection,
  DirectoryConnectionDraft,
  DirectoryMapping,
  DirectoryMappingDraft,
} from '../../../contract/directory/directory.ts';
import type { DirectoryCheck } from '../../../contract/directory/directory-check.ts';
import type { Db, Dialect, ListRequest, Page } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, Refusal } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { distinctIds, requireAllFound } from '../bulk.ts';
import { certificateRefusals, certificatesOf } from './connection-rules.ts';
import { checkDirectory } from './directory-check.ts';
import { DirectoryError, directoryErrorOf } from './directory-errors.ts';
import { findGroup } from './directory-search.ts';
import { type DirectorySettings, withDirectory } from './directory-session.ts';
import { createDirectoryStore } from './directory-store.ts';

export interface DirectoryDeps {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: SecretBox;
}

interface Secrets {
  readonly password: string;
  readonly clientCert: string | null;
}

export type DirectoryService = ReturnType<typeof createDirectoryService>;

const purpose = 'directory connection';

function refuseCertificates(draft: DirectoryConnectionDraft): void {
  const errors = certificateRefusals(draft);
  const [first] = Object.entries(errors);
  if (first) throw new Refusal('request.invalid', { message: `${first[0]} ${first[1]}.`, errors });
}

/** As a session takes them, of what is saved or only tried. */
function settingsOf(
  shown: Omit<DirectoryConnection, 'root_cert' | 'client_cert'>,
  secrets: Pick<DirectorySettings, 'password' | 'rootCert' | 'clientCert'>,
): DirectorySettings {
  return {
    protocol: shown.protocol === 'ldaps' ? 'ldaps' : 'ldap',
    address: shown.address,
    port: shown.port,
    domain: shown.domain,
    login: shown.login,
    userSearchBase: shown.user_search_base,
    groupSearchBase: shown.group_search_base,
    ...secrets,
  };
}

/** The one connection to a domain controller, and which groups of it have which role. */
export function createDirectoryService(deps: DirectoryDeps) {
  const { clock, log, secrets } = deps;
  const store = createDirectoryStore(deps.db);

  /** Null when there is no connection. */
  const settings = async (): Promise<DirectorySettings | null> => {
    const stored = await store.connection();
    if (stored === null) return null;
    const shown = JSON.parse(stored.settings) as DirectoryConnection;
    const { password, clientCert } = JSON.parse(secrets.open(stored.secrets, purpose)) as Secrets;
    return settingsOf(shown, { password, rootCert: shown.root_cert, clientCert });
  };

  /** Tells at once, in the log, what a login would run into; the controller need not be up to be configured. */
  const tryOut = async (): Promise<void> => {
    const now = await settings();
    if (now === null) return;
    try {
      await withDirectory(now, (client) => client.bind(now.login, now.password));
      log.info('the domain controller answers', { address: now.address, domain: now.domain });
    } catch (error) {
      const { failure, message } = directoryErrorOf(error);
      log.warn('the domain controller cannot be used yet', {
        address: now.address,
        failure,
        reason: message,
      });
    }
  };

  /** SID of a group; null when the directory cannot be asked now. Refuses a group that is not there. */
  const sidOf = async (group: string): Promise<string | null> => {
    const now = await settings();
    if (now === null) return null;
    try {
      const found = await withDirectory(now, async (client) => {
        await client.bind(now.login, now.password);
        return findGroup(client, now, group);
      });
      if (found === null)
        throw invalidField('group', 'is no group, or not one alone, below group_search_base');
      return found.sid;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const { message } = error instanceof DirectoryError ? error : directoryErrorOf(error);
      log.warn('a group of the directory is looked up later', { group, reason: message });
      return null;
    }
  };

  return {
    settings,

    get: async (): Promise<DirectoryConnection> => {
      const stored = await store.connection();
      if (stored !== null) return JSON.parse(stored.settings) as DirectoryConnection;
      throw new Refusal('object.notFound', {
        message: 'No connection to a domain controller is configured.',
        errors: { configuration: 'not found' },
      });
    },

    /** Saves nothing, and leaves nothing in the log but the outcome: the settings hold a password. */
    check: async (draft: DirectoryConnectionDraft): Promise<DirectoryCheck> => {
      refuseCertificates(draft);
      const { password, root_cert: rootCert, client_cert: clientCert } = draft;
      const outcome = await checkDirectory(
        settingsOf(draft, { password, rootCert: rootCert || null, clientCert: clientCert || null }),
      );
      log.info('settings of a domain controller were tried', {
        address: draft.address,
        works: outcome.works,
      });
      return outcome;
    },

    set: async (draft: z.output<typeof DirectoryConnectionDraft>): Promise<DirectoryConnection> => {
      refuseCertificates(draft);
      const { password, client_cert, root_cert, ...shown } = draft;
      const connection: DirectoryConnection = {
        ...shown,
        client_cert: client_cert ? certificatesOf(client_cert) : null,
        root_cert: root_cert || null,
      };
      const sealed = secrets.seal(
        JSON.stringify({ password, clientCert: client_cert || null } satisfies Secrets),
        purpose,
      );
      await store.setConnection({ settings: JSON.stringify(connection), secrets: sealed }, clock.now());
      tryOut().catch((error) => log.error('the domain controller could not be tried out', { error }));
      return connection;
    },

    /** Nobody can vouch for domain users any more, so they are logged out. */
    remove: async (): Promise<void> => {
      await store.removeConnection();
      await store.endAllSessions();
    },

    listMappings: (list: ListRequest): Promise<Page<DirectoryMapping>> => store.list(list, deps.dialect),

    addMapping: async (draft: DirectoryMappingDraft): Promise<{ readonly id: number }> => {
      const sid = await sidOf(draft.group);
      if (await store.hasMapping(draft.group, sid, draft.role)) {
        throw invalidField('group', `has the role ${draft.role} already`);
      }
      return { id: await store.addMapping({ ...draft, sid, nowMs: clock.now() }) };
    },

    /** All or nothing. */
    removeMappings: async (given: readonly number[]): Promise<{ readonly ids: number[] }> => {
      const ids = distinctIds(given);
      await deps.db.transaction().execute(async (tx) => {
        const inside = createDirectoryStore(tx);
        requireAllFound('Mapping', ids, await inside.mappingIds(ids));
        await inside.removeMappings(ids);
      });
      return { ids: [...ids] };
    },
  };
}
