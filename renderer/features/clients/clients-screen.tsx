import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import type { Client } from '../../../contract/clients/client.ts';
import { call, on, problemOf } from '../../bridge.ts';
import { DetailsPanel, Facts } from '../../shell/list-screen.tsx';
import { useRights } from '../../shell/rights.ts';
import { tellNotTaken } from '../../shell/saved.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { openDialog, shell } from '../../shell/shell-store.ts';
import {
  Button,
  counted,
  EmptyState,
  FailedState,
  formatBytes,
  LoadingRows,
  MeaningIcon,
  SearchBox,
  StaleBar,
  StatusBadge,
  showHidden,
  Tree,
  type TreeNode,
} from '../../ui/index.ts';
import { type ClientsState, type ClientsStore, createClientsStore } from './clients-store.ts';

const pollMs = 30_000;
const settleMs = 400;

/** Loaded when the screen opens, again when the server tells of a change, and by the clock where it tells nothing. */
function useClients(connectionId: string): ClientsStore {
  const clients = useMemo(
    () =>
      createClientsStore({
        ask: (body, signal) => call(connectionId, 'clients.tree', { body }, signal),
        problemOf,
      }),
    [connectionId],
  );
  useEffect(() => {
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
      clients.close();
    };
  }, [clients, connectionId]);
  return clients;
}

