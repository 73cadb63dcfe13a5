import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** What was asked: the body is read before anybody looks. */
export interface Asked {
  readonly method: string;
  /** Below `/api/v1`, without its query. */
  readonly path: string;
  readonly body: string;
}

export interface Front {
  readonly address: string;
  /** Answers in place of the server where it returns true. */
  instead: (asked: Asked, answer: ServerResponse) => boolean;
  /** What the server answered, as it is passed on. */
  change: (asked: Asked, text: string) => string;
  /** Shows another certificate from now on, to everybody anew. */
  readonly showCertificate: (tls: { readonly key: string; readonly cert: string }) => void;
  readonly close: () => void;
}

/** What stands between the window and a real server: with TLS, or with answers that a server should never give. */
export async function startFront(url: string, tls?: ServerOptions): Promise<Front> {
  const { host, hostname, port } = new URL(url);
  const pass = (seen: IncomingMessage, body: string, answer: ServerResponse): void => {
    const asked: Asked = {
      method: seen.method ?? '',
      path: (seen.url ?? '').replace(/\?.*$/, '').replace(/^\/api\/v1/, ''),
      body,
    };
    if (front.instead(asked, answer)) return;
    // The server answers to its own address only, and its text has to be readable here.
    const headers = { ...seen.headers, host, 'accept-encoding': 'identity' };
    const behind = request({ host: hostname, port, path: seen.url, method: seen.method, headers }, (got) => {
      const isJson = /json/.test(got.headers['content-type'] ?? '');
      if (!isJson) {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
        return;
      }
      const pieces: Buffer[] = [];
      got.on('data', (piece: Buffer) => pieces.push(piece));
      got.on('end', () => {
        const { 'content-length': _length, ...others } = got.headers;
        answer.writeHead(got.statusCode ?? 502, others);
        answer.end(front.change(asked, Buffer.concat(pieces).toString()));
      });
    });
    behind.on('error', () => answer.destroy());
    answer.on('close', () => behind.destroy());
    behind.end(body);
  };
  const listener = (seen: IncomingMessage, answer: ServerResponse): void => {
    const pieces: Buffer[] = [];
    seen.on('data', (piece: Buffer) => pieces.push(piece));
    seen.on('end', () => pass(seen, Buffer.concat(pieces).toString(), answer));
  };
  const server: Server | TlsServer = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const front: Front = {
    address: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    instead: () => false,
    change: (_asked, text) => text,
    showCertificate: (shown) => {
      if (!('setSecureContext' in server)) throw new Error('a front without TLS shows no certificate');
      server.setSecureContext(shown);
      server.closeAllConnections();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return front;
}
