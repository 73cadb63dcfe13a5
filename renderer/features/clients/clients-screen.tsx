import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Client, ClientTree } from '../../../contract/clients/client.ts';
import { call, on, problemOf } from '../../bridge.ts';
import { Facts } from '../../shell/list-screen.tsx';
import { useRights } from '../../shell/rights.ts';
import { openDialog } from '../../shell/shell-store.ts';
import {
  Button,
  counted,
  EmptyState,
  FailedState,
  formatBytes,
  formatServerTime,
  LoadingRows,
  MeaningIcon,
  SearchBox,
  StatusBadge,
  showHidden,
  Tree,
  type TreeNode,
} from '../../ui/index.ts';

type Group = ClientTree['client_groups'][number];

interface TreeState {
  readonly groups: readonly Group[] | null;
  /** Clients by group, as far as they were asked for. */
  readonly clients: ReadonlyMap<number, readonly Client[]>;
  readonly expanded: ReadonlySet<number>;
  readonly filter: string;
  readonly problem: { readonly reason: string; readonly since: number } | null;
  readonly selectedId: number | null;
}

const perPage = 100;

/** Groups with their clients, asked for page by page as they are opened. */
function createClientsStore(connectionId: string) {
  const store = createStore<TreeState>(() => ({
    groups: null,
    clients: new Map(),
    expanded: new Set(),
    filter: '',
    problem: null,
    selectedId: null,
  }));
  const ask = (groups: readonly number[], page: number) => {
    const { filter } = store.getState();
    return call(connectionId, 'clients.tree', {
      body: {
        clients: groups.map((id) => ({ client_group_id: id, clients_page: page, clients_limit: perPage })),
        client_groups_page: 1,
        client_groups_limit: 500,
        ...(filter === '' ? {} : { filter_clients_hostname: filter }),
      },
    });
  };
  const load = async (): Promise<void> => {
    try {
      const { expanded, filter } = store.getState();
      const tree = await ask([...expanded], 1);
      // A first look, or a search: what was found is shown at once.
      const opened =
        filter === '' && expanded.size > 0
          ? [...expanded]
          : tree.client_groups.slice(0, 20).map((group) => group.id);
      const full = opened.length === 0 ? tree : await ask(opened, 1);
      store.setState({
        groups: full.client_groups,
        clients: new Map(full.client_groups.map((group) => [group.id, group.clients])),
        expanded: new Set(opened),
        problem: null,
      });
    } catch (error) {
      const problem = problemOf(error);
      // The server's way to say that no host name has this text.
      if (problem.status === 404) store.setState({ groups: [], clients: new Map(), problem: null });
      else
        store.setState((state) => ({
          problem: { reason: problem.message, since: state.problem?.since ?? Date.now() },
        }));
    }
  };
  return {
    store,
    load,
    setFilter: (filter: string) => {
      store.setState({ filter, groups: null });
      void load();
    },
    toggle: (groupId: number) => {
      const expanded = new Set(store.getState().expanded);
      const isOpened = !expanded.delete(groupId);
      if (isOpened) expanded.add(groupId);
      store.setState({ expanded });
      if (isOpened) void load();
    },
    more: async (groupId: number): Promise<void> => {
      const known = store.getState().clients.get(groupId) ?? [];
      const tree = await ask([groupId], Math.floor(known.length / perPage) + 1);
      const next = tree.client_groups.find((group) => group.id === groupId)?.clients ?? [];
      store.setState((state) => ({ clients: new Map(state.clients).set(groupId, [...known, ...next]) }));
    },
  };
}

export function ClientsScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const clients = useMemo(() => createClientsStore(connectionId), [connectionId]);
  const state = useStore(clients.store);
  useEffect(() => {
    void clients.load();
    return on('server.event', (told) => {
      if (told.connectionId === connectionId && (told.kind === 'client' || told.kind === 'reset'))
        void clients.load();
    });
  }, [clients, connectionId]);
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
          <aside className="details" style={{ width: 400 }}>
            <ClientDetails client={selected} />
          </aside>
        )}
      </div>
    </>
  );
}

function Groups(props: {
  readonly state: TreeState;
  readonly clients: ReturnType<typeof createClientsStore>;
}) {
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
  return (
    <Tree
      label="Clients"
      nodes={nodes}
      selectedId={state.selectedId === null ? null : `client/${state.selectedId}`}
      onToggle={(id) => clients.toggle(Number(id.split('/')[1]))}
      onSelect={(id) => {
        const [kind, number] = id.split('/');
        if (kind === 'client') clients.store.setState({ selectedId: Number(number) });
        if (kind === 'more') void clients.more(Number(number));
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
          ['Last heard of', formatServerTime(client.last_activity)],
          ['Description', client.description === null ? null : showHidden(client.description)],
        ]}
      />
    </section>
  );
}

function openEdit(connectionId: string, client: Client, onDone: () => Promise<void>): void {
  openDialog({
    kind: 'form',
    form: {
      title: `Edit client ${showHidden(client.hostname)}`,
      submitLabel: 'Save',
      fields: [
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
      ],
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
        await call(connectionId, 'clients.update', { params: { id: client.id }, body });
        await onDone();
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
