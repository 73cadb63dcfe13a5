import type { Session as LoginAnswer } from '../../contract/auth/auth.ts';
import type { ConnectionState } from '../../contract/desktop/connection.ts';
import { permissionsOf, type Role, roles } from '../../contract/permissions.ts';
import type { ServerClient } from '../api/server-client.ts';
import { problemOf } from '../platform/problem-error.ts';

/** What the connection of this account may do and what the server has. */
export async function loadFacts(
  client: ServerClient,
  held: readonly string[],
): Promise<Partial<ConnectionState>> {
  const [permissions, extensions] = await Promise.all([
    client.call('auth.permissions').catch((error: unknown) => {
      // Told in another form or not at all: the roles are known from the login, and the server refuses what they do not allow.
      const status = problemOf(error)?.status;
      if (status === 404 || status === 200) return null;
      throw error;
    }),
    client.call('extensions.list').catch((error: unknown) => {
      // A server without extensions does not know the list either.
      if (problemOf(error)?.kind === 'refused' || problemOf(error)?.kind === 'badAnswer')
        return { names: [] };
      throw error;
    }),
  ]);
  const names = { extensions: extensions.names ?? [] };
  if (!permissions) return { ...names, permissions: permissionsOf(held.filter(isRole)).slice() };
  return {
    ...names,
    roles: permissions.role ?? [],
    permissions: permissions.permissions ?? [],
    serviceMode: permissions.service_mode ?? null,
  };
}

export function loginFacts(login: LoginAnswer): Partial<ConnectionState> {
  return {
    user: login.user_name ?? null,
    roles: login.role ?? [],
    serverVersion: login.package_version ?? null,
    lastSuccessLogin: login.last_success_login ?? null,
    lastFailLogin: login.last_fail_login ?? null,
  };
}

function isRole(word: string): word is Role {
  return roles.some((role) => role === word);
}
