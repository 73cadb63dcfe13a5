import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Options } from './options.ts';
import { messageOf } from './platform/errors.ts';
import type { Log } from './platform/log.ts';
import { errorCode } from './platform/native.ts';

/** The port that is tried first when none is asked for. */
export const usualPort = 5656;

/** The address cannot be listened on; `message` names the cause and the remedy. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

/**
 * Listens and answers the port. A port that was asked for is kept or the start fails; without one the usual port
 * is tried, and a free one is taken when that is not to be had.
 */
export async function listen(app: FastifyInstance, options: Options, log: Log): Promise<number> {
  const asked = options.port ?? usualPort;
  try {
    return await listenOn(app, options.host, asked);
  } catch (error) {
    const cause = causeOf(error, options.host, asked);
    if (options.port !== null || errorCode(error) === 'EADDRNOTAVAIL') {
      throw new CannotListen(cause, { cause: error });
    }
    log.warn('the usual port is not to be had, taking a free one', { cause });
    return listenOn(app, options.host, 0);
  }
}

async function listenOn(app: FastifyInstance, host: string, port: number): Promise<number> {
  await app.listen({ host, port });
  return (app.server.address() as AddressInfo).port;
}

function causeOf(error: unknown, host: string, port: number): string {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is taken by another program: stop it, or choose another --port (0 = a free one)`;
    case 'EACCES':
    case 'EPERM':
      return `port ${port} on ${host} is reserved by the system: choose another --port (0 = a free one)`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `--host ${host} is not an address of this computer`;
    default:
      return `cannot listen on ${host}, port ${port}: ${messageOf(error)}`;
  }
}
