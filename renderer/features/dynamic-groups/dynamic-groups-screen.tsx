import type { DynamicPoolGroup } from '../../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import { call } from '../../bridge.ts';
import { ListScreen } from '../../shell/list-screen.tsx';
import { NewButton } from '../../shell/new-button.tsx';
import { ResourceActions } from '../../shell/resource-actions.tsx';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { type Column, showHidden, thinDash } from '../../ui/index.ts';
import { GroupDetails } from './group-details.tsx';
import { openGroupForm } from './group-form.ts';

const source: ListSource<DynamicPoolGroup> = {
  name: 'Dynamic groups',
  kinds: ['pool'],
  pollMs: 30_000,
  idOf: (group) => group.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'dynamicPoolGroups.list', listInput(request), signal),
};

const limit = (value: number, unit = ''): string => (value === 0 ? 'no limit' : `${value}${unit}`);

const columns: readonly Column<DynamicPoolGroup>[] = [
  { id: 'name', header: 'Name', widthPx: 200, cell: (group) => showHidden(group.name) },
  { id: 'pools_count', header: 'Pools', widthPx: 80, align: 'right', cell: (group) => group.pools_count },
  {
    id: 'max_pool_tasks',
    header: 'Tasks a pool',
    widthPx: 120,
    align: 'right',
    cell: (group) => limit(group.max_pool_tasks),
  },
  {
    id: 'max_media_server_tasks',
    header: 'Tasks a server',
    widthPx: 130,
    align: 'right',
    cell: (group) => limit(group.max_media_server_tasks),
  },
  {
    id: 'max_cpu_usage',
    header: 'Processors',
    widthPx: 110,
    align: 'right',
    cell: (group) => limit(group.max_cpu_usage, ' %'),
  },
  {
    id: 'description',
    header: 'Description',
    widthPx: 240,
    cell: (group) => showHidden(group.description ?? thinDash),
  },
  { id: 'id', header: 'Id', widthPx: 60, align: 'right', cell: (group) => group.id },
];

export function DynamicGroupsScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ListScreen
      title="Dynamic groups"
      list={list}
      columns={columns}
      empty="There is no dynamic group. Tasks for a pool of one go to whichever of its pools has least to do."
      newAction={
        <NewButton
          connectionId={connectionId}
          permission="dynamic_pool_groups.write"
          label="New group"
          open={async () => openGroupForm(connectionId, list, null)}
        />
      }
      actionsLabel="Group actions"
      actions={
        <ResourceActions
          connectionId={connectionId}
          list={list}
          words={{ one: 'group', many: 'dynamic groups' }}
          nameOf={(group) => group.name}
          edit={{
            permission: 'dynamic_pool_groups.write',
            open: (group) => openGroupForm(connectionId, list, group),
          }}
          remove={{
            permission: 'dynamic_pool_groups.delete',
            run: (ids) => call(connectionId, 'dynamicPoolGroups.deleteMany', { body: { ids } }),
            consequences: async () => ['Their pools stay, with all that is in them.'],
          }}
        />
      }
      details={(group) => <GroupDetails connectionId={connectionId} group={group} list={list} />}
    />
  );
}
