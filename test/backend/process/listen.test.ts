import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { listen, usualPort } from '../../../backend/listen.ts';
import { silentLog } from '../../../backend/platform/log.ts';

const options = {
  dataDir: '/x',
  host: '127.0.0.1',
  tls: null,
  insecureHttp: false,
  databaseUrl: null,
  scratchDir: null,
  tasksAtOnce: null,
};

it('without a --port the usual one is tried, and a free one taken when another program has it (case 5)', async () => {
  const other = createServer();
  other.listen(usualPort, '127.0.0.1');
  // If somebody else has it already, that serves as well.
  await Promise.race([once(other, 'listening'), once(other, 'error').catch(() => undefined)]).catch(
    () => undefined,
  );
  const app = Fastify();
  const port = await listen(app, { ...options, port: null }, silentLog);
  expect(port).not.toBe(usualPort);
  expect((app.server.address() as AddressInfo).port).toBe(port);
  await app.close();
  other.close();
});
