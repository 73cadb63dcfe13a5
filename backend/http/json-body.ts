import type { FastifyInstance } from 'fastify';
import { Refusal } from '../platform/errors.ts';

/**
 * The only bodies are JSON. A page of another site cannot send that type without asking first, so a form or a
 * plain text never reaches a handler. Keys that would touch prototypes are refused, and so is text that is not UTF-8.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    if (bytes.byteLength === 0) return done(null, undefined);
    if (!isJson(request.headers['content-type'])) {
      return done(
        new Refusal('request.invalid', {
          message: 'The body must be JSON: send it with Content-Type application/json.',
          errors: { 'content-type': 'must be application/json' },
        }),
      );
    }
    let text: string;
    try {
      text = decoder.decode(bytes);
    } catch (error) {
      return done(invalidJson(error));
    }
    // The parser answers through the callback in the same turn; its own type allows both ways.
    void parseJson(request, text, (error, value) => done(error ? invalidJson(error) : null, value));
  });
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '');
}

function invalidJson(cause: unknown): Refusal {
  return new Refusal('request.invalid', {
    message: 'The body is not valid JSON.',
    errors: { body: 'is not valid JSON' },
    cause,
  });
}
