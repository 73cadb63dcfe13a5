import { hostname } from 'node:os';
import { expect } from 'vitest';
import type { TapeCandidates, TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';
import { type Answer, type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import type { ScriptedLibrary } from '../../support/scripted-library.ts';

export const path = '/tape_libraries';

export interface LibraryBench {
  readonly app: TestApp;
  readonly superuser: Session;
  makePool(name: string, more?: Record<string, unknown>): Promise<number>;
  candidates(type?: 'auto' | 'manual'): Promise<TapeCandidates>;
  /** A body that makes a library of the first robot and all drives that seem to belong to it. */
  draft(more?: Record<string, unknown>): Promise<Record<string, unknown>>;
  create(more?: Record<string, unknown>): Promise<Answer>;
  added(more?: Record<string, unknown>): Promise<number>;
  get(id: number): Promise<TapeLibrary>;
  sync(id: number): Promise<Answer>;
  cartridges(): Promise<
    readonly { barcode: string; state: string; location: string; address: number | null }[]
  >;
}

/** A server with these libraries and the empty tape pool `Tapes`. */
export async function startLibraryBench(
  libraries: readonly ScriptedLibrary[],
  options: Parameters<typeof startTestApp>[0] = {},
): Promise<LibraryBench> {
  const app = await startTestApp({
    started: true,
    ...options,
    libraryDrivers: libraries.map(({ driver }) => driver),
  });
  const superuser = await app.loginAs('superuser');
  const bench: LibraryBench = {
    app,
    superuser,
    makePool: async (name, more = {}) => {
      const body = { pool_name: name, pool_type: 'Tape library', media_server: hostname(), ...more };
      const answer = await superuser.send('POST', '/pools', body);
      expect(answer.body.errors).toEqual({});
      return answer.data<{ id: number }>().id;
    },
    candidates: async (type = 'auto') => {
      const query = `media_server=${encodeURIComponent(hostname())}&adding_type=${type}`;
      const answer = await superuser.send('GET', `${path}/candidates?${query}`);
      expect(answer.status).toBe(200);
      return answer.data<TapeCandidates>();
    },
    draft: async (more = {}) => {
      const { medium_changers: changers, tape_drives: drives } = await bench.candidates();
      const changer = changers[0]?.id;
      const own = drives.filter((drive) => drive.medium_changer_id === changer);
      return {
        pool: 'Tapes',
        media_server: hostname(),
        medium_changer_candidate_id: changer,
        tape_drives_candidates_ids: own.map(({ id }) => id),
        ...more,
      };
    },
    create: async (more) => superuser.send('POST', path, await bench.draft(more)),
    added: async (more) => {
      const answer = await bench.create(more);
      expect(answer.body).toMatchObject({ errors: {}, is_error: false });
      expect(answer.status).toBe(201);
      return answer.data<{ id: number }>().id;
    },
    get: async (id) => (await superuser.send('GET', `${path}/${id}`)).data<TapeLibrary>(),
    sync: (id) => superuser.send('POST', `${path}/${id}/sync`),
    cartridges: async () =>
      app.database.db
        .selectFrom('cartridges')
        .select(['barcode', 'state', 'location', 'element_address as address'])
        .orderBy('id')
        .execute(),
  };
  await bench.makePool('Tapes');
  return bench;
}
