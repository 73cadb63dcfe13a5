import { describe, expect, it } from 'vitest';
import type { Connections } from '../../../main/connections/connections.ts';
import { watchKeychain } from '../../../main/desktop/forward-events.ts';
import { createNotices } from '../../../main/notices/notices.ts';
import type { SecretChild, StartSecretChild } from '../../../main/secrets/keychain-caller.ts';
import { createKeychainStore } from '../../../main/secrets/keychain-store.ts';
import type { SecretAnswer, SecretRequest } from '../../../main/secrets/secret-protocol.ts';
import { isStorable } from '../../../main/secrets/stored-value.ts';
import { speak } from '../../../main/texts/index.ts';
import { connection } from '../../renderer/support/fake-bridge.ts';

type Reaction = Partial<
  Record<SecretRequest['op'], (request: SecretRequest) => SecretAnswer | 'silent' | 'crash'>
>;

/** A keychain process without a keychain: entries in a map, and whatever goes wrong as the test says. */
function fakeKeychain(reaction: Reaction = {}) {
  const entries = new Map<string, string>();
  const facts = { starts: 0, kills: 0, atOnce: 0, mostAtOnce: 0, asked: [] as string[] };
  const answer = (request: SecretRequest): SecretAnswer => {
    const { id, account } = request;
    if (request.op === 'get') return { id, ok: true, value: entries.get(account) ?? null, deleted: false };
    if (request.op === 'set') {
      entries.set(account, request.value);
      return { id, ok: true, value: null, deleted: false };
    }
    return { id, ok: true, value: null, deleted: entries.delete(account) };
  };
  const start: StartSecretChild = (): SecretChild => {
    facts.starts++;
    let onMessage = (_message: unknown): void => undefined;
    let onExit = (): void => undefined;
    return {
      post: (request) => {
        facts.asked.push(request.op);
        facts.mostAtOnce = Math.max(facts.mostAtOnce, ++facts.atOnce);
        setImmediate(() => {
          facts.atOnce--;
          const result = reaction[request.op]?.(request) ?? answer(request);
          if (result === 'crash') onExit();
          else if (result !== 'silent') onMessage(result);
        });
      },
      onMessage: (listener) => {
        onMessage = listener;
      },
      onExit: (listener) => {
        onExit = listener;
      },
      kill: () => {
        facts.kills++;
      },
    };
  };
  return { entries, facts, reaction, store: createKeychainStore({ start, service: 'test', limitMs: 30 }) };
}

const refused =
  (message: string, missing = false) =>
  ({ id }: SecretRequest): SecretAnswer => ({ id, ok: false, message, missing });

