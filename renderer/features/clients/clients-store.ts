import { createStore } from 'zustand/vanilla';
import type { Client, ClientTree, ClientTreeRequest } from '../../../contract/clients/client.ts';
import type { Problem } from '../../../contract/problem.ts';

export type ClientGroupNode = ClientTree['client_groups'][number];

export interface ClientsState {
  /** Null: nothing was answered yet. */
  readonly groups: readonly ClientGroupNode[] | null;
  readonly groupsTotal: number;
  /** Clients by group, as far as they were asked for. */
  readonly clients: ReadonlyMap<number, readonly Client[]>;
  readonly expanded: ReadonlySet<number>;
  readonly filter: string;
  /** `since` epoch ms; what was shown before stays and is stale. */
  readonly problem: { readonly reason: string; readonly since: number } | null;
  readonly selectedId: number | null;
}

export interface ClientsDeps {
  readonly ask: (request: ClientTreeRequest, signal: AbortSignal) => Promise<ClientTree>;
  readonly problemOf: (error: unknown) => Problem;
  readonly now?: () => number;
  /** How long typing into the search must pause before the server is asked. */
  readonly typingMs?: number;
  /** How the tree was left. */
  readonly kept?: {
    readonly filter: string;
    /** Null: nothing was opened yet; the first groups open by themselves. */
    readonly expanded: readonly number[] | null;
    readonly selectedId: number | null;
  };
}

export const clientsPerPage = 100;
const clientsMost = 500;
export const groupsPerPage = 200;
const openedAtFirst = 20;
/** Some screenfuls: more would be asked for, sent and kept for nobody. */
const clientsAtFirst = 300;

export type ClientsStore = ReturnType<typeof createClientsStore>;

type WantedMembers = NonNullable<ClientTreeRequest['clients']>[number];

interface Answer {
  readonly groups: readonly ClientGroupNode[];
  readonly total: number;
}

