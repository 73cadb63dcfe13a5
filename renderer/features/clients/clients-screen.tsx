import { useMemo } from 'react';
import { call } from '../../bridge.ts';
import { useExtension } from '../../shell/rights.ts';
import { TabbedScreen } from '../../shell/tabbed-screen.tsx';
import { useAnswer } from '../../shell/use-answer.ts';
import { t, textsOf } from '../../texts/index.ts';
import { ClientGroupsView } from './client-groups-view.tsx';
import { ClientsTree } from './clients-tree.tsx';
import { WaitingClientsView } from './waiting-clients-view.tsx';

const { views: words } = textsOf('clients');
const watch = { kinds: ['client'], pollMs: 60_000, settleMs: 400 } as const;

/** Clients, and what a server knows beyond the specification: their groups, and those that wait to be let in. */
export function ClientsScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const hasGroups = useExtension(connectionId, 'client_groups');
  const hasWaiting = useExtension(connectionId, 'clients_unauthorized');
  const waiting = useWaiting(connectionId, hasWaiting);
  const tree = { id: 'tree', label: words.clients, draw: () => <ClientsTree connectionId={connectionId} /> };
  if (!hasGroups && !hasWaiting) return tree.draw();
  const views = [
    tree,
    ...(hasGroups
      ? [
          {
            id: 'groups',
            label: words.groups,
            draw: () => <ClientGroupsView connectionId={connectionId} />,
          },
        ]
      : []),
    ...(hasWaiting
      ? [
          {
            id: 'waiting',
            label: waiting === 0 ? words.waiting : t('clients.views.waitingCount', { count: waiting }),
            draw: () => <WaitingClientsView connectionId={connectionId} />,
          },
        ]
      : []),
  ];
  return <TabbedScreen label={words.label} views={views} />;
}

/** How many wait; 0 until that is known. Why it cannot be told stands in the list itself. */
function useWaiting(connectionId: string, isAsked: boolean): number {
  const load = useMemo(
    () =>
      isAsked
        ? (signal: AbortSignal) =>
            call(connectionId, 'clients.unauthorized', { query: { page: 1, limit: 1 } }, signal)
        : null,
    [connectionId, isAsked],
  );
  return useAnswer(connectionId, load, watch).value?.total ?? 0;
}
