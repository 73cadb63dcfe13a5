import { afterEach, beforeEach, expect, it } from 'vitest';
import { conflictOf } from '../../../backend/db/index.ts';
import { problemOf } from '../../../backend/http/problems.ts';
import { silentLog } from '../../../backend/platform/log.ts';
import { startTestApp, type TestApp } from '../../support/backend.ts';

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp({ started: true });
});
afterEach(() => app.close());

const failure = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('nothing failed');
};

it('a name that somebody else took a moment ago is a 400 that names the field', async () => {
  const { db } = app.database;
  const pool = await db.selectFrom('pools').selectAll().executeTakeFirstOrThrow();
  const { id, ...values } = pool;
  const error = await failure(db.insertInto('pools').values(values).execute());
  expect(conflictOf(error)).toEqual({ kind: 'taken', table: 'pools' });
  expect(problemOf(error, silentLog)).toMatchObject({
    status: 400,
    errors: { pool_name: expect.stringContaining('choose another') },
  });
});

it('an object that vanished or came into use a moment ago is a 400 that says so', async () => {
  const { db } = app.database;
  const error = await failure(db.deleteFrom('media_servers').execute());
  expect(conflictOf(error)).toEqual({ kind: 'reference' });
  expect(problemOf(error, silentLog).status).toBe(400);
});

it('knows what PostgreSQL says, and takes nothing else for a conflict', () => {
  const postgres = (fields: object) => Object.assign(new Error('duplicate key value'), fields);
  expect(conflictOf(postgres({ code: '23505', table: 'users' }))).toEqual({ kind: 'taken', table: 'users' });
  expect(conflictOf(postgres({ code: '23503' }))).toEqual({ kind: 'reference' });
  expect(conflictOf(postgres({ code: '57014' }))).toBeNull();
  expect(conflictOf('23505')).toBeNull();
});
