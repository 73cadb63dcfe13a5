import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Behaviour = (
  seen: SeenRequest,
  response: ServerResponse,
  request: IncomingMessage,
) => void | Promise<void>;

export interface FakeServer {
  readonly address: string;
  readonly port: number;
  readonly requests: SeenRequest[];
  /** What answers from now on. */
  behave: Behaviour;
  readonly close: () => Promise<void>;
}

/** A real server on a free loopback port that does whatever a test wants a server to do. */
export async function startFakeServer(
  behave: Behaviour,
  options: {
    readonly tls?: {
      readonly key: string;
      readonly cert: string;
      readonly ca?: string;
      readonly requestCert?: boolean;
    };
    readonly port?: number;
  } = {},
): Promise<FakeServer> {
  const fake = { behave, requests: [] as SeenRequest[] };
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    request.setEncoding('utf8');
    for await (const chunk of request) body += chunk;
    const seen = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    fake.requests.push(seen);
    await fake.behave(seen, response, request);
  };
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    listener(request, response).catch(() => response.destroy());
  };
  const server: Server = options.tls ? createTlsServer(options.tls, handle) : createServer(handle);
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(fake, {
    address: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function envelope(data: unknown, message = '', isError = false): unknown {
  return { data, errors: {}, is_error: isError, message };
}
