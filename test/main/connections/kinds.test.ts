import { afterEach, describe, expect, it, vi } from 'vitest';
import { localProfileId, type Profile } from '../../../main/profiles/profile.ts';
import { speak } from '../../../main/texts/index.ts';
import { type BackupServer, goodPassword } from '../support/fake-backup-server.ts';
import { answerJson, envelope } from '../support/fake-server.ts';
import { waitUntil } from '../support/wait-until.ts';
import { connectionTests, draftFor, failureOf, moodyKeychain } from './lab.ts';

const { openApp, serve } = connectionTests();

describe('several servers', () => {
  it('do not wait for one that is mute (case 33)', async () => {
    const [mute, good] = [await serve(), await serve()];
    const { connections } = await openApp(moodyKeychain());
    const first = await connections.add(draftFor(mute));
    const second = await connections.add(draftFor(good));
    good.extra = (_seen, response) => {
      answerJson(response, 200, envelope([]));
      return true;
    };
    mute.behave = () => undefined;
    const hanging = new AbortController();
    const calls = Array.from({ length: 20 }, (_one, page) =>
      failureOf(connections.call(first.id, 'pools.list', { query: { page: page + 1 } }, hanging.signal)),
    );
    expect(await connections.call(second.id, 'pools.list', { query: {} })).toEqual({ items: [], total: 0 });
    hanging.abort();
    expect((await Promise.all(calls)).every((problem) => problem?.kind === 'cancelled')).toBe(true);
  });
});

describe('a connection that a file describes', () => {
  const shared = (server: BackupServer, change: object = {}) => ({
    name: 'From a file',
    address: server.address,
    database: 'strongroom',
    userName: 'admin',
    authType: 'database' as const,
    domain: '',
    remember: true,
    group: 'Offices',
    colour: 'blue' as const,
    zone: 'Europe/Prague',
    pin: null,
    ...change,
  });

  it('is added without a session, and a person signs in', async () => {
    const server = await serve();
    const { connections } = await openApp(moodyKeychain());
    expect(await connections.takeOver(shared(server), false)).toBe('added');
    const find = () => connections.list()[0];
    await waitUntil(() => find()?.state.phase === 'signIn');
    expect(find()).toMatchObject({ name: 'From a file', group: 'Offices', colour: 'blue', kind: 'remote' });
    const id = find()?.id ?? '';
    expect((await connections.signIn(id, goodPassword)).state.phase).toBe('connected');
  });

  it('changes the one of the same account only when that was asked for; its session stays', async () => {
    const server = await serve();
    const { connections } = await openApp(moodyKeychain());
    const { id } = await connections.add(draftFor(server, { name: 'Mine' }));
    expect(connections.sameAccount(shared(server))).toMatchObject({ id, name: 'Mine' });
    expect(await connections.takeOver(shared(server), false)).toBe('kept');
    expect(connections.list()).toMatchObject([{ id, name: 'Mine', group: '' }]);
    expect(await connections.takeOver(shared(server), true)).toBe('replaced');
    expect(connections.list()).toMatchObject([
      { id, name: 'From a file', group: 'Offices', colour: 'blue', state: { phase: 'connected' } },
    ]);
    expect(await connections.takeOver(shared(server, { userName: 'other' }), true)).toBe('added');
    expect(connections.list()).toHaveLength(2);
  });
});

describe('the connection to this computer', () => {
  afterEach(() => speak('en'));

  it('is called so in the language of the window, unless a person named it', async () => {
    const { connections, profiles } = await openApp(moodyKeychain());
    const local = { ...localProfile, name: 'This computer' };
    await profiles.put(local);
    await connections.close();
    const { connections: again } = await openApp(moodyKeychain());
    const nameNow = () => again.list()[0]?.name;
    expect(nameNow()).toBe('This computer');
    speak('ru');
    expect(nameNow()).toBe('Этот компьютер');
    await again.update('local', { name: 'Laboratory' });
    expect(nameNow()).toBe('Laboratory');
  });

  it('has the zone of its clocks, which is looked at again after a sleep only', async () => {
    const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const { profiles } = await openApp(moodyKeychain());
    await profiles.put({ ...localProfile, name: 'This computer' });
    const { connections } = await openApp(moodyKeychain());
    const ask = vi.spyOn(Intl, 'DateTimeFormat');
    try {
      expect(connections.list()[0]?.zone).toBe(here);
      expect(connections.list()[0]?.zone).toBe(here);
      expect(ask).toHaveBeenCalledOnce();
      connections.wake();
      expect(connections.list()[0]?.zone).toBe(here);
      expect(ask).toHaveBeenCalledTimes(2);
    } finally {
      ask.mockRestore();
    }
  });
});

const localProfile: Profile = {
  id: localProfileId,
  name: '',
  kind: 'local',
  address: '',
  database: 'strongroom',
  userName: 'admin',
  authType: 'database',
  domain: '',
  remember: false,
  group: '',
  colour: 'none',
  zone: '',
  loginForm: 'five',
  pin: null,
};
