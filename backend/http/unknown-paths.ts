import type { FastifyInstance } from 'fastify';
import { Refusal } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Authenticator } from './mount.ts';
import { problemEnvelope, problemOf } from './problems.ts';
import { requestFacts } from './request-facts.ts';

/** Every refusal and failure leaves as the envelope, also where no route was found. */
export function answerProblems(
  app: FastifyInstance,
  deps: {
    readonly log: Log;
    readonly auth: Authenticator;
    readonly secure: boolean;
    readonly apiPrefix: string;
  },
): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.header('X-Content-Type-Options', 'nosniff');
    if (!reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store');
    if (!reply.hasHeader('Content-Security-Policy')) {
      reply.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    }
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(
      error,
      deps.log.with({ method: request.method, route: request.routeOptions.url }),
    );
    return reply.code(problem.status).send(problemEnvelope(problem));
  });
  app.setNotFoundHandler(async (request) => {
    // Below the API's prefix nothing is told to a stranger, not even which paths exist.
    if (request.url.startsWith(`${deps.apiPrefix}/`)) {
      await deps.auth.authenticate(requestFacts(request, deps.secure), false);
    }
    throw new Refusal('path.unknown', {
      message: 'There is nothing at this address with this method.',
      errors: { path: 'unknown' },
    });
  });
}
