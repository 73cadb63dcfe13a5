import { useMemo } from 'react';
import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import type { Strategy } from '../../../contract/strategies/strategy.ts';
import { call } from '../../bridge.ts';
import { periodWords } from '../../shell/period-words.ts';
import { ResourceScreen } from '../../shell/resource-screen.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { useShownView } from '../../shell/shown-view.ts';
import { Views } from '../../shell/tabbed-screen.tsx';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { useOverdue } from '../../shell/use-overdue.ts';
import { t, textsOf } from '../../texts/index.ts';
import { type Column, type ListStore, StatusBadge, selectOne, showHidden, thinDash } from '../../ui/index.ts';
import { StrategyDetails } from './strategy-details.tsx';
import { openStrategyForm } from './strategy-form.tsx';
import { WeekScreen } from './week-screen.tsx';
import './strategies.css';

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

/** The strategies, and what they do in the coming seven days. */
export function StrategiesScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const [view, setView] = useShownView('list');
  const list = useList(connectionId, source);
  const rules = useOverdue(connectionId);
  const overdue = useMemo(() => byStrategy(rules ?? []), [rules]);
  const views = [
    {
      id: 'list',
      label: words.list,
      draw: () => <StrategyList connectionId={connectionId} list={list} overdue={overdue} />,
    },
    {
      id: 'week',
      label: words.week,
      draw: () => (
        <WeekScreen
          connectionId={connectionId}
          overdue={overdue}
          onNew={() => openStrategyForm(connectionId, list, null, () => setView('list'))}
          onOpen={(id) => {
            list.setSelection(selectOne(id));
            setView('list');
          }}
        />
      ),
    },
  ];
  return <Views label={words.views} views={views} current={view} onChange={setView} />;
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
    <ResourceScreen
      connectionId={connectionId}
      list={list}
      columns={columns}
      title={words.title}
      empty={words.none}
      actionsLabel={words.actions}
      area="strategies"
      object="strategy"
      nameOf={(strategy) => strategy.name}
      create={{ label: words.create, open: () => openStrategyForm(connectionId, list, null) }}
      edit={(strategy) => openStrategyForm(connectionId, list, strategy)}
      remove={(ids) => call(connectionId, 'strategies.deleteMany', { body: { ids } })}
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
