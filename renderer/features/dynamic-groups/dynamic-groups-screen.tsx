import type { DynamicPoolGroup } from '../../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import { call } from '../../bridge.ts';
import { ResourceScreen } from '../../shell/resource-screen.tsx';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { t, textsOf } from '../../texts/index.ts';
import { type Column, showHidden, thinDash } from '../../ui/index.ts';
import { GroupDetails } from './group-details.tsx';
import { openGroupForm } from './group-form.ts';

const words = textsOf('dynamicGroups');

const source: ListSource<DynamicPoolGroup> = {
  name: 'Dynamic groups',
  kinds: ['pool'],
  pollMs: 30_000,
  idOf: (group) => group.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'dynamicPoolGroups.list', listInput(request), signal),
};

const limit = (value: number, text = String(value)): string => (value === 0 ? words.noLimit : text);

const columns: readonly Column<DynamicPoolGroup>[] = [
  { id: 'name', header: t('common.name'), widthPx: 160, cell: (group) => showHidden(group.name) },
  {
    id: 'pools_count',
    header: words.columns.pools,
    widthPx: 80,
    align: 'right',
    cell: (group) => group.pools_count,
  },
  {
    id: 'max_pool_tasks',
    header: words.columns.poolTasks,
    widthPx: 120,
    align: 'right',
    cell: (group) => limit(group.max_pool_tasks),
  },
  {
    id: 'max_media_server_tasks',
    header: words.columns.serverTasks,
    widthPx: 130,
    align: 'right',
    cell: (group) => limit(group.max_media_server_tasks),
  },
  {
    id: 'max_cpu_usage',
    header: words.columns.processors,
    widthPx: 110,
    align: 'right',
    cell: (group) => limit(group.max_cpu_usage, t('dynamicGroups.percent', { value: group.max_cpu_usage })),
  },
  {
    id: 'description',
    header: t('common.description'),
    widthPx: 240,
    cell: (group) => showHidden(group.description ?? thinDash),
  },
  { id: 'id', header: t('common.id'), widthPx: 60, align: 'right', cell: (group) => group.id },
];

export function DynamicGroupsScreen(props: { readonly connectionId: string }) {
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
      area="dynamic_pool_groups"
      object="group"
      nameOf={(group) => group.name}
      create={{ label: words.create, open: async () => openGroupForm(connectionId, list, null) }}
      edit={async (group) => openGroupForm(connectionId, list, group)}
      remove={(ids) => call(connectionId, 'dynamicPoolGroups.deleteMany', { body: { ids } })}
      consequences={async () => [words.poolsStay]}
      details={(group) => <GroupDetails connectionId={connectionId} group={group} list={list} />}
    />
  );
}
