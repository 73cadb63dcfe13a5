import { hostname } from 'node:os';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Pool } from '../../../contract/pools/pool.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { rowsOf } from './rows.ts';

/** A pool as it is asked for; with `more` in place of what stands here. */
export const poolDraft = (more: Record<string, unknown> = {}) => ({
  pool_name: 'Second',
  pool_type: 'File system',
  media_server: hostname(),
  ...more,
});

/** For each test of a file: a new server, its superuser, and a folder for storages. */
export function poolLab() {
  let app: TestApp;
  let superuser: Session;
  let rows: ReturnType<typeof rowsOf>;
  let folder: Awaited<ReturnType<typeof makeTempDir>>;
  beforeEach(async () => {
    app = await startTestApp({ started: true });
    rows = rowsOf(app.database.db);
    superuser = await app.loginAs('superuser');
    folder = await makeTempDir('storages');
  });
  afterEach(async () => {
    await app.close();
    await folder.remove();
  });
  return {
    get app() {
      return app;
    },
    get superuser() {
      return superuser;
    },
    get rows() {
      return rows;
    },
    /** Path of the folder. */
    get folder() {
      return folder.path;
    },
    makePool: async (more: Record<string, unknown> = {}): Promise<number> => {
      const answer = await superuser.send('POST', '/pools', poolDraft(more));
      expect(answer.body).toMatchObject({ is_error: false, errors: {}, message: '' });
      expect(answer.status).toBe(201);
      return answer.data<{ id: number }>().id;
    },
    getPool: async (id: number) => (await superuser.send('GET', `/pools/${id}`)).data<Pool>(),
    makeStorage: async (path: string, more: Record<string, unknown> = {}): Promise<number> => {
      const answer = await superuser.send('POST', '/storage_local_catalogs', { data: { path, ...more } });
      expect(answer.body.errors).toEqual({});
      expect(answer.status).toBe(201);
      return answer.data<{ id: number }>().id;
    },
  };
}
