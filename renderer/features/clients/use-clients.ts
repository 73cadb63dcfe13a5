import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { Client } from '../../../contract/clients/client.ts';
import { call, problemOf } from '../../bridge.ts';
import { keepTree, keptTree } from '../../shell/kept-tables.ts';
import { shell, showNotice } from '../../shell/shell-store.ts';
import { type Watched, watchServer } from '../../shell/watch-server.ts';
import { type ClientsStore, createClientsStore } from './clients-store.ts';

const watched: Watched = { kinds: ['client'], pollMs: 30_000, settleMs: 400, polled: 'untold' };

const isNumber = (id: unknown): id is number => typeof id === 'number';

/** As it was left when it was last seen, before a restart too. */
function storeOf(connectionId: string, key: string): ClientsStore {
  const { search = '', turned, selection = [] } = keptTree(shell.getState().settings, key);
  return createClientsStore({
    ask: (body, signal) => call(connectionId, 'clients.tree', { body }, signal),
    problemOf,
    kept: {
      filter: search,
      expanded: turned?.filter(isNumber) ?? null,
      selectedId: selection.find(isNumber) ?? null,
    },
  });
}

/** Loaded when the screen opens, again when the server tells of a change, and by the clock where it tells nothing. */
export function useClients(connectionId: string): ClientsStore {
  const key = `${connectionId}/Clients tree`;
  const clients = useMemo(() => storeOf(connectionId, key), [connectionId, key]);
  useEffect(() => {
    const stopKeeping = clients.store.subscribe((now, before) => {
      const isSame =
        now.filter === before.filter &&
        now.expanded === before.expanded &&
        now.selectedId === before.selectedId;
      if (isSame) return;
      keepTree(key, {
        search: now.filter,
        turned: [...now.expanded],
        selection: now.selectedId === null ? [] : [now.selectedId],
      });
    });
    const { wish } = shell.getState().place;
    if (wish === undefined) void clients.load();
    else {
      clients.setFilter(wish.search);
      clients.select(wish.id ?? null);
    }
    const endWatch = watchServer(connectionId, watched, () => void clients.load());
    return () => {
      endWatch();
      stopKeeping();
      clients.close();
    };
  }, [clients, connectionId, key]);
  return clients;
}

/** The selected client where its line is not loaded: behind many others, or in a group that is closed. */
export function useBeyond(
  connectionId: string,
  clients: ClientsStore,
  isListed: boolean,
): Client | undefined {
  const { selectedId, groups } = useStore(clients.store);
  const isWanted = selectedId !== null && !isListed && groups !== null;
  const [found, setFound] = useState<Client | null>(null);
  useEffect(() => {
    if (!isWanted || selectedId === null) return undefined;
    const stop = new AbortController();
    call(connectionId, 'clients.get', { params: { id: selectedId } }, stop.signal).then(
      (client) => {
        if (!stop.signal.aborted) setFound(client);
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const { status, message } = problemOf(error);
        if (status === 404) clients.select(null);
        // One that was only selected when the tree was left may go without a word.
        const isAsked = shell.getState().place.wish?.id === selectedId;
        if (isAsked || status !== 404) showNotice({ level: 'info', message });
      },
    );
    return () => stop.abort();
  }, [connectionId, clients, isWanted, selectedId]);
  return isWanted && found?.id === selectedId ? found : undefined;
}

/** A client that was moved to a group that is closed stays in sight. */
export async function loadShowing(
  connectionId: string,
  clients: ClientsStore,
  before: Client,
): Promise<void> {
  await clients.load();
  const now = await call(connectionId, 'clients.get', { params: { id: before.id } });
  if (now.group_id === before.group_id) return;
  const { groups, expanded } = clients.store.getState();
  const group = groups?.find(({ name }) => name === now.group_id);
  if (group !== undefined && !expanded.has(group.id)) await clients.toggle(group.id);
}
