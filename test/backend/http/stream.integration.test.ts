import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SessionUser } from '../../../backend/http/handler.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';

/** A stream over a real connection: the handler says who listens, then waits until it is told to end. */
let backend: TestApp;
let root: Session;
let url: string;
let ended: string[];
let lastUser: (() => Promise<SessionUser | null>) | undefined;

beforeEach(async () => {
  ended = [];
  backend = await startTestApp({
    moreHandlers: () => ({
      'events.stream': async ({ signal, send, lastEventId, user, currentUser }) => {
        lastUser = currentUser;
        await send(`data: ${JSON.stringify({ user: user.userName, lastEventId })}\n\n`);
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ended.push(user.userName);
      },
    }),
  });
  root = await backend.loginAs('superuser');
  url = `${await backend.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/events`;
});
afterEach(() => backend.close());

async function listen(session: Session, headers: Record<string, string> = {}) {
  const gone = new AbortController();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${session.accessToken}`, ...headers },
    signal: gone.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = (await reader?.read())?.value;
  return { response, first, leave: () => gone.abort(), end: async () => (await reader?.read())?.done };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

it('a stream says who listens and where to resume', async () => {
  const stream = await listen(root, { 'last-event-id': '17' });
  expect(stream.response.status).toBe(200);
  expect(stream.response.headers.get('content-type')).toContain('text/event-stream');
  expect(stream.first).toBe('data: {"user":"superuser","lastEventId":"17"}\n\n');
  expect(await lastUser?.()).toMatchObject({ userName: 'superuser' });
  stream.leave();
  await until(() => ended.length === 1);
});

it('a stream ends with the session, at once', async () => {
  const auditor = await backend.loginAs('auditor');
  const [mine, other] = [await listen(root), await listen(auditor)];
  await root.send('DELETE', '/auth/logout');
  expect(await mine.end()).toBe(true);
  expect(ended).toEqual(['superuser']);
  other.leave();
});

it('a stream ends soon after the account is disabled', async () => {
  const auditor = await backend.loginAs('auditor');
  const stream = await listen(auditor);
  await backend.database.db
    .updateTable('users')
    .set({ enabled: 0 })
    .where('user_name', '=', 'auditor')
    .execute();
  expect(await stream.end()).toBe(true);
});

it('a stream ends when the server stops', async () => {
  const stream = await listen(root);
  const closed = backend.close();
  expect(await stream.end()).toBe(true);
  await closed;
  backend = await startTestApp();
});

it('a stream needs a login like everything else', async () => {
  const response = await fetch(url);
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ is_error: true, data: null });
});
