import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import type { Pair } from './certificates.ts';

export interface TlsFronts {
  readonly ports: {
    /** Asks for a client certificate of the lab's authority. */
    readonly mutual: number;
    /** Its certificate is another host's. */
    readonly wrongHost: number;
    readonly expired: number;
    /** Takes connections and never answers. */
    readonly silent: number;
  };
  stop(): Promise<void>;
}

/** Front ends of the controller's LDAP port for cases that it cannot show itself. */
export async function startTlsFronts(
  address: string,
  pairs: {
    readonly authority: Pair;
    readonly server: Pair;
    readonly wrongHost: Pair;
    readonly expired: Pair;
  },
): Promise<TlsFronts> {
  const open = new Set<net.Socket>();
  const servers: net.Server[] = [];
  const listen = async (server: net.Server): Promise<number> => {
    server.on('connection', (socket: net.Socket) => {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => open.delete(socket));
    });
    server.listen(0, address);
    await once(server, 'listening');
    servers.push(server);
    return (server.address() as net.AddressInfo).port;
  };
  const front = (pair: Pair, more: tls.TlsOptions = {}): net.Server =>
    tls
      .createServer({ ...pair, ca: pairs.authority.cert, ...more }, (client) => {
        const controller = net.connect(389, address);
        open.add(controller);
        client.pipe(controller).pipe(client);
        for (const [one, other] of [
          [client, controller],
          [controller, client],
        ] as const) {
          one.on('error', () => other.destroy());
          one.on('close', () => other.destroy());
        }
      })
      // A caller that refuses the certificate is what these front ends are for.
      .on('tlsClientError', () => undefined);
  const ports = {
    mutual: await listen(front(pairs.server, { requestCert: true, rejectUnauthorized: true })),
    wrongHost: await listen(front(pairs.wrongHost)),
    expired: await listen(front(pairs.expired)),
    silent: await listen(net.createServer()),
  };
  return {
    ports,
    stop: async () => {
      for (const socket of open) socket.destroy();
      await Promise.all(
        servers.map(async (server) => {
          const closed = once(server, 'close');
          server.close();
          await closed;
        }),
      );
    },
  };
}
