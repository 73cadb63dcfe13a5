import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAnnouncements } from '../../backend/features/announce.ts';
import { createEventService } from '../../backend/features/events/event-service.ts';
import { silentLog } from '../../backend/platform/log.ts';
import { toWireTime } from '../../backend/platform/wire-time.ts';
import type { Copy } from '../../contract/repository/copy.ts';
import { type RepositoryLab, startRepositoryLab } from '../backend/repository/support.ts';
import { expectUniformList } from './list-suite.ts';

/** The statements of repository and events that are more than plain ones, on a database of either kind. */
export function repositorySuite(
  name: string,
  place: () => Promise<NonNullable<Parameters<typeof startRepositoryLab>[0]>>,
): void {
  describe(`the repository with ${name}`, () => {
    let lab: RepositoryLab;
    beforeAll(async () => {
      lab = await startRepositoryLab(await place());
    });
    afterAll(() => lab.close());

    const ids = async (query = ''): Promise<number[]> =>
      (await lab.superuser.send('GET', `/repository${query}`)).data<Copy[]>().map(({ id }) => id);

    it('keeps, lists and deletes chains; expired ones go by themselves', async () => {
      const now = lab.clock.now();
      const made = await lab.rows.task({ status: 'done', clientId: 1 });
      const places = { poolId: 1, storageId: 1, clientId: 1 };
      const first = await lab.rows.copy(places, { store_until_ms: now + 1000, task_id: made, rule_id: 3 });
      const second = await lab.rows.copy(places, { reference_id: first, store_until_ms: now + 1000 });
      const third = await lab.rows.copy(places, { reference_id: second, store_until_ms: now + 1000 });
      await expectUniformList((method, path) => lab.superuser.send(method, path), '/repository');
      expect(await ids('?client_id=1&sort=path&order=desc&page=1&limit=2')).toHaveLength(2);

      const until = toWireTime(now + 5000);
      await lab.superuser.send('PATCH', `/repository/${third}`, { data: { store_until: until } });
      const kept = (await lab.superuser.send('GET', '/repository')).data<Copy[]>();
      expect(kept.map(({ store_until }) => store_until)).toEqual([until, until, until]);
      const answer = await lab.superuser.send('POST', '/repository/deletion_reference_chain', {
        ids: [first],
      });
      expect(answer.data()).toEqual([{ id: first, dependencies: [second, third] }]);

      expect((await lab.superuser.send('DELETE', `/repository/${third}`)).data()).toEqual({ ids: [third] });
      expect(await lab.repository.copies.expireDue(now + 4999)).toEqual([]);
      await lab.configure({ dont_delete_last_gs_rule_archive: false });
      expect(await lab.repository.copies.expireDue(now + 5000)).toEqual([second, first]);
      expect(await ids()).toEqual([]);
      const task = await lab.app.database.db
        .selectFrom('tasks')
        .select('status')
        .where('id', '=', made)
        .executeTakeFirst();
      expect(task?.status).toBe('obsoleted');
    });

    it('finds copies by texts of their own and of their places, and none that is being deleted', async () => {
      const { db } = lab.app.database;
      const pool = await db.selectFrom('pools').select('name').where('id', '=', 1).executeTakeFirstOrThrow();
      const storage = await db
        .selectFrom('storages')
        .select('path')
        .where('id', '=', 1)
        .executeTakeFirstOrThrow();
      const uuid = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
      const place = { poolId: 1, storageId: 1, clientId: 1 };
      const copy = await lab.rows.copy(place, { uuid, description: 'Überwachung', resource: '/srv/one' });
      const going = await lab.rows.copy(place, {
        description: 'Überwachung',
        resource: '/srv/one',
        deleting: 1,
      });
      const nowhere = await lab.rows.copy({}, { resource: '/srv/two' });
      const found = (text: string) => ids(`?search=${encodeURIComponent(text)}&page=1&limit=10`);
      const end = storage.path.slice(-4);
      for (const text of [
        'ÜBERWACH',
        'ü',
        '5717-4562',
        `${end}/3FA85`,
        `${end}/`,
        pool.name,
        storage.path,
        'v/one',
      ]) {
        expect(await found(text), text).toEqual([copy]);
      }
      expect(await found(`${end}/4fa85`)).toEqual([]);
      expect(await found('/srv')).toEqual([copy, nowhere]);
      expect(await found('sr')).toEqual([copy, nowhere]);
      const path = encodeURIComponent(`${storage.path}/${uuid}`);
      for (const filter of [
        `path=${path}`,
        `storage=${encodeURIComponent(storage.path)}`,
        `pool=${pool.name}`,
      ]) {
        expect(await ids(`?${filter}&page=1&limit=10`), filter).toEqual([copy]);
      }
      expect(await ids('?path=nothing&page=1&limit=10')).toEqual([]);
      expect(await ids('?sort=pool&order=desc&page=1&limit=1')).toHaveLength(1);
      await db.deleteFrom('copies').where('id', 'in', [copy, going, nowhere]).execute();
    });

    it('writes and reads the journal of events', async () => {
      const announcements = createAnnouncements();
      const { db } = lab.app.database;
      const events = createEventService({
        db,
        clock: lab.clock,
        log: silentLog,
        announcements,
        recordOf: async () => null,
        keep: 3,
      });
      await events.start();
      const ended = new AbortController();
      const chunks: string[] = [];
      const done = new Promise<void>((resolve) => {
        void events
          .serve({
            lastEventId: null,
            signal: ended.signal,
            send: async (chunk) => {
              chunks.push(chunk);
              if (chunks.length === 1) announcements.announce({ kind: 'pool', action: 'removed', id: 5 });
              else ended.abort();
            },
            currentUser: async () => ({
              id: 1,
              userName: 'x',
              roles: [],
              permissions: new Set(['pools.read'] as const),
              clientGroupIds: null,
              sessionId: 'x',
            }),
          })
          .then(resolve);
      });
      await done;
      expect(chunks.at(-1)).toContain('event: pool\ndata: {"action":"removed","id":5,"record":null}');
      for (let id = 1; id < 9; id += 1) announcements.announce({ kind: 'pool', action: 'changed', id });
      await events.stop();
      await events.start();
      expect(await db.selectFrom('events').select('kind').execute()).toEqual([
        { kind: 'pool' },
        { kind: 'pool' },
        { kind: 'pool' },
      ]);
    });
  });
}
