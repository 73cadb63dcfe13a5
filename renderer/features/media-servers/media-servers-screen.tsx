import type { MediaServer } from '../../../contract/media-servers/media-server.ts';
import { call } from '../../bridge.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { textOrNull } from '../../shell/form-values.ts';
import { ResourceScreen } from '../../shell/resource-screen.tsx';
import { saveChange } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { TabbedScreen } from '../../shell/tabbed-screen.tsx';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { type Column, type ListStore, StatusBadge, showHidden, thinDash } from '../../ui/index.ts';
import { StorageTreeView } from './storage-tree-view.tsx';

const words = textsOf('mediaServers');

const source: ListSource<MediaServer> = {
  name: 'Media servers',
  kinds: ['pool', 'task'],
  pollMs: 30_000,
  idOf: (server) => server.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'mediaServers.list', listInput(request), signal),
};

const columns: readonly Column<MediaServer>[] = [
  { id: 'name', header: t('common.name'), widthPx: 180, cell: (server) => showHidden(server.name) },
  {
    id: 'online',
    header: words.state,
    widthPx: 110,
    cell: (server) => (
      <StatusBadge
        meaning={server.online ? 'ok' : 'error'}
        word={server.online ? words.online : words.offline}
      />
    ),
  },
  {
    id: 'role',
    header: words.role,
    widthPx: 100,
    cell: (server) => showHidden(wordFor(words.roles, server.role)),
  },
  { id: 'ip', header: words.address, widthPx: 140, cell: (server) => showHidden(server.ip ?? thinDash) },
  {
    id: 'pools_count',
    header: words.pools,
    widthPx: 80,
    align: 'right',
    cell: (server) => server.pools_count,
  },
  {
    id: 'active_tasks',
    header: words.activeTasks,
    widthPx: 110,
    align: 'right',
    cell: (server) => server.active_tasks,
  },
  {
    id: 'version',
    header: words.version,
    widthPx: 100,
    cell: (server) => showHidden(server.version ?? thinDash),
  },
  {
    id: 'description',
    header: t('common.description'),
    widthPx: 240,
    cell: (server) => showHidden(server.description ?? thinDash),
  },
];

/** The servers that hold copies, as a list, and with their pools and storages as a tree. */
export function MediaServersScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const views = [
    { id: 'list', label: words.views.list, draw: () => <ServersList connectionId={connectionId} /> },
    { id: 'tree', label: words.views.tree, draw: () => <StorageTreeView connectionId={connectionId} /> },
  ];
  return <TabbedScreen label={words.views.label} views={views} />;
}

function ServersList(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ResourceScreen
      connectionId={connectionId}
      list={list}
      columns={columns}
      title={words.title}
      empty={words.none}
      actionsLabel={words.actions}
      area="media_servers"
      object="mediaServer"
      nameOf={(server) => server.name}
      edit={async (server) => openEdit(connectionId, server, list)}
      remove={(ids) => call(connectionId, 'mediaServers.deleteMany', { body: { ids } })}
      details={(server) => (
        <section aria-label={words.details} className="page-section">
          <DetailsHead>{showHidden(server.name)}</DetailsHead>
          <Facts
            facts={[
              [words.state, server.online ? words.online : words.offline],
              [words.role, showHidden(wordFor(words.roles, server.role))],
              [words.address, server.ip === null ? null : showHidden(server.ip)],
              [words.pools, String(server.pools_count)],
              [words.activeTasks, String(server.active_tasks)],
              [words.version, server.version],
              [t('common.description'), server.description === null ? null : showHidden(server.description)],
            ]}
          />
        </section>
      )}
    />
  );
}

const fields = [{ name: 'description', label: t('common.description'), type: 'text' }] as const;

function openEdit(connectionId: string, server: MediaServer, list: ListStore<MediaServer>): void {
  openDialog({
    kind: 'form',
    form: {
      title: t('mediaServers.editTitle', { name: showHidden(server.name) }),
      submitLabel: t('common.save'),
      fields,
      initial: { description: server.description ?? '' },
      submit: async (values) => {
        const body = { description: textOrNull(values, 'description') };
        const params = { id: server.id };
        await saveChange({
          what: t('mediaServers.saved', { name: server.name }),
          fields,
          body,
          update: (asked) => call(connectionId, 'mediaServers.update', { params, body: asked }),
          get: () => call(connectionId, 'mediaServers.get', { params }),
          refresh: list.refresh,
        });
      },
    },
  });
}
