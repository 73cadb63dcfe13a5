import type { Client } from '../../../contract/clients/client.ts';
import { t, textsOf } from '../../texts/index.ts';
import {
  Button,
  EmptyState,
  formatBytes,
  LoadingRows,
  MeaningIcon,
  showHidden,
  Tree,
  type TreeNode,
} from '../../ui/index.ts';
import { stateWord } from './client-details.tsx';
import type { ClientsState, ClientsStore } from './clients-store.ts';

const words = textsOf('clients');

/** Groups with their clients as the lines of a tree, as far as they are loaded. */
export function ClientLines(props: {
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
