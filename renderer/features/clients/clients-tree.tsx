import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { Client } from '../../../contract/clients/client.ts';
import { call, on, problemOf } from '../../bridge.ts';
import { DetailsPage, useListFocus } from '../../shell/details-page.tsx';
import { keepTree, keptTree } from '../../shell/kept-tables.ts';
import { DetailsPanel } from '../../shell/list-screen.tsx';
import { NewBackupButton } from '../../shell/new-backup-button.tsx';
import { useRights } from '../../shell/rights.ts';
import { shell, showNotice } from '../../shell/shell-store.ts';
import { useShownObject } from '../../shell/shown-view.ts';
import { tellFailure } from '../../shell/tell.ts';
import { t, textsOf } from '../../texts/index.ts';
import {
  Button,
  EmptyState,
  FailedState,
  formatBytes,
  LoadingRows,
  MeaningIcon,
  SearchBox,
  StaleBar,
  showHidden,
  Tree,
  type TreeNode,
} from '../../ui/index.ts';
import { ClientDetails, stateWord } from './client-details.tsx';
import { openEditClient, openRemoveClient } from './client-form.ts';
import { type ClientsState, type ClientsStore, createClientsStore } from './clients-store.ts';

const words = textsOf('clients');
const common = textsOf('common');
/** In the address of a client. */
const listName = 'Clients';
const pollMs = 30_000;
const settleMs = 400;

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
function useClients(connectionId: string): ClientsStore {
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
    let settling: ReturnType<typeof setTimeout> | null = null;
    const off = on('server.event', (told) => {
      if (told.connectionId !== connectionId || (told.kind !== 'client' && told.kind !== 'reset')) return;
      settling ??= setTimeout(() => {
        settling = null;
        void clients.load();
      }, settleMs);
    });
    const timer = setInterval(() => {
      const isLive = shell.getState().connections.find((one) => one.id === connectionId)?.state.live ?? false;
      if (!isLive && document.visibilityState === 'visible') void clients.load();
    }, pollMs);
    return () => {
      off();
      clearInterval(timer);
      if (settling !== null) clearTimeout(settling);
      stopKeeping();
      clients.close();
    };
  }, [clients, connectionId, key]);
  return clients;
}

