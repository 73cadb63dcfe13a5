import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionUser } from './handler.ts';
import type { MountDeps } from './mount.ts';
import { readingRight, withinRight } from './own-groups.ts';

/** How often a stream makes sure that its session is still alive (a role or the account may have changed). */
const recheckMs = 5_000;

/**
 * Runs the handler of an endpoint that answers `text/event-stream`. The stream ends when the handler returns, the
 * caller goes away, the session ends or the server stops.
 */
export async function serveStream(
  request: FastifyRequest,
  reply: FastifyReply,
  call: Readonly<Record<string, unknown>>,
  run: (call: Record<string, unknown>) => Promise<unknown>,
  deps: MountDeps,
): Promise<void> {
  const user = call.user as SessionUser;
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const stopWatching = deps.auth.onSessionEnd(user.sessionId, end);
  const recheck = setInterval(async () => {
    const now = await deps.auth.currentUser(user.sessionId).catch(() => null);
    if (now === null) end();
  }, recheckMs);
  reply.raw.on('close', end);
  deps.stopping.addEventListener('abort', end);
  if (deps.stopping.aborted) end();
  reply.hijack();
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-accel-buffering': 'no',
  });
  reply.raw.flushHeaders();
  const { signal } = ended;
  const lastEventId = request.headers['last-event-id'];
  try {
    await run({
      ...call,
      signal,
      lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : null,
      send: async (chunk: string) => {
        if (signal.aborted || reply.raw.write(chunk)) return;
        // A reader that has stopped reading is waited for, until it reads on or is gone.
        await once(reply.raw, 'drain', { signal }).catch(() => undefined);
      },
      currentUser: async () => {
        const now = await deps.auth.currentUser(user.sessionId);
        return now && withinRight(now, readingRight);
      },
    });
  } catch (error) {
    deps.log.error('an event stream failed', { error });
  } finally {
    clearInterval(recheck);
    stopWatching();
    deps.stopping.removeEventListener('abort', end);
    end();
    reply.raw.end();
  }
}
