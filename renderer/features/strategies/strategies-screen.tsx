import type { Strategy } from '../../../contract/strategies/strategy.ts';
import { call } from '../../bridge.ts';
import { ListScreen } from '../../shell/list-screen.tsx';
import { NewButton } from '../../shell/new-button.tsx';
import { ResourceActions } from '../../shell/resource-actions.tsx';
import { tellFailure } from '../../shell/tell.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { type Column, formatServerTime, StatusBadge, showHidden, thinDash } from '../../ui/index.ts';
import { StrategyDetails } from './strategy-details.tsx';
import { openStrategyForm } from './strategy-form.ts';

const source: ListSource<Strategy> = {
  name: 'Strategies',
  kinds: ['configuration', 'client'],
  pollMs: 30_000,
  idOf: (strategy) => strategy.id,
  load: (connectionId, request, signal) => call(connectionId, 'strategies.list', listInput(request), signal),
};

const schedule = (text: string | null) =>
  text === null ? thinDash : <span className="mono">{showHidden(text)}</span>;

const columns: readonly Column<Strategy>[] = [
  { id: 'name', header: 'Name', widthPx: 180, cell: (strategy) => showHidden(strategy.name) },
  {
    id: 'enabled',
    header: 'State',
    widthPx: 100,
    cell: (strategy) => (
      <StatusBadge meaning={strategy.enabled ? 'ok' : 'idle'} word={strategy.enabled ? 'on' : 'off'} />
    ),
  },
  {
    id: 'next_runs',
    header: 'Next run',
    widthPx: 180,
    sortable: false,
    cell: (strategy) => {
      const [next] = strategy.next_runs;
      return next === undefined ? thinDash : `${formatServerTime(next.time)}`;
    },
  },
  { id: 'full_schedule', header: 'Full', widthPx: 120, cell: (strategy) => schedule(strategy.full_schedule) },
  {
    id: 'differential_schedule',
    header: 'Differential',
    widthPx: 120,
    cell: (strategy) => schedule(strategy.differential_schedule),
  },
  {
    id: 'incremental_schedule',
    header: 'Incremental',
    widthPx: 120,
    cell: (strategy) => schedule(strategy.incremental_schedule),
  },
  { id: 'time_zone', header: 'Time zone', widthPx: 130, cell: (strategy) => showHidden(strategy.time_zone) },
  { id: 'pool', header: 'Pool', widthPx: 130, cell: (strategy) => showHidden(strategy.pool) },
  {
    id: 'storage_duration',
    header: 'Kept for',
    widthPx: 100,
    cell: (strategy) => strategy.storage_duration ?? thinDash,
  },
  {
    id: 'rules_count',
    header: 'Rules',
    widthPx: 70,
    align: 'right',
    cell: (strategy) => strategy.rules_count,
  },
];

export function StrategiesScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ListScreen
      title="Strategies"
      list={list}
      columns={columns}
      empty="There is no strategy. One says when copies are made, where they go and how long they are kept."
      newAction={
        <NewButton
          connectionId={connectionId}
          permission="strategies.write"
          label="New strategy"
          open={() => openStrategyForm(connectionId, list, null)}
        />
      }
      actionsLabel="Strategy actions"
      actions={
        <ResourceActions
          connectionId={connectionId}
          list={list}
          words={{ one: 'strategy', many: 'strategies' }}
          nameOf={(strategy) => strategy.name}
          edit={{
            permission: 'strategies.write',
            open: (strategy) => tellFailure(openStrategyForm(connectionId, list, strategy)),
          }}
          remove={{
            permission: 'strategies.delete',
            run: (ids) => call(connectionId, 'strategies.deleteMany', { body: { ids } }),
          }}
        />
      }
      details={(strategy) => <StrategyDetails strategy={strategy} />}
    />
  );
}