describe('the keychain', () => {
  it('keeps, gives back and removes, one request at a time', async () => {
    const { store, facts } = fakeKeychain();
    await Promise.all([store.set('a', 'token-a'), store.set('b', 'token-b')]);
    expect(await Promise.all([store.get('a'), store.get('b')])).toEqual([
      { kind: 'found', value: 'token-a' },
      { kind: 'found', value: 'token-b' },
    ]);
    expect(await store.remove('a')).toBe(true);
    expect(await store.get('a')).toEqual({ kind: 'none' });
    expect(facts.mostAtOnce).toBe(1);
    expect(facts.starts).toBe(1);
  });

  it('takes long values in parts and never gives back a piece of one', async () => {
    const { store, entries } = fakeKeychain();
    const long = 'x'.repeat(5_500);
    expect(await store.set('a', long)).toBe(true);
    for (const value of entries.values()) expect(value.length).toBeLessThanOrEqual(2_000);
    expect(await store.get('a')).toEqual({ kind: 'found', value: long });
    entries.delete('a#1');
    expect(await store.get('a')).toEqual({ kind: 'none' });
    await store.set('a', long);
    await store.set('a', 'short');
    expect([...entries.keys()].filter((name) => name.startsWith('a'))).toEqual(['a']);
    await store.set('a', long);
    await store.remove('a');
    expect([...entries.keys()].filter((name) => name.startsWith('a'))).toEqual([]);
  });

  it('refuses values that a keychain would cut or change', () => {
    for (const value of ['', 'with space', 'ab\0cd', 'ü', '\ud800', 'x'.repeat(40_000)])
      expect(isStorable(value)).toBe(false);
    expect(isStorable('eyJ.a-b_c~"')).toBe(true);
  });

  it('says what was found in the language of the moment, and so does the notice of it', async () => {
    const { store } = fakeKeychain({ set: refused('Cannot create an item in a locked collection') });
    const notices = createNotices();
    const sayAnew = watchKeychain({
      secrets: store,
      notices,
      connections: { list: () => [connection()], onList: () => () => undefined } as unknown as Connections,
    });
    const said = () => notices.standing().map(({ message }) => message);
    await store.probe();
    expect(said()).toEqual([expect.stringMatching(/^The keychain of this computer is locked\./)]);
    try {
      speak('ru');
      sayAnew();
      expect(said()).toEqual([store.status().message]);
      expect(store.status().message).toMatch(/^Хранилище ключей/);
    } finally {
      speak('en');
    }
  });

  it('tells four situations apart in four messages (case 28)', async () => {
    const messages = new Set<string>();
    const situations = [
      ['absent', 'The name org.freedesktop.secrets was not provided by any .service files'],
      ['absent', 'Could not connect: No such file or directory'],
      ['locked', 'Cannot create an item in a locked collection'],
      ['locked', 'The prompt was dismissed'],
      ['hung', 'Timeout was reached'],
    ] as const;
    for (const [state, message] of situations) {
      const { store } = fakeKeychain({ set: refused(message) });
      const status = await store.probe();
      expect(status.state).toBe(state);
      messages.add(status.message);
    }
    expect(messages.size).toBe(4);
    const { store } = fakeKeychain({ set: refused('Failed to load keytar native addon', true) });
    expect((await store.probe()).state).toBe('absent');
  });

  it('does not take the silence of a locked keychain for "no token" (cases 27, 29)', async () => {
    const locked = refused('Cannot create an item in a locked collection');
    const { store, entries, reaction } = fakeKeychain();
    await store.set('a', 'token-a');
    reaction.get = ({ id }) => ({ id, ok: true, value: null, deleted: false });
    reaction.set = locked;
    reaction.delete = ({ id }) => ({ id, ok: true, value: null, deleted: false });
    expect(await store.get('a')).toMatchObject({ kind: 'failed', status: { state: 'locked' } });
    expect(await store.set('a', 'other')).toBe(false);
    expect(await store.remove('a')).toBe(false);
    expect(entries.get('a')).toBe('token-a');
    delete reaction.get;
    delete reaction.set;
    delete reaction.delete;
    expect((await store.probe()).state).toBe('ok');
    expect(await store.get('a')).toEqual({ kind: 'found', value: 'token-a' });
  });

  it('costs one restart when its process crashes', async () => {
    const { store, facts, reaction } = fakeKeychain();
    await store.set('a', 'token-a');
    let crashes = 1;
    reaction.get = (request) =>
      crashes-- > 0 ? 'crash' : { id: request.id, ok: true, value: 'token-a', deleted: false };
    expect(await store.get('a')).toEqual({ kind: 'found', value: 'token-a' });
    expect(facts.starts).toBe(2);
  });

  it('is given up after two silences, asks nobody to wait again, and comes back by a probe (case 28)', async () => {
    const { store, facts, reaction } = fakeKeychain({ get: () => 'silent', set: () => 'silent' });
    const told: string[] = [];
    store.onStatus(({ state }) => told.push(state));
    expect(await store.get('a')).toMatchObject({ kind: 'failed', status: { state: 'hung' } });
    expect(facts.kills).toBe(2);
    const asked = facts.asked.length;
    expect(await store.set('a', 'x')).toBe(false);
    expect(facts.asked).toHaveLength(asked);
    delete reaction.get;
    delete reaction.set;
    expect((await store.probe()).state).toBe('ok');
    expect(told).toEqual(['hung', 'ok']);
  });
});