/** Groups with their clients, asked for page by page as they are opened. Loading again leaves open what is open. */
export function createClientsStore(deps: ClientsDeps) {
  const now = deps.now ?? Date.now;
  const store = createStore<ClientsState>(() => ({
    groups: null,
    groupsTotal: 0,
    clients: new Map(),
    expanded: new Set(deps.kept?.expanded),
    filter: deps.kept?.filter ?? '',
    problem: null,
    selectedId: deps.kept?.selectedId ?? null,
  }));
  let running = new AbortController();
  /** The first look and each new search open the first groups by themselves. */
  let opensByItself = (deps.kept?.expanded ?? null) === null;
  /** What was open before a search, to be open again after it. */
  let openBefore: ReadonlySet<number> | null = null;

  const ask = (change: Partial<ClientTreeRequest>, signal: AbortSignal) => {
    const { filter } = store.getState();
    const request = { client_groups_page: 1, client_groups_limit: groupsPerPage, ...change };
    return deps.ask(filter === '' ? request : { ...request, filter_clients_hostname: filter }, signal);
  };

  const fail = (error: unknown): void => {
    const reason = deps.problemOf(error).message;
    store.setState(({ problem }) => ({ problem: { reason, since: problem?.since ?? now() } }));
  };

  const askGroups = async (signal: AbortSignal): Promise<Answer> => {
    const pages = Math.max(1, Math.ceil((store.getState().groups?.length ?? 0) / groupsPerPage));
    const groups: ClientGroupNode[] = [];
    let total = 0;
    for (let page = 1; page <= pages; page += 1) {
      const answer = await ask({ client_groups_page: page }, signal);
      groups.push(...answer.client_groups);
      total = answer.total;
    }
    return { groups, total };
  };

  /** As many clients of each group as were shown before. */
  const askClients = async (groupIds: readonly number[], signal: AbortSignal) => {
    const { clients: known } = store.getState();
    const wanted = groupIds.map((id) => {
      const pages = Math.max(1, Math.ceil((known.get(id)?.length ?? 0) / clientsPerPage));
      const limit = Math.min(clientsMost, pages * clientsPerPage);
      return { client_group_id: id, clients_page: 1, clients_limit: limit };
    });
    return askMembers(wanted, signal);
  };

  /**
   * One request for each page of groups; the server answers members only where the group itself is listed, and counts all
   * clients of each group that it lists, so no more are asked for than lie between.
   */
  const askMembers = async (
    wanted: readonly WantedMembers[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, readonly Client[]>> => {
    const { groups } = store.getState();
    const placeOf = new Map((groups ?? []).map((group, at) => [group.id, at]));
    const place = (one: WantedMembers) => placeOf.get(one.client_group_id) ?? 0;
    const pageOf = (one: WantedMembers) => Math.floor(place(one) / groupsPerPage);
    const found = new Map<number, readonly Client[]>();
    const take = ({ client_groups }: ClientTree, asked: readonly WantedMembers[]) => {
      for (const { client_group_id: id } of asked) {
        const group = client_groups.find((one) => one.id === id);
        if (group !== undefined) found.set(id, group.clients);
      }
    };
    for (const page of new Set(wanted.map(pageOf))) {
      const clients = wanted.filter((one) => pageOf(one) === page);
      take(await ask({ clients, ...smallestPage(clients.map(place)) }, signal), clients);
      // A group that came or went meanwhile moves the others.
      const moved = clients.filter((one) => !found.has(one.client_group_id));
      if (moved.length === 0) continue;
      take(await ask({ clients: moved, client_groups_page: page + 1 }, signal), moved);
    }
    return new Map(wanted.map(({ client_group_id: id }) => [id, found.get(id) ?? []]));
  };

  const loadOnce = async (signal: AbortSignal): Promise<void> => {
    const { groups, total } = await askGroups(signal);
    if (signal.aborted) return;
    const ids = groups.map((group) => group.id);
    const isFirst = opensByItself;
    // Their places are needed to ask for members.
    store.setState({ groups, groupsTotal: total, problem: null });
    const { expanded } = store.getState();
    const open = isFirst ? openByItself(groups) : ids.filter((id) => expanded.has(id));
    const clients = await askClients(open, signal);
    if (signal.aborted) return;
    opensByItself = false;
    store.setState((state) => ({
      clients: new Map([...state.clients, ...clients]),
      expanded: isFirst ? new Set(open) : state.expanded,
    }));
  };

  const load = async (): Promise<void> => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    try {
      await loadOnce(signal);
    } catch (error) {
      if (signal.aborted) return;
      const isNotFound = deps.problemOf(error).status === 404;
      // The server's way to say that no host name has this text.
      if (isNotFound && store.getState().filter !== '')
        store.setState({ groups: [], groupsTotal: 0, clients: new Map(), problem: null });
      else fail(error);
    }
  };

  const loadMembers = async (id: number, page: number): Promise<void> => {
    const { signal } = running;
    try {
      const wanted = { client_group_id: id, clients_page: page, clients_limit: clientsPerPage };
      const found = (await askMembers([wanted], signal)).get(id) ?? [];
      if (signal.aborted) return;
      store.setState((state) => {
        const before = (state.clients.get(id) ?? []).slice(0, (page - 1) * clientsPerPage);
        return { clients: new Map(state.clients).set(id, [...before, ...found]), problem: null };
      });
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  };

  return {
    store,
    load,
    setFilter: (filter: string): void => {
      const before = store.getState();
      running.abort();
      running = new AbortController();
      const { signal } = running;
      if (before.filter === '') openBefore = before.groups === null ? null : before.expanded;
      opensByItself = filter !== '' || openBefore === null;
      const expanded = filter === '' && openBefore !== null ? openBefore : before.expanded;
      store.setState({ filter, expanded, clients: new Map() });
      setTimeout(() => {
        if (!signal.aborted) void load();
      }, deps.typingMs ?? 150);
    },
    toggle: async (id: number): Promise<void> => {
      const expanded = new Set(store.getState().expanded);
      const isOpened = !expanded.delete(id);
      if (isOpened) expanded.add(id);
      store.setState({ expanded });
      if (isOpened && !store.getState().clients.has(id)) await loadMembers(id, 1);
    },
    more: (id: number): Promise<void> => {
      const known = store.getState().clients.get(id)?.length ?? 0;
      return loadMembers(id, Math.floor(known / clientsPerPage) + 1);
    },
    moreGroups: async (): Promise<void> => {
      const { signal } = running;
      const page = Math.floor((store.getState().groups?.length ?? 0) / groupsPerPage) + 1;
      try {
        const answer = await ask({ client_groups_page: page }, signal);
        if (signal.aborted) return;
        store.setState((state) => ({
          groups: [...(state.groups ?? []).slice(0, (page - 1) * groupsPerPage), ...answer.client_groups],
          groupsTotal: answer.total,
          problem: null,
        }));
      } catch (error) {
        if (!signal.aborted) fail(error);
      }
    },
    select: (selectedId: number | null): void => store.setState({ selectedId }),
    close: (): void => running.abort(),
  };
}

/** The first groups, as many as fill the window; the first one however large it is. */
function openByItself(groups: readonly ClientGroupNode[]): readonly number[] {
  const open: number[] = [];
  let shown = 0;
  for (const { id, clients_total: total } of groups.slice(0, openedAtFirst)) {
    shown += Math.min(total, clientsPerPage);
    if (shown > clientsAtFirst && open.length > 0) break;
    open.push(id);
  }
  return open;
}

/** The page with the fewest groups that holds all of these places, at most as large as the usual one. */
export function smallestPage(places: readonly number[]) {
  const [first, last] = [Math.min(...places), Math.max(...places)];
  let limit = last - first + 1;
  while (limit < groupsPerPage && Math.floor(first / limit) !== Math.floor(last / limit)) limit += 1;
  return { client_groups_page: Math.floor(first / limit) + 1, client_groups_limit: limit };
}
