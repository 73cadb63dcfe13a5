import type { FastifyRequest } from 'fastify';
import type { RequestFacts } from './handler.ts';

export function requestFacts(request: FastifyRequest, secure: boolean): RequestFacts {
  return {
    id: request.id,
    address: request.ip,
    headers: request.headers as Readonly<Record<string, string | undefined>>,
    cookies: request.cookies,
    secure,
    origin: `${secure ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`,
  };
}
