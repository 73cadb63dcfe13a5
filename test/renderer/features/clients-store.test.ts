import { describe, expect, test, vi } from 'vitest';
import type { Client, ClientTree, ClientTreeRequest } from '../../../contract/clients/client.ts';
import {
  clientsPerPage,
  createClientsStore,
  smallestPage,
} from '../../../renderer/features/clients/clients-store.ts';

const noFacts = { ipv4: null, ipv6: null, mac: null, os_distribution: null, version: null, ls_pool: null };
const flags = { group_shared: false, online: true, lsf_flag: false, lrl_flag: false };
const rest = { storage_capacity: 0, storage_used: 0, description: null, created: '2026-01-01T00:00:00' };

function client(id: number, group: number): Client {
  return {
    id,
    hostname: `host-${id}`,
    hwid: `hw-${id}`,
    client_name: `host-${id} (hw-${id})`,
    os_type: 'linux',
    group_id: `group-${group}`,
    client_group_id: group,
    last_activity: null,
    modules: ['File system'],
    client_side_backup: false,
    client_side_restore: false,
    ...noFacts,
    ...flags,
    ...rest,
  };
}

/** A server that answers as the contract says: members only of groups that were asked for. */
function server(
  sizes: Readonly<Record<number, number>>,
  kept?: Parameters<typeof createClientsStore>[0]['kept'],
) {
  const state = { sizes, isAway: false };
  const ask = vi.fn(async (request: ClientTreeRequest, _signal: AbortSignal): Promise<ClientTree> => {
    if (state.isAway) throw { kind: 'unreachable', message: 'No answer.' };
    const filter = request.filter_clients_hostname ?? '';
    const members = (group: number) =>
      Array.from({ length: state.sizes[group] ?? 0 }, (_, at) => client(group * 10_000 + at, group)).filter(
        (one) => one.hostname.includes(filter),
      );
    const all = Object.keys(state.sizes)
      .map(Number)
      .filter((group) => filter === '' || members(group).length > 0);
    if (filter !== '' && all.length === 0) throw { kind: 'refused', status: 404, message: 'Nothing.' };
    const limit = request.client_groups_limit ?? 100;
    const from = ((request.client_groups_page ?? 1) - 1) * limit;
    const client_groups = all.slice(from, from + limit).map((id) => {
      const asked = request.clients?.find((one) => one.client_group_id === id);
      const size = asked?.clients_limit ?? 100;
      const first = ((asked?.clients_page ?? 1) - 1) * size;
      const clients = asked === undefined ? [] : members(id).slice(first, first + size);
      return { id, name: `group-${id}`, shared: false, clients_total: members(id).length, clients };
    });
    return { client_groups, total: all.length, page: 1, limit };
  });
  const clients = createClientsStore({
    ask,
    problemOf: (error) => error as { kind: 'refused'; message: string },
    now: () => 7,
    typingMs: 0,
    ...(kept === undefined ? {} : { kept }),
  });
  return { clients, ask, state, now: () => clients.store.getState() };
}

