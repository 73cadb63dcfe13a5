import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyServerOptions } from 'fastify';
import type { Log } from '../platform/log.ts';
import { problemEnvelope, problemOf } from './problems.ts';

/** The most that a body may have. */
export const maxBodyBytes = 1024 * 1024;

/** The HTTP server with its limits; nothing is mounted yet. Throws when certificate or key are no good. */
export function createFastify(options: {
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly log: Log;
}): FastifyInstance {
  const common: FastifyServerOptions = {
    bodyLimit: maxBodyBytes,
    requestTimeout: 60_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: true,
    return503OnClosing: false,
    trustProxy: false,
    genReqId: () => randomUUID(),
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    frameworkErrors: (error, _request, reply) => {
      const problem = problemOf(error, options.log);
      void (reply as FastifyReply).code(problem.status).send(problemEnvelope(problem));
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket),
    routerOptions: { maxParamLength: 200 },
  };
  const app = options.tls
    ? Fastify({ ...common, https: { ...options.tls, minVersion: 'TLSv1.2' } } as FastifyServerOptions)
    : Fastify(common);
  return app;
}

/** What is no HTTP at all gets the same envelope, then the connection is closed. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(
    problemEnvelope({
      status: 400,
      message: 'The request is not valid HTTP, or its head is too large.',
      errors: { request: 'could not be read' },
    }),
  );
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
