import { useMemo, useState } from 'react';
import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import type { Strategy } from '../../../contract/strategies/strategy.ts';
import { call } from '../../bridge.ts';
import { ListScreen } from '../../shell/list-screen.tsx';
import { NewButton } from '../../shell/new-button.tsx';
import { periodWords } from '../../shell/period-words.ts';
import { ResourceActions } from '../../shell/resource-actions.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { tellFailure } from '../../shell/tell.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { useOverdue } from '../../shell/use-overdue.ts';
import { t, textsOf } from '../../texts/index.ts';
import {
  type Column,
  type ListStore,
  StatusBadge,
  selectOne,
  showHidden,
  Tabs,
  thinDash,
} from '../../ui/index.ts';
import { StrategyDetails } from './strategy-details.tsx';
import { openStrategyForm } from './strategy-form.tsx';
import { WeekScreen } from './week-screen.tsx';

const words = textsOf('strategies');

const source: ListSource<Strategy> = {
  name: 'Strategies',
  kinds: ['configuration', 'client'],
  pollMs: 30_000,
  idOf: (strategy) => strategy.id,
  load: (connectionId, request, signal) => call(connectionId, 'strategies.list', listInput(request), signal),
};

const schedule = (text: string | null) =>
  text === null ? thinDash : <span className="mono">{showHidden(text)}</span>;

type Overdue = ReadonlyMap<string, readonly OverdueRule[]>;

const columnsWith = (overdue: Overdue): readonly Column<Strategy>[] => [
  { id: 'name', header: t('common.name'), widthPx: 180, cell: (strategy) => showHidden(strategy.name) },
  {
    id: 'enabled',
    header: words.columns.state,
    widthPx: 140,
    cell: (strategy) => <State strategy={strategy} overdue={overdue.get(strategy.name) ?? []} />,
    title: (strategy) =>
      overdue
        .get(strategy.name)
        ?.map(({ reason }) => showHidden(reason))
        .join(' '),
  },
  {
    id: 'next_runs',
    header: words.columns.nextRun,
    widthPx: 170,
    sortable: false,
    cell: (strategy) => {
      const [next] = strategy.next_runs ?? [];
      return next === undefined ? thinDash : serverTime(next.time);
    },
  },
  {
    id: 'full_schedule',
    header: words.columns.full,
    widthPx: 120,
    cell: (strategy) => schedule(strategy.full_schedule),
  },
  {
    id: 'differential_schedule',
    header: words.columns.differential,
    widthPx: 120,
    cell: (strategy) => schedule(strategy.differential_schedule),
  },
  {
    id: 'incremental_schedule',
    header: words.columns.incremental,
    widthPx: 120,
    cell: (strategy) => schedule(strategy.incremental_schedule),
  },
  {
    id: 'time_zone',
    header: words.columns.timeZone,
    widthPx: 130,
    cell: (strategy) => showHidden(strategy.time_zone),
  },
  { id: 'pool', header: t('common.pool'), widthPx: 130, cell: (strategy) => showHidden(strategy.pool) },
  {
    id: 'storage_duration',
    header: words.columns.keptFor,
    widthPx: 120,
    cell: ({ storage_duration: keptFor }) => (keptFor ? periodWords(keptFor) : thinDash),
  },
  {
    id: 'rules_count',
    header: words.columns.rules,
    widthPx: 70,
    align: 'right',
    cell: (strategy) => strategy.rules_count,
  },
];

function State(props: { readonly strategy: Strategy; readonly overdue: readonly OverdueRule[] }) {
  const { strategy, overdue } = props;
  if (strategy.enabled && overdue.length > 0)
    return <StatusBadge meaning="warning" word={t('strategies.onOverdue', { overdue: overdue.length })} />;
  return (
    <StatusBadge meaning={strategy.enabled ? 'ok' : 'idle'} word={strategy.enabled ? words.on : words.off} />
  );
}

const views = [
  { id: 'list', label: words.list },
  { id: 'week', label: words.week },
] as const;

/** The strategies, and what they do in the coming seven days. */
export function StrategiesScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const [view, setView] = useState<string>('list');
  const list = useList(connectionId, source);
  const rules = useOverdue(connectionId);
  const overdue = useMemo(() => byStrategy(rules ?? []), [rules]);
  return (
    <div className="tabbed-screen">
      <Tabs label={words.views} tabs={views} current={view} onChange={setView}>
        {view === 'week' ? (
          <WeekScreen
            connectionId={connectionId}
            overdue={overdue}
            onNew={() => openStrategyForm(connectionId, list, null, () => setView('list'))}
            onOpen={(id) => {
              list.setSelection(selectOne(id));
              setView('list');
            }}
          />
        ) : (
          <StrategyList connectionId={connectionId} list={list} overdue={overdue} />
        )}
      </Tabs>
    </div>
  );
}

function byStrategy(rules: readonly OverdueRule[]): Overdue {
  const found = new Map<string, OverdueRule[]>();
  for (const rule of rules) found.set(rule.strategy, [...(found.get(rule.strategy) ?? []), rule]);
  return found;
}

function StrategyList(props: {
  readonly connectionId: string;
  readonly list: ListStore<Strategy>;
  readonly overdue: Overdue;
}) {
  const { connectionId, list, overdue } = props;
  const columns = useMemo(() => columnsWith(overdue), [overdue]);
  return (
    <ListScreen
      title={words.title}
      list={list}
      columns={columns}
      empty={words.none}
      newAction={
        <NewButton
          connectionId={connectionId}
          permission="strategies.write"
          label={words.create}
          open={() => openStrategyForm(connectionId, list, null)}
        />
      }
      actionsLabel={words.actions}
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
      details={(strategy) => (
        <StrategyDetails
          connectionId={connectionId}
          strategy={strategy}
          overdue={overdue.get(strategy.name) ?? []}
        />
      )}
    />
  );
}
