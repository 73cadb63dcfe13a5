import { afterEach, beforeEach, expect, it } from 'vitest';
import { createJoinTokens } from '../../../backend/features/clients/join-tokens.ts';
import { handClock, startTestApp, type TestApp } from '../../support/backend.ts';

let app: TestApp;
const clock = handClock(new Date(2030, 0, 15, 12).getTime());

beforeEach(async () => {
  app = await startTestApp({ started: true, clock });
});
afterEach(() => app.close());

interface JoinToken {
  readonly token: string;
  readonly expires: string;
}

it('a join token is good for one agent, within an hour, and only its digest is kept', async () => {
  const superuser = await app.loginAs('superuser');
  const make = async () => (await superuser.send('POST', '/clients/join_tokens')).data<JoinToken>();
  const tokens = createJoinTokens({ db: app.database.db, clock });
  const { token, expires } = await make();
  expect(expires).toBe('2030-01-15T13:00:00');
  const stored = await app.database.db.selectFrom('join_tokens').selectAll().execute();
  expect(JSON.stringify(stored)).not.toContain(token);
  expect(await tokens.use('another')).toBe(false);
  expect(await Promise.all([tokens.use(token), tokens.use(token)])).toEqual([true, false]);
  const late = await make();
  clock.advance(60 * 60 * 1000);
  expect(await tokens.use(late.token)).toBe(false);
});

it('is made by those who may change all clients', async () => {
  const groups = [1];
  const limited = await app.loginAs('administrator', { clientGroupIds: groups });
  const refused = await limited.send('POST', '/clients/join_tokens');
  expect(refused.status).toBe(403);
  expect(refused.body.message).toContain('all client groups');
  expect((await (await app.loginAs('maintainer')).send('POST', '/clients/join_tokens')).status).toBe(403);
  expect((await (await app.loginAs('supervisor')).send('POST', '/clients/join_tokens')).status).toBe(201);
});
