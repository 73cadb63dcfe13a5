import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SmallServer {
  readonly address: string;
  /** From now on it takes connections and answers nothing. */
  readonly fallMute: () => void;
  readonly close: () => Promise<void>;
}

const envelope = (data: unknown): string =>
  JSON.stringify({ data, errors: {}, is_error: false, message: '' });

/** The least of a backup server that the window connects to: who comes in, what they may do, and empty lists. */
export async function startSmallServer(): Promise<SmallServer> {
  let isMute = false;
  const tokens = { access_token: 'access', refresh_token: 'refresh', csrf_token: 'csrf' };
  const permissions = ['task_queue.read', 'pools.read', 'repository.read', 'clients.read'];
  const answers: Readonly<Record<string, unknown>> = {
    '/auth/login': {
      ...tokens,
      last_fail_login: null,
      last_success_login: '2030-01-31T12:00:00',
      package_version: '2.4.0',
      role: ['superuser'],
      backup_server_address: '127.0.0.1',
      user_name: 'admin',
    },
    '/auth/refresh': tokens,
    '/auth/permissions': { role: ['superuser'], permissions, service_mode: false },
    '/auth/logout': null,
  };
  const server: Server = createServer((request, response) => {
    request.resume();
    if (isMute) return;
    const path = (request.url ?? '').replace(/\?.*$/, '').replace('/api/v1', '');
    const isList = /^\/(task_queue|pools|repository|clients)$/.test(path);
    const isKnown = isList || Object.hasOwn(answers, path);
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json', 'x-total-count': '0' });
    response.end(envelope(isList ? [] : (answers[path] ?? null)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    fallMute: () => {
      isMute = true;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
