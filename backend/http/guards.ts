import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../platform/errors.ts';

/**
 * Two guards against pages of other sites, before anything else is looked at. No CORS header is ever sent.
 *
 * - On loopback the `Host` must name this very server: a foreign name that was made to point here (DNS rebinding)
 *   is refused. A server for other hosts may be reached by names that it cannot know.
 * - An `Origin`, if there is one, must be the server's own page.
 */
export function guardAgainstOtherSites(
  app: FastifyInstance,
  options: { readonly loopbackOnly: boolean; readonly secure: boolean },
): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(refusalOf(request, options));
  });
}

function refusalOf(
  request: FastifyRequest,
  options: { readonly loopbackOnly: boolean; readonly secure: boolean },
): Refusal | undefined {
  const host = request.headers.host ?? '';
  if (options.loopbackOnly && !isLoopbackHost(host, request)) {
    return new Refusal('request.invalid', {
      message: 'This server answers to its own address only.',
      errors: { host: 'is not an address of this server' },
    });
  }
  const { origin } = request.headers;
  if (origin !== undefined && origin !== `${options.secure ? 'https' : 'http'}://${host}`) {
    return new Refusal('permission.denied', {
      message: 'Requests from pages of other sites are refused.',
      errors: { origin: 'is another site' },
    });
  }
  return undefined;
}

function isLoopbackHost(host: string, request: FastifyRequest): boolean {
  const match = /^(127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::(\d{1,5}))?$/i.exec(host);
  if (!match) return false;
  const port = request.socket.localPort;
  // Requests that are injected in tests come without a socket's port.
  return port === undefined || match[2] === undefined || Number(match[2]) === port;
}
