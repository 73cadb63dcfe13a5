import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  answerJson,
  type Behaviour,
  envelope,
  type FakeServer,
  type SeenRequest,
  startFakeServer,
} from './fake-server.ts';

export const goodPassword = 'correct horse';

export interface BackupServer extends FakeServer {
  /** As after the API service was restarted: no token of before is good any more. */
  readonly forgetSessions: () => void;
  /** Access tokens of before are refused, refresh tokens are good. */
  readonly expireAccess: () => void;
  readonly count: (path: string) => number;
  /** Answers what the core does not know; false passes it on to 404. */
  extra: (seen: SeenRequest, response: ServerResponse) => boolean;
  describesItself: 'three' | 'five' | 'no';
}

/** Login, renewal with rotation, permissions: the core of a backup server, for tests of what goes wrong around it. */
export async function startBackupServer(
  options: Parameters<typeof startFakeServer>[1] = {},
): Promise<BackupServer> {
  const accesses = new Set<string>();
  const refreshes = new Map<string, string>();
  const issue = () => {
    const access = `access-${randomUUID()}`;
    const refresh = `refresh-${randomUUID()}`;
    accesses.add(access);
    refreshes.set(refresh, access);
    return {
      access_token: access,
      refresh_token: refresh,
      csrf_token: `csrf-${access}`,
      last_fail_login: null,
      last_success_login: '2030-01-31T12:00:00',
      package_version: '2.4.0',
      role: ['superuser'],
      backup_server_address: '127.0.0.1',
      user_name: 'admin',
    };
  };
  const behave: Behaviour = (seen, response) => {
    const path = seen.path.replace(/\?.*$/, '').replace('/api/v1', '');
    const bearer = (seen.headers.authorization ?? '').replace('Bearer ', '');
    if (path === '/openapi.json') {
      if (server.describesItself === 'no') return answerJson(response, 404, envelope(null, 'unknown', true));
      const login = server.describesItself === 'five' ? { auth_type: {} } : {};
      return answerJson(response, 200, { info: { version: '2.4.0' }, paths: { '/auth/login': login } });
    }
    if (path === '/auth/login') {
      if (JSON.parse(seen.body).password !== goodPassword)
        return answerJson(response, 401, envelope(null, 'Wrong user or password.', true));
      return answerJson(response, 200, envelope(issue()));
    }
    if (path === '/auth/refresh') {
      const access = refreshes.get(bearer);
      const shown = String(seen.headers['authorization-access-token'] ?? '').replace('Bearer ', '');
      refreshes.delete(bearer);
      if (!access || shown !== access) return answerJson(response, 401, envelope(null, 'Expired.', true));
      accesses.delete(access);
      return answerJson(response, 200, envelope(issue()));
    }
    if (!accesses.has(bearer)) return answerJson(response, 401, { msg: 'Token has expired' });
    if (seen.method !== 'GET' && seen.headers['x-csrf-token'] !== `csrf-${bearer}`)
      return answerJson(response, 401, { msg: 'CSRF double submit tokens do not match' });
    if (path === '/auth/permissions')
      return answerJson(
        response,
        200,
        envelope({ role: ['superuser'], permissions: ['pools.read'], service_mode: false }),
      );
    if (path === '/auth/logout') {
      accesses.delete(bearer);
      return answerJson(response, 200, envelope(null));
    }
    if (server.extra(seen, response)) return;
    return answerJson(response, 404, envelope(null, 'There is no such path.', true));
  };
  const fake = await startFakeServer(behave, options);
  const server: BackupServer = Object.assign(fake, {
    forgetSessions: () => {
      accesses.clear();
      refreshes.clear();
    },
    expireAccess: () => accesses.clear(),
    count: (path: string) => fake.requests.filter((seen) => seen.path.startsWith(`/api/v1${path}`)).length,
    extra: () => false,
    describesItself: 'five' as const,
  });
  return server;
}