/** The selected client where its line is not loaded: behind many others, or in a group that is closed. */
function useBeyond(connectionId: string, clients: ClientsStore, isListed: boolean): Client | undefined {
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
async function loadShowing(connectionId: string, clients: ClientsStore, before: Client): Promise<void> {
  await clients.load();
  const now = await call(connectionId, 'clients.get', { params: { id: before.id } });
  if (now.group_id === before.group_id) return;
  const { groups, expanded } = clients.store.getState();
  const group = groups?.find(({ name }) => name === now.group_id);
  if (group !== undefined && !expanded.has(group.id)) await clients.toggle(group.id);
}

/** Authorized clients by their groups. */
export function ClientsTree(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const clients = useClients(connectionId);
  const state = useStore(clients.store);
  const listed = [...state.clients.values()].flat().find((client) => client.id === state.selectedId);
  const beyond = useBeyond(connectionId, clients, listed !== undefined);
  const selected = listed ?? beyond;
  const reasonFor = useRights(connectionId);
  const shown = useShownObject(listName);
  useEffect(() => {
    if (typeof shown.id === 'number') clients.select(shown.id);
  }, [clients, shown.id]);
  const main = useListFocus(shown.id !== null);
  const actions = (
    <>
      <Button
        onClick={() =>
          selected !== undefined &&
          tellFailure(
            openEditClient(connectionId, selected, () => loadShowing(connectionId, clients, selected)),
          )
        }
        disabledBecause={(selected === undefined ? words.selectFirst : null) ?? reasonFor('clients.write')}
      >
        {common.edit}
      </Button>
      <Button
        onClick={() => selected !== undefined && openRemoveClient(connectionId, selected, clients.load)}
        disabledBecause={(selected === undefined ? words.selectFirst : null) ?? reasonFor('clients.delete')}
      >
        {common.deleteAsk}
      </Button>
    </>
  );
  if (shown.id !== null) {
    const isGone = state.groups !== null && state.selectedId !== shown.id;
    return (
      <DetailsPage title={words.title} actionsLabel={words.actions} actions={actions} onLeave={shown.leave}>
        {selected !== undefined && <ClientDetails client={selected} />}
        {selected === undefined && !isGone && <LoadingRows />}
        {isGone && <EmptyState text={t('shell.list.goneText', { id: shown.id })} />}
      </DetailsPage>
    );
  }
  return (
    <>
      <div className="toolbar">
        <h1>{words.title}</h1>
        <SearchBox label={words.search} value={state.filter} onChange={clients.setFilter} />
        <span className="toolbar-space" />
        <div className="toolbar-actions" role="toolbar" aria-label={words.actions}>
          {actions}
        </div>
        <NewBackupButton connectionId={connectionId} client={selected} />
      </div>
      {state.problem !== null && state.groups !== null && (
        <StaleBar
          since={state.problem.since}
          reason={state.problem.reason}
          onRetry={() => void clients.load()}
        />
      )}
      <div className="content">
        <div className="content-main" ref={main}>
          {state.problem !== null && state.groups === null ? (
            <FailedState
              what={words.notShown}
              reason={state.problem.reason}
              since={state.problem.since}
              onRetry={() => void clients.load()}
            />
          ) : (
            <Groups state={state} clients={clients} onOpen={shown.open} />
          )}
        </div>
        {selected !== undefined && (
          <DetailsPanel onClose={() => clients.select(null)}>
            <ClientDetails client={selected} />
          </DetailsPanel>
        )}
      </div>
    </>
  );
}

function Groups(props: {
  readonly state: ClientsState;
  readonly clients: ClientsStore;
  readonly onOpen: (clientId: number) => void;
}) {
  const { state, clients } = props;
  if (state.groups === null) return <LoadingRows />;
  if (state.groups.length === 0) {
    return (
      <EmptyState
        text={words.noMatch}
        action={<Button onClick={() => clients.setFilter('')}>{words.clearFilters}</Button>}
      />
    );
  }
  const nodes: TreeNode[] = [];
  for (const group of state.groups) {
    const isExpanded = state.expanded.has(group.id);
    const members = t('common.counts.clients', { count: group.clients_total });
    nodes.push({
      id: `group/${group.id}`,
      name: showHidden(group.name),
      level: 1,
      isExpanded,
      after: (
        <span className="caption">{group.shared ? t('clients.shared', { clients: members }) : members}</span>
      ),
    });
    if (!isExpanded) continue;
    const known = state.clients.get(group.id) ?? [];
    for (const client of known) nodes.push(clientNode(client));
    if (known.length < group.clients_total) {
      nodes.push({
        id: `more/${group.id}`,
        name: t('clients.more', { rest: group.clients_total - known.length }),
        level: 2,
        isExpanded: null,
      });
    }
  }
  if (state.groups.length < state.groupsTotal) {
    const name = t('clients.moreGroups', { rest: state.groupsTotal - state.groups.length });
    nodes.push({ id: 'moreGroups/0', name, level: 1, isExpanded: null });
  }
  return (
    <Tree
      label={words.title}
      nodes={nodes}
      selectedId={state.selectedId === null ? null : `client/${state.selectedId}`}
      onToggle={(id) => void clients.toggle(Number(id.split('/')[1]))}
      onSelect={(id) => {
        const [kind, number] = id.split('/');
        if (kind === 'client') clients.select(Number(number));
        if (kind === 'more') void clients.more(Number(number));
        if (kind === 'moreGroups') void clients.moreGroups();
      }}
      onOpen={(id) => {
        const [kind, number] = id.split('/');
        if (kind === 'client') props.onOpen(Number(number));
      }}
    />
  );
}

function clientNode(client: Client): TreeNode {
  return {
    id: `client/${client.id}`,
    name: showHidden(client.hostname),
    level: 2,
    isExpanded: null,
    icon: <MeaningIcon meaning={client.online ? 'ok' : 'idle'} />,
    after: (
      <span className="caption">{[stateWord(client), formatBytes(client.storage_used)].join(', ')}</span>
    ),
  };
}