export function ClientsScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const clients = useClients(connectionId);
  const state = useStore(clients.store);
  const selected = [...state.clients.values()].flat().find((client) => client.id === state.selectedId);
  const reasonFor = useRights(connectionId);
  return (
    <>
      <div className="toolbar">
        <h1>Clients</h1>
        <SearchBox label="Search Clients" value={state.filter} onChange={clients.setFilter} />
        <span className="toolbar-space" />
        <div className="toolbar-actions" role="toolbar" aria-label="Client actions">
          <Button
            onClick={() => openDialog({ kind: 'newBackup', connectionId })}
            disabledBecause={reasonFor('task_queue.write')}
          >
            New backup
          </Button>
          <Button
            onClick={() => selected !== undefined && openEdit(connectionId, selected, clients.load)}
            disabledBecause={
              (selected === undefined ? 'Select a client first' : null) ?? reasonFor('clients.write')
            }
          >
            Edit…
          </Button>
          <Button
            onClick={() => selected !== undefined && openRemove(connectionId, selected, clients.load)}
            disabledBecause={
              (selected === undefined ? 'Select a client first' : null) ?? reasonFor('clients.delete')
            }
          >
            Delete…
          </Button>
        </div>
      </div>
      {state.problem !== null && state.groups !== null && (
        <StaleBar
          since={state.problem.since}
          reason={state.problem.reason}
          onRetry={() => void clients.load()}
        />
      )}
      <div className="content">
        <div className="content-main">
          {state.problem !== null && state.groups === null ? (
            <FailedState
              what="Clients cannot be shown"
              reason={state.problem.reason}
              since={state.problem.since}
              onRetry={() => void clients.load()}
            />
          ) : (
            <Groups state={state} clients={clients} />
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

function Groups(props: { readonly state: ClientsState; readonly clients: ClientsStore }) {
  const { state, clients } = props;
  if (state.groups === null) return <LoadingRows />;
  if (state.groups.length === 0) {
    return (
      <EmptyState
        text="No client has this in its name."
        action={<Button onClick={() => clients.setFilter('')}>Clear filters</Button>}
      />
    );
  }
  const nodes: TreeNode[] = [];
  for (const group of state.groups) {
    const isExpanded = state.expanded.has(group.id);
    nodes.push({
      id: `group/${group.id}`,
      name: showHidden(group.name),
      level: 1,
      isExpanded,
      after: (
        <span className="caption">
          {counted(group.clients_total, 'client')}
          {group.shared ? ', shared' : ''}
        </span>
      ),
    });
    if (!isExpanded) continue;
    const known = state.clients.get(group.id) ?? [];
    for (const client of known) nodes.push(clientNode(client));
    if (known.length < group.clients_total) {
      nodes.push({
        id: `more/${group.id}`,
        name: `Show more (${group.clients_total - known.length})`,
        level: 2,
        isExpanded: null,
      });
    }
  }
  if (state.groups.length < state.groupsTotal) {
    const name = `Show more groups (${state.groupsTotal - state.groups.length})`;
    nodes.push({ id: 'moreGroups/0', name, level: 1, isExpanded: null });
  }
  return (
    <Tree
      label="Clients"
      nodes={nodes}
      selectedId={state.selectedId === null ? null : `client/${state.selectedId}`}
      onToggle={(id) => void clients.toggle(Number(id.split('/')[1]))}
      onSelect={(id) => {
        const [kind, number] = id.split('/');
        if (kind === 'client') clients.select(Number(number));
        if (kind === 'more') void clients.more(Number(number));
        if (kind === 'moreGroups') void clients.moreGroups();
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
      <span className="caption">
        {client.online ? 'online' : 'offline'}, {formatBytes(client.storage_used)}
      </span>
    ),
  };
}

function ClientDetails(props: { readonly client: Client }) {
  const { client } = props;
  return (
    <section aria-label="Client details" className="page-section">
      <div className="details-head">
        <h2>{showHidden(client.hostname)}</h2>
      </div>
      <StatusBadge meaning={client.online ? 'ok' : 'idle'} word={client.online ? 'online' : 'offline'} />
      <Facts
        facts={[
          [
            'Name',
            <span key="name" className="mono">
              {showHidden(client.client_name)}
            </span>,
          ],
          ['Group', showHidden(client.group_id)],
          [
            'System',
            [client.os_distribution, client.os_type]
              .filter(Boolean)
              .map((text) => showHidden(String(text)))
              .join(', '),
          ],
          ['Version', client.version],
          ['Address', [client.ipv4, client.ipv6].filter(Boolean).join(', ')],
          ['Hardware address', client.mac],
          ['Modules', client.modules.map(showHidden).join(', ')],
          ['Copies take', formatBytes(client.storage_used)],
          ['Limit', client.storage_capacity === 0 ? 'none' : `${client.storage_capacity} GB`],
          ['May back up by itself', client.client_side_backup ? 'yes' : 'no'],
          ['May restore by itself', client.client_side_restore ? 'yes' : 'no'],
          ['Last heard of', serverTime(client.last_activity)],
          ['Description', client.description === null ? null : showHidden(client.description)],
        ]}
      />
    </section>
  );
}

const fields = [
  { name: 'group_id', label: 'Group', type: 'text', help: 'Name of a client group.' },
  {
    name: 'storage_capacity',
    label: 'Limit of all its copies (GB)',
    type: 'number',
    help: '0 for no limit.',
  },
  { name: 'client_side_backup', label: 'Its user may start a backup', type: 'checkbox' },
  { name: 'client_side_restore', label: 'Its user may start a restore', type: 'checkbox' },
  { name: 'lrl_flag', label: 'Its own restriction list counts', type: 'checkbox' },
  { name: 'description', label: 'Description', type: 'text' },
] as const;

function openEdit(connectionId: string, client: Client, onDone: () => Promise<void>): void {
  openDialog({
    kind: 'form',
    form: {
      title: `Edit client ${showHidden(client.hostname)}`,
      submitLabel: 'Save',
      fields,
      initial: {
        group_id: client.group_id,
        storage_capacity: String(client.storage_capacity),
        client_side_backup: client.client_side_backup,
        client_side_restore: client.client_side_restore,
        lrl_flag: client.lrl_flag,
        description: client.description ?? '',
      },
      submit: async (values) => {
        const description = String(values.description ?? '').trim();
        const body = {
          group_id: String(values.group_id).trim(),
          storage_capacity: Number(values.storage_capacity),
          client_side_backup: values.client_side_backup === true,
          client_side_restore: values.client_side_restore === true,
          lrl_flag: values.lrl_flag === true,
          description: description === '' ? null : description,
        };
        const params = { id: client.id };
        await call(connectionId, 'clients.update', { params, body });
        const now = await call(connectionId, 'clients.get', { params });
        await onDone();
        tellNotTaken(`Client ${client.hostname}`, fields, body, now);
      },
    },
  });
}

function openRemove(connectionId: string, client: Client, onDone: () => Promise<void>): void {
  openDialog({
    kind: 'remove',
    title: 'Delete clients',
    removal: {
      items: [client.client_name],
      consequences: async () => [
        'Its rules and bandwidth limits go with it',
        'Its copies stay and can be restored',
      ],
      remove: async () => {
        await call(connectionId, 'clients.deleteMany', { body: { ids: [client.id] } });
        await onDone();
        return [];
      },
    },
  });
}
