import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClientBandwidth } from '../../contract/client-bandwidth/client-bandwidth.ts';
import type { Client } from '../../contract/clients/client.ts';
import { rowsOf } from '../backend/features/rows.ts';
import { type Session, startTestApp, type TestApp } from '../support/backend.ts';

/** The endpoints of bandwidth limits, on a database of either kind. */
export function bandwidthSuite(
  name: string,
  place: () => Promise<NonNullable<Parameters<typeof startTestApp>[0]>>,
): void {
  describe(`bandwidth limits of clients with ${name}`, () => {
    let app: TestApp;
    let superuser: Session;
    let rows: ReturnType<typeof rowsOf>;
    let client: Client;

    beforeEach(async () => {
      app = await startTestApp({ started: true, ...(await place()) });
      rows = rowsOf(app.database.db);
      superuser = await app.loginAs('superuser');
      client = await clientRecord(await rows.client({ hostname: 'alpha' }));
    });
    afterEach(() => app.close());

    const path = '/client_bandwidth';
    const clientRecord = async (id: number) => (await superuser.send('GET', `/clients/${id}`)).data<Client>();
    const limits = async (query = '') =>
      (await superuser.send('GET', `${path}${query}`)).data<ClientBandwidth[]>();
    const limit = async (id: number) =>
      (await superuser.send('GET', `${path}/${id}`)).data<ClientBandwidth>();
    const created = async (data: object): Promise<number> => {
      const answer = await superuser.send('POST', path, { data: { client: client.client_name, ...data } });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      expect(Object.keys(answer.data<object>())).toEqual(['id']);
      return answer.data<{ id: number }>().id;
    };

    it('are no limit, all day, unless told', async () => {
      const id = await created({});
      expect(await limit(id)).toEqual({
        id,
        client: client.client_name,
        client_hwid: client.hwid,
        backup_bandwidth: 0,
        restore_bandwidth: 0,
        window_start: null,
        window_end: null,
      });
    });

    it('keep what was sent, flat or wrapped; a change touches only what it names, null clears', async () => {
      const sent = {
        client: client.client_name,
        backup_bandwidth: 1024,
        restore_bandwidth: 2048,
        window_start: '22:00:00',
        window_end: '06:00:00',
      };
      const { id } = (await superuser.send('POST', path, sent)).data<{ id: number }>();
      expect(await limit(id)).toEqual({ id, client_hwid: client.hwid, ...sent });
      const changed = await superuser.send('PATCH', `${path}/${id}`, {
        data: {
          id,
          client_hwid: client.hwid,
          backup_bandwidth: 7,
          restore_bandwidth: null,
          window_end: null,
        },
      });
      expect([changed.status, changed.data()]).toEqual([
        200,
        {
          id,
          client_hwid: client.hwid,
          ...sent,
          backup_bandwidth: 7,
          restore_bandwidth: 0,
          window_end: null,
        },
      ]);
    });

    it.each([
      ['client', { client: undefined }],
      ['client', { client: null }],
      ['client', { client: 'alpha' }],
      ['client', { client: 'nobody (ffffffffffffffff)' }],
      ['backup_bandwidth', { backup_bandwidth: -1 }],
      ['backup_bandwidth', { backup_bandwidth: 1.5 }],
      ['backup_bandwidth', { backup_bandwidth: '5' }],
      ['backup_bandwidth', { backup_bandwidth: 2 ** 31 }],
      ['restore_bandwidth', { restore_bandwidth: -1 }],
      ['restore_bandwidth', { restore_bandwidth: true }],
      ['window_start', { window_start: '24:00:00' }],
      ['window_start', { window_start: '8:00:00' }],
      ['window_end', { window_end: '12:00' }],
      ['window_end', { window_end: 12 }],
      ['client_hwid', { client_hwid: '0000000000000001' }],
      ['limit', { limit: 5 }],
    ])('are refused for a wrong %s: %j', async (field, data) => {
      const answer = await superuser.send('POST', path, { data: { client: client.client_name, ...data } });
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toHaveProperty(field);
      expect(await limits()).toEqual([]);
    });

    it.each([
      ['id', { id: 999 }],
      ['client_hwid', { client_hwid: 'ffffffffffffffff' }],
      ['client', { client: null }],
      ['client', { client: 'nobody (ffffffffffffffff)' }],
      ['backup_bandwidth', { backup_bandwidth: -5 }],
      ['window_start', { window_start: '25:00:00' }],
      ['colour', { colour: 'red' }],
    ])('are not changed with a wrong %s: %j', async (field, data) => {
      const id = await created({ backup_bandwidth: 5 });
      const before = await limit(id);
      const answer = await superuser.send('PATCH', `${path}/${id}`, {
        data: { restore_bandwidth: 9, ...data },
      });
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toHaveProperty(field);
      expect(await limit(id)).toEqual(before);
    });

    it('can move to another client, whose hardware id is then the one that counts', async () => {
      const id = await created({ backup_bandwidth: 5 });
      const other = await clientRecord(await rows.client({ hostname: 'beta' }));
      const change = { client: other.client_name, client_hwid: client.hwid };
      expect((await superuser.send('PATCH', `${path}/${id}`, change)).status).toBe(400);
      const moved = await superuser.send('PATCH', `${path}/${id}`, { ...change, client_hwid: other.hwid });
      expect(moved.data()).toMatchObject({ client: other.client_name, client_hwid: other.hwid });
    });

    it('of one client must not overlap, over midnight too; of two clients they may (case 64)', async () => {
      const day = await created({ window_start: '08:00:00', window_end: '18:00:00' });
      const night = await created({ window_start: '18:00:00', window_end: '06:00:00' });
      const refused = [
        {},
        { window_start: '09:00:00', window_end: '10:00:00' },
        { window_start: '05:00:00', window_end: '07:00:00' },
        { window_start: '17:59:59', window_end: '18:00:00' },
        { window_start: '07:00:00', window_end: '07:00:00' },
      ];
      for (const window of refused) {
        const answer = await superuser.send('POST', path, { client: client.client_name, ...window });
        expect([answer.status, Object.keys(answer.body.errors)]).toEqual([
          400,
          ['window_start', 'window_end'],
        ]);
      }
      const wider = await superuser.send('PATCH', `${path}/${night}`, { window_end: '08:00:01' });
      expect(wider.body.errors.window_start).toContain(`limit ${day}`);
      expect((await limit(night)).window_end).toBe('06:00:00');
      expect((await superuser.send('PATCH', `${path}/${night}`, { window_end: '08:00:00' })).status).toBe(
        200,
      );
      const other = await clientRecord(await rows.client({ hostname: 'beta' }));
      expect((await superuser.send('POST', path, { client: other.client_name })).status).toBe(201);
    });

    it('of which only one of many at the same time gets a window', async () => {
      const body = { client: client.client_name, window_start: '01:00:00', window_end: '02:00:00' };
      const answers = await Promise.all(Array.from({ length: 8 }, () => superuser.send('POST', path, body)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(400)]);
    });

    it('are listed, searched, filtered, sorted and paged', async () => {
      await created({ backup_bandwidth: 5, window_start: '08:00:00', window_end: '18:00:00' });
      const second = await created({ backup_bandwidth: 9, window_start: '18:00:00', window_end: '19:00:00' });
      expect((await limits('?backup_bandwidth=9')).map(({ id }) => id)).toEqual([second]);
      expect((await limits('?sort=backup_bandwidth&order=desc&limit=1')).map(({ id }) => id)).toEqual([
        second,
      ]);
      expect(await limits('?search=alph')).toHaveLength(2);
      expect(await limits('?search=beta')).toHaveLength(0);
      expect(await limits(`?client=${encodeURIComponent(client.client_name)}`)).toHaveLength(2);
      expect((await superuser.send('GET', `${path}?sort=colour`)).status).toBe(400);
    });

    it('go all or not at all, and with their client', async () => {
      const first = await created({ window_start: '08:00:00', window_end: '18:00:00' });
      const second = await created({ window_start: '18:00:00', window_end: '19:00:00' });
      expect((await superuser.send('DELETE', path, { ids: [first, 999] })).status).toBe(404);
      expect(await limits()).toHaveLength(2);
      const gone = await superuser.send('DELETE', path, { ids: [first] });
      expect([gone.status, gone.data()]).toEqual([200, { ids: [first] }]);
      expect((await superuser.send('DELETE', `${path}/${first}`)).status).toBe(404);
      expect((await superuser.send('GET', `${path}/${first}`)).status).toBe(404);
      expect((await superuser.send('PATCH', `${path}/${first}`, {})).status).toBe(404);
      expect((await superuser.send('DELETE', '/clients', { ids: [client.id] })).status).toBe(200);
      expect((await superuser.send('GET', `${path}/${second}`)).status).toBe(404);
      expect(await limits()).toEqual([]);
    });

    it('of other groups do not exist for an administrator of some groups', async () => {
      const group = await superuser.send('POST', '/client_groups', { name: 'Own' });
      const groupId = group.data<{ id: number }>().id;
      const own = await clientRecord(await rows.client({ hostname: 'own', groupId }));
      const foreign = await created({});
      const limited = await app.loginAs('administrator', { clientGroupIds: [groupId] });
      const made = await limited.send('POST', path, { client: own.client_name, backup_bandwidth: 3 });
      expect(made.status).toBe(201);
      const { id } = made.data<{ id: number }>();
      expect((await limited.send('GET', path)).data<ClientBandwidth[]>().map((row) => row.id)).toEqual([id]);
      const stranger = await limited.send('POST', path, { client: client.client_name });
      expect([stranger.status, Object.keys(stranger.body.errors)]).toEqual([400, ['client']]);
      expect((await limited.send('GET', `${path}/${foreign}`)).status).toBe(404);
      expect((await limited.send('PATCH', `${path}/${foreign}`, { backup_bandwidth: 1 })).status).toBe(404);
      expect((await limited.send('DELETE', path, { ids: [id, foreign] })).status).toBe(404);
      expect((await limited.send('DELETE', `${path}/${id}`)).status).toBe(200);
      for (const role of ['maintainer', 'auditor'] as const) {
        const reader = await app.loginAs(role);
        expect((await reader.send('GET', path)).status).toBe(200);
        expect((await reader.send('DELETE', `${path}/${foreign}`)).status).toBe(403);
      }
    });
  });
}
