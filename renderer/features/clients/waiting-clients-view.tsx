import type { Client } from '../../../contract/clients/client.ts';
import { call } from '../../bridge.ts';
import { ResourceScreen } from '../../shell/resource-screen.tsx';
import { useExtension, useRights } from '../../shell/rights.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { openDialog, showNotice } from '../../shell/shell-store.ts';
import { tellFailure } from '../../shell/tell.ts';
import { tryEach } from '../../shell/try-each.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, type Column, type ListStore, showHidden, thinDash } from '../../ui/index.ts';
import { ClientDetails } from './client-details.tsx';
import { JoinTokenDialog } from './join-token-dialog.tsx';

const { waiting: words, facts, joinToken } = textsOf('clients');
const common = textsOf('common');

const source: ListSource<Client> = {
  name: 'Waiting clients',
  kinds: ['client'],
  pollMs: 30_000,
  idOf: (client) => client.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'clients.unauthorized', listInput(request), signal),
};

const columns: readonly Column<Client>[] = [
  { id: 'hostname', header: common.name, widthPx: 200, cell: (client) => showHidden(client.hostname) },
  {
    id: 'hwid',
    header: words.hardwareId,
    widthPx: 170,
    cell: (client) => <span className="mono">{showHidden(client.hwid)}</span>,
  },
  {
    id: 'ipv4',
    header: facts.address,
    widthPx: 130,
    cell: (client) => showHidden(client.ipv4 ?? client.ipv6 ?? thinDash),
  },
  { id: 'os_type', header: facts.system, widthPx: 100, cell: (client) => showHidden(client.os_type) },
  { id: 'created', header: words.since, widthPx: 172, cell: (client) => serverTime(client.created) },
  {
    id: 'last_activity',
    header: facts.lastHeardOf,
    widthPx: 172,
    cell: (client) => serverTime(client.last_activity),
  },
  { id: 'id', header: common.id, widthPx: 60, align: 'right', cell: (client) => client.id },
];

/** Agents that have told the server of themselves: nothing of them is backed up or restored before a person lets them in. */
export function WaitingClientsView(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  const reasonFor = useRights(connectionId);
  const hasTokens = useExtension(connectionId, 'clients_join_tokens');
  return (
    <ResourceScreen
      connectionId={connectionId}
      list={list}
      columns={columns}
      title={words.title}
      empty={words.none}
      actionsLabel={words.actions}
      area="clients"
      object="client"
      nameOf={(client) => client.client_name}
      {...(hasTokens
        ? { create: { label: joinToken.title, open: async () => openJoinToken(connectionId) } }
        : {})}
      remove={(ids) => call(connectionId, 'clients.deleteMany', { body: { ids } })}
      consequences={async () => [words.comesBack]}
      more={() => {
        const clients = list.selectedRows();
        return (
          <Button
            onClick={() => tellFailure(authorize(connectionId, list, clients))}
            disabledBecause={
              (clients.length === 0 ? t('shell.objects.client.selectFirst') : null) ??
              reasonFor('clients.write')
            }
          >
            {words.authorize}
          </Button>
        );
      }}
      details={(client) => <ClientDetails client={client} />}
    />
  );
}

function openJoinToken(connectionId: string): void {
  openDialog({
    kind: 'own',
    draw: (close) => <JoinTokenDialog connectionId={connectionId} onClose={close} />,
  });
}

async function authorize(
  connectionId: string,
  list: ListStore<Client>,
  clients: readonly Client[],
): Promise<void> {
  const done: number[] = [];
  const refused = await tryEach(clients, async ({ id }) => {
    await call(connectionId, 'clients.authorize', { params: { id } });
    done.push(id);
  });
  list.forget(done);
  await list.refresh();
  if (done.length > 0)
    showNotice({ level: 'info', message: t('clients.waiting.authorized', { count: done.length }) });
  if (refused.length === 0) return;
  const reasons = refused.map(({ row, reason }) => `${row.client_name}: ${reason}`).join(' ');
  showNotice({ level: 'error', message: t('clients.waiting.refused', { reasons }) });
}
