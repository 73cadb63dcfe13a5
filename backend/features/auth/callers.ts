import { permissionsOf } from '../../../contract/permissions.ts';
import type { SessionUser } from '../../http/handler.ts';
import type { Clock } from '../../platform/clock.ts';
import type { AuthStore } from './auth-store.ts';

/** So many sessions are kept in memory; the next one begins anew. */
const keptSessions = 1000;

interface Caller {
  readonly user: SessionUser;
  readonly endsMs: number;
  /** Of users, roles, groups and sessions, before they were read. */
  readonly version: number;
}

/**
 * Who the sessions belong to. What was read is kept until a user, role, group or session changes: every request asks,
 * and the answer costs three statements.
 */
export function createCallers(deps: {
  readonly store: AuthStore;
  readonly clock: Clock;
  accessVersion(): number;
}) {
  const { store, clock } = deps;
  const known = new Map<string, Caller>();

  const read = async (sessionId: string): Promise<Omit<Caller, 'version'> | null> => {
    const holder = await store.sessionUser(sessionId, clock.now());
    if (!holder) return null;
    const [roles, clientGroups] = holder.domain
      ? [holder.domain.roles, []]
      : await Promise.all([store.rolesOf(holder.id), store.clientGroupsOf(holder.id)]);
    const user = {
      id: holder.id,
      userName: holder.userName,
      roles,
      permissions: new Set(permissionsOf(roles)),
      clientGroupIds: clientGroups.length > 0 ? clientGroups : null,
      sessionId,
    };
    return { user, endsMs: holder.sessionEndsMs };
  };

  return {
    /** The user of a session as it is now; `null` once the session has ended. */
    currentUser: async (sessionId: string): Promise<SessionUser | null> => {
      const version = deps.accessVersion();
      const kept = known.get(sessionId);
      if (kept && kept.version === version && kept.endsMs > clock.now()) return kept.user;
      known.delete(sessionId);
      const caller = await read(sessionId);
      if (!caller) return null;
      if (known.size >= keptSessions) known.clear();
      known.set(sessionId, { ...caller, version });
      return caller.user;
    },
  };
}
