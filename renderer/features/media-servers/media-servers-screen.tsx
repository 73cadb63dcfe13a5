import { useStore } from 'zustand';
import type { MediaServer } from '../../../contract/media-servers/media-server.ts';
import { call } from '../../bridge.ts';
import { Facts, ListScreen } from '../../shell/list-screen.tsx';
import { removeRows } from '../../shell/remove-rows.ts';
import { useRights } from '../../shell/rights.ts';
import { tellNotTaken } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { Button, type Column, type ListStore, StatusBadge, showHidden, thinDash } from '../../ui/index.ts';

const source: ListSource<MediaServer> = {
  name: 'Media servers',
  kinds: ['pool', 'task'],
  pollMs: 30_000,
  idOf: (server) => server.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'mediaServers.list', listInput(request), signal),
};

const columns: readonly Column<MediaServer>[] = [
  { id: 'name', header: 'Name', widthPx: 220, cell: (server) => showHidden(server.name) },
  {
    id: 'online',
    header: 'State',
    widthPx: 110,
    cell: (server) => (
      <StatusBadge meaning={server.online ? 'ok' : 'error'} word={server.online ? 'online' : 'offline'} />
    ),
  },
  { id: 'role', header: 'Role', widthPx: 100, cell: (server) => showHidden(server.role) },
  { id: 'ip', header: 'Address', widthPx: 140, cell: (server) => showHidden(server.ip ?? thinDash) },
  { id: 'pools_count', header: 'Pools', widthPx: 80, align: 'right', cell: (server) => server.pools_count },
  {
    id: 'active_tasks',
    header: 'Active tasks',
    widthPx: 110,
    align: 'right',
    cell: (server) => server.active_tasks,
  },
  {
    id: 'version',
    header: 'Version',
    widthPx: 100,
    cell: (server) => showHidden(server.version ?? thinDash),
  },
  {
    id: 'description',
    header: 'Description',
    widthPx: 240,
    cell: (server) => showHidden(server.description ?? thinDash),
  },
];

export function MediaServersScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ListScreen
      title="Media servers"
      list={list}
      columns={columns}
      empty="There is no media server."
      actionsLabel="Media server actions"
      actions={<Actions connectionId={connectionId} list={list} />}
      details={(server) => (
        <section aria-label="Media server details" className="page-section">
          <div className="details-head">
            <h2>{showHidden(server.name)}</h2>
          </div>
          <Facts
            facts={[
              ['State', server.online ? 'online' : 'offline'],
              ['Role', showHidden(server.role)],
              ['Address', server.ip === null ? null : showHidden(server.ip)],
              ['Pools', String(server.pools_count)],
              ['Active tasks', String(server.active_tasks)],
              ['Version', server.version],
              ['Description', server.description === null ? null : showHidden(server.description)],
            ]}
          />
        </section>
      )}
    />
  );
}

const fields = [{ name: 'description', label: 'Description', type: 'text' }] as const;

function Actions(props: { readonly connectionId: string; readonly list: ListStore<MediaServer> }) {
  const { connectionId, list } = props;
  useStore(list.store);
  const reasonFor = useRights(connectionId);
  const servers = list.selectedRows();
  const [only] = servers;
  const edit = (server: MediaServer) =>
    openDialog({
      kind: 'form',
      form: {
        title: `Edit media server ${showHidden(server.name)}`,
        submitLabel: 'Save',
        fields,
        initial: { description: server.description ?? '' },
        submit: async (values) => {
          const text = String(values.description ?? '').trim();
          const body = { description: text === '' ? null : text };
          const params = { id: server.id };
          await call(connectionId, 'mediaServers.update', { params, body });
          const now = await call(connectionId, 'mediaServers.get', { params });
          await list.refresh();
          tellNotTaken(`Media server ${server.name}`, fields, body, now);
        },
      },
    });
  const remove = () =>
    openDialog({
      kind: 'remove',
      title: 'Delete media servers',
      removal: {
        items: servers.map((server) => server.name),
        remove: removeRows({
          rows: servers,
          nameOf: (server) => server.name,
          list,
          remove: (ids) => call(connectionId, 'mediaServers.deleteMany', { body: { ids } }),
        }),
      },
    });
  return (
    <>
      <Button
        onClick={() => only !== undefined && edit(only)}
        disabledBecause={
          (servers.length === 1 ? null : 'Select one server') ?? reasonFor('media_servers.write')
        }
      >
        Edit…
      </Button>
      <Button
        onClick={remove}
        disabledBecause={
          (servers.length === 0 ? 'Select a server first' : null) ?? reasonFor('media_servers.delete')
        }
      >
        Delete…
      </Button>
    </>
  );
}
