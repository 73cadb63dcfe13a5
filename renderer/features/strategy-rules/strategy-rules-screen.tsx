import { useMemo } from 'react';
import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import type { StrategyRule } from '../../../contract/strategy-rules/strategy-rule.ts';
import { call } from '../../bridge.ts';
import { ResourceScreen } from '../../shell/resource-screen.tsx';
import { resourceTypeWord } from '../../shell/resource-words.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { overdueSince, useOverdue } from '../../shell/use-overdue.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { type Column, PathText, StatusBadge, showHidden, thinDash } from '../../ui/index.ts';
import { RuleDetails } from './rule-details.tsx';
import { openRuleForm } from './strategy-rule-form.tsx';

const words = textsOf('strategyRules');

const source: ListSource<StrategyRule> = {
  name: 'Strategy rules',
  kinds: ['client', 'configuration'],
  pollMs: 30_000,
  idOf: (rule) => rule.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'strategyRules.list', listInput(request), signal),
};

function nameOf(rule: StrategyRule): string {
  const named = { type: resourceTypeWord(rule.resource_type), resource: rule.resource };
  return rule.client_id === null
    ? t('strategyRules.nameOfNone', named)
    : t('strategyRules.nameOf', { ...named, client: rule.client_id });
}

type Overdue = ReadonlyMap<number, OverdueRule>;

const columnsWith = (overdue: Overdue): readonly Column<StrategyRule>[] => [
  {
    id: 'resource',
    header: words.resource,
    widthPx: 230,
    cell: (rule) => <PathText text={rule.resource} />,
    title: (rule) => showHidden(rule.resource),
  },
  {
    id: 'status',
    header: words.state,
    widthPx: 125,
    cell: (rule) => <State rule={rule} overdue={overdue.get(rule.id)} />,
    title: (rule) => {
      const late = overdue.get(rule.id);
      if (late === undefined) return undefined;
      const reason = showHidden(late.reason);
      return t('strategyRules.lateSince', { since: overdueSince(late, Date.now()), reason });
    },
  },
  {
    id: 'strategy_id',
    header: words.strategy,
    widthPx: 160,
    cell: (rule) => showHidden(rule.strategy_id ?? thinDash),
  },
  {
    id: 'client_id',
    header: t('common.client'),
    widthPx: 210,
    cell: (rule) => showHidden(rule.client_id ?? thinDash),
  },
  {
    id: 'resource_type',
    header: words.resourceType,
    widthPx: 130,
    cell: (rule) => showHidden(resourceTypeWord(rule.resource_type)),
  },
  { id: 'priority', header: words.priority, widthPx: 86, align: 'right', cell: (rule) => rule.priority },
  { id: 'changed', header: words.changed, widthPx: 170, cell: (rule) => serverTime(rule.changed) },
  { id: 'id', header: t('common.id'), widthPx: 60, align: 'right', cell: (rule) => rule.id },
];

function State(props: { readonly rule: StrategyRule; readonly overdue: OverdueRule | undefined }) {
  const { status } = props.rule;
  if (props.overdue !== undefined) return <StatusBadge meaning="warning" word={words.states.overdue} />;
  return (
    <StatusBadge
      meaning={status === 'run' ? 'ok' : 'idle'}
      word={showHidden(wordFor({ run: words.states.run, wait: words.states.wait }, status))}
    />
  );
}

export function StrategyRulesScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  const late = useOverdue(connectionId);
  const overdue = useMemo(() => new Map((late ?? []).map((rule) => [rule.rule_id, rule])), [late]);
  const columns = useMemo(() => columnsWith(overdue), [overdue]);
  return (
    <ResourceScreen
      connectionId={connectionId}
      list={list}
      columns={columns}
      title={words.title}
      empty={words.none}
      actionsLabel={words.actions}
      area="strategy_rules"
      object="rule"
      nameOf={nameOf}
      create={{ label: words.create, open: () => openRuleForm(connectionId, list, null) }}
      edit={(rule) => openRuleForm(connectionId, list, rule)}
      remove={(ids) => call(connectionId, 'strategyRules.deleteMany', { body: { ids } })}
      consequences={async () => [words.copiesStay]}
      details={(rule) => (
        <RuleDetails connectionId={connectionId} rule={rule} overdue={overdue.get(rule.id)} />
      )}
    />
  );
}
