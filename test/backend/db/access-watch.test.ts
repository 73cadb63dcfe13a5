import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handClock, type Session, startTestApp, type TestApp } from '../../support/backend.ts';

describe('what is kept of a session', () => {
  let app: TestApp;
  const clock = handClock();
  let reader: Session;

  beforeAll(async () => {
    app = await startTestApp({ clock });
    await app.loginAs('superuser');
  });
  afterAll(() => app.close());

  const idOfReader = async (): Promise<number> =>
    (
      await app.database.db
        .selectFrom('sessions')
        .select('user_id')
        .orderBy('created_ms', 'desc')
        .orderBy('user_id', 'desc')
        .executeTakeFirstOrThrow()
    ).user_id ?? -1;
  const status = async () => (await reader.send('GET', '/task_queue?limit=1')).status;

  it('is forgotten when a role is taken away and when the user is disabled', async () => {
    reader = await app.loginAs('administrator');
    const id = await idOfReader();
    expect(await status()).toBe(200);
    await app.database.db.deleteFrom('user_roles').where('user_id', '=', id).execute();
    expect(await status()).toBe(403);
    await app.database.db.insertInto('user_roles').values({ user_id: id, role: 'administrator' }).execute();
    expect(await status()).toBe(200);
    await app.database.db.updateTable('users').set({ enabled: 0 }).where('id', '=', id).execute();
    expect(await status()).toBe(401);
    await app.database.db.updateTable('users').set({ enabled: 1 }).where('id', '=', id).execute();
    expect(await status()).toBe(200);
  });

  it('is not what a transaction that was rolled back had written, and is what one has committed', async () => {
    const id = await idOfReader();
    const { db } = app.database;
    const refused = db.transaction().execute(async (tx) => {
      await tx.deleteFrom('user_roles').where('user_id', '=', id).execute();
      expect(await status()).toBe(200);
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect(await status()).toBe(200);
    await db.transaction().execute(async (tx) => {
      await tx.deleteFrom('user_roles').where('user_id', '=', id).execute();
      // Read while it is not committed: this answer must not stay.
      expect(await status()).toBe(200);
    });
    expect(await status()).toBe(403);
    await db.insertInto('user_roles').values({ user_id: id, role: 'administrator' }).execute();
  });

  it('ends with the session: at its hour and when it is deleted', async () => {
    expect(await status()).toBe(200);
    await app.database.db.deleteFrom('sessions').execute();
    expect(await status()).toBe(401);
  });

  it('stays while tasks change', async () => {
    const before = app.database.accessVersion();
    await app.database.db.updateTable('tasks').set({ progress: 1 }).where('id', '=', 1).execute();
    expect(app.database.accessVersion()).toBe(before);
  });
});