describe('the tree of clients', () => {
  test('the first look opens its groups', async () => {
    const { clients, now } = server({ 1: 2, 2: 1 });
    await clients.load();
    expect([...now().expanded]).toEqual([1, 2]);
    expect(
      now()
        .clients.get(1)
        ?.map((one) => one.id),
    ).toEqual([10_000, 10_001]);
  });

  test('the first look asks for no more clients of large groups than fill the window (case 47)', async () => {
    const { clients, ask, now } = server({ 1: 2500, 2: 2500, 3: 2500, 4: 2500, 5: 2 });
    await clients.load();
    expect([...now().expanded]).toEqual([1, 2, 3]);
    expect(ask.mock.calls.at(-1)?.[0].clients?.map((one) => one.client_group_id)).toEqual([1, 2, 3]);
    await clients.toggle(4);
    expect(now().clients.get(4)).toHaveLength(clientsPerPage);
  });

  test('begins as it was left: what was open is open, and no other group (case 45)', async () => {
    const { clients, ask, now } = server(
      { 1: 2, 2: 2, 3: 2 },
      { filter: '', expanded: [2, 9], selectedId: 20_001 },
    );
    await clients.load();
    expect([...now().clients.keys()]).toEqual([2]);
    expect(now().selectedId).toBe(20_001);
    await clients.toggle(2);
    await clients.load();
    expect(now().expanded.has(2)).toBe(false);
    expect(ask.mock.calls.at(-1)?.[0].clients).toBeUndefined();
  });

  test('all groups that were closed stay closed', async () => {
    const { clients, now } = server({ 1: 2, 2: 2 }, { filter: '', expanded: [], selectedId: null });
    await clients.load();
    expect(now().expanded.size).toBe(0);
    expect(now().groups).toHaveLength(2);
  });

  test('begins with the search that was left, whose groups are open', async () => {
    const { clients, ask, now } = server(
      { 1: 2, 2: 2 },
      { filter: 'host-10001', expanded: [1], selectedId: null },
    );
    await clients.load();
    expect(ask.mock.calls[0]?.[0].filter_clients_hostname).toBe('host-10001');
    expect(now().clients.get(1)).toHaveLength(1);
    clients.setFilter('');
    await expect.poll(() => now().groups).toHaveLength(2);
  });

  test('small groups are all opened at the first look, twenty at most', async () => {
    const { clients, now } = server(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [at + 1, 5])));
    await clients.load();
    expect(now().expanded.size).toBe(20);
  });

  test('a group that is opened has the server count no other', async () => {
    const { clients, ask, now } = server(Object.fromEntries([1, 2, 3, 4, 5, 6].map((id) => [id, 2500])));
    await clients.load();
    expect(ask.mock.calls.at(-1)?.[0]).toMatchObject({ client_groups_page: 1, client_groups_limit: 3 });
    await clients.toggle(5);
    expect(ask.mock.calls.at(-1)?.[0]).toMatchObject({ client_groups_page: 5, client_groups_limit: 1 });
    expect(now().clients.get(5)).toHaveLength(clientsPerPage);
  });

  test('a group that moved meanwhile is found where it is now', async () => {
    const { clients, state, now } = server({ 2: 2500, 3: 2500, 4: 2500, 5: 2500, 6: 7 });
    await clients.load();
    state.sizes = { 1: 1, ...state.sizes };
    await clients.toggle(6);
    expect(now().clients.get(6)).toHaveLength(7);
    expect(now().problem).toBeNull();
  });

  test.each([
    [[0], 1, 1],
    [[4], 5, 1],
    [[0, 1, 2], 1, 3],
    [[3, 5], 2, 3],
    [[3, 4], 2, 3],
    [[199, 0], 1, 200],
    [[200, 399], 2, 200],
  ])('the smallest page that holds the places %j', (places, page, limit) => {
    expect(smallestPage(places)).toEqual({ client_groups_page: page, client_groups_limit: limit });
  });

  test('what was closed stays closed when the list is loaded again (case 45)', async () => {
    const { clients, now } = server({ 1: 2, 2: 1 });
    await clients.load();
    await clients.toggle(1);
    await clients.toggle(2);
    for (let times = 0; times < 5; times += 1) await clients.load();
    expect(now().expanded.size).toBe(0);
  });

  test('a large group comes page by page and keeps its pages when it is loaded again (case 47)', async () => {
    const { clients, now } = server({ 1: 1000 });
    await clients.load();
    expect(now().clients.get(1)).toHaveLength(clientsPerPage);
    await clients.more(1);
    expect(now().clients.get(1)).toHaveLength(2 * clientsPerPage);
    await clients.load();
    expect(
      now()
        .clients.get(1)
        ?.map((one) => one.id),
    ).toEqual(Array.from({ length: 200 }, (_, at) => 10_000 + at));
  });

  test('a group opened again comes from what is known (case 48)', async () => {
    const { clients, ask } = server({ 1: 2 });
    await clients.load();
    const before = ask.mock.calls.length;
    await clients.toggle(1);
    await clients.toggle(1);
    expect(ask).toHaveBeenCalledTimes(before);
  });

  test('more groups than a page are asked for when they are wanted', async () => {
    const sizes = Object.fromEntries(Array.from({ length: 450 }, (_, at) => [at + 1, 1]));
    const { clients, now } = server(sizes);
    await clients.load();
    expect(now().groups).toHaveLength(200);
    expect(now().groupsTotal).toBe(450);
    await clients.moreGroups();
    await clients.moreGroups();
    expect(now().groups?.map((group) => group.id)).toEqual(Object.keys(sizes).map(Number));
    await clients.toggle(430);
    expect(now().clients.get(430)).toHaveLength(1);
  });

  test('a search opens what it finds; without it, all is as it was', async () => {
    const { clients, now } = server({ 1: 2, 2: 2 });
    await clients.load();
    await clients.toggle(1);
    clients.setFilter('host-10001');
    await vi.waitFor(() => expect(now().groups?.map((group) => group.id)).toEqual([1]));
    await vi.waitFor(() =>
      expect(
        now()
          .clients.get(1)
          ?.map((one) => one.id),
      ).toEqual([10_001]),
    );
    clients.setFilter('');
    await vi.waitFor(() => expect(now().groups).toHaveLength(2));
    await vi.waitFor(() => expect(now().clients.get(2)).toHaveLength(2));
    expect([...now().expanded]).toEqual([2]);
  });

  test('a search that finds nothing is an empty tree and no failure', async () => {
    const { clients, now } = server({ 1: 2 });
    await clients.load();
    clients.setFilter('nobody');
    await vi.waitFor(() => expect(now().groups).toEqual([]));
    expect(now().problem).toBeNull();
  });

  test('an answer to an older search does not replace the newer one', async () => {
    const { clients, ask, now } = server({ 1: 2 });
    clients.setFilter('host-10000');
    clients.setFilter('host-10001');
    await vi.waitFor(() =>
      expect(
        now()
          .clients.get(1)
          ?.map((one) => one.id),
      ).toEqual([10_001]),
    );
    expect(ask.mock.calls.some(([request]) => request.filter_clients_hostname === 'host-10000')).toBe(false);
  });

  test('a group that is gone no longer counts as open', async () => {
    const { clients, state, now } = server({ 1: 2, 2: 1 });
    await clients.load();
    state.sizes = { 2: 1 };
    await clients.load();
    expect(now().groups?.map((group) => group.id)).toEqual([2]);
    expect(now().problem).toBeNull();
  });

  test('what was shown stays, with the reason and since when, while the server is away', async () => {
    const { clients, state, now } = server({ 1: 2 });
    await clients.load();
    state.isAway = true;
    await clients.load();
    expect(now().groups).toHaveLength(1);
    expect(now().problem).toEqual({ reason: 'No answer.', since: 7 });
    state.isAway = false;
    await clients.load();
    expect(now().problem).toBeNull();
  });
});
