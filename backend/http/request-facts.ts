import type { FastifyRequest } from 'fastify';
import type { RequestFacts } from './handler.ts';

/** The host is the caller's word: what makes no address is not repeated to anybody. */
function originOf(scheme: string, host: string | undefined): string {
  const origin = `${scheme}://${host}`;
  const usable = host !== undefined && /^[\w.:[\]-]+$/.test(host) && URL.canParse(origin);
  return usable ? origin : `${scheme}://localhost`;
}

export function requestFacts(request: FastifyRequest, secure: boolean): RequestFacts {
  return {
    id: request.id,
    address: request.ip,
    headers: request.headers as Readonly<Record<string, string | undefined>>,
    cookies: request.cookies,
    secure,
    get origin() {
      return originOf(secure ? 'https' : 'http', request.headers.host);
    },
  };
}
