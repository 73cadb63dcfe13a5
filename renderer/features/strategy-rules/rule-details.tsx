import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import type { StrategyRule } from '../../../contract/strategy-rules/strategy-rule.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { OverdueLines } from '../../shell/overdue-lines.tsx';
import { parameterLabel } from '../../shell/parameter-fields.ts';
import { resourceTypeWord } from '../../shell/resource-words.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { t, textsOf } from '../../texts/index.ts';
import { showHidden } from '../../ui/index.ts';
import { RuleRuns } from './rule-runs.tsx';

const words = textsOf('strategyRules');

/** What a rule binds to what, and what became of its runs. */
export function RuleDetails(props: {
  readonly connectionId: string;
  readonly rule: StrategyRule;
  readonly overdue: OverdueRule | undefined;
}) {
  const { connectionId, rule, overdue } = props;
  const isIncomplete = rule.client_id === null || rule.strategy_id === null;
  const parameters = [
    ...Object.entries(rule.module_extensions?.parameters ?? {}),
    ...Object.entries(rule.common_modules_extensions?.parameters ?? {}),
  ];
  return (
    <section aria-label={words.details.title} className="page-section">
      <DetailsHead isMono>{showHidden(rule.resource)}</DetailsHead>
      {isIncomplete && <p className="muted">{words.details.incomplete}</p>}
      {overdue !== undefined && <OverdueLines connectionId={connectionId} rules={[overdue]} isOfRule />}
      <Facts
        facts={[
          [t('common.client'), rule.client_id === null ? null : showHidden(rule.client_id)],
          [words.resourceType, showHidden(resourceTypeWord(rule.resource_type))],
          [words.strategy, rule.strategy_id === null ? null : showHidden(rule.strategy_id)],
          [words.priority, String(rule.priority)],
          [words.details.afterBackup, showHidden(rule.normal_execution_script ?? '')],
          [words.details.afterFailure, showHidden(rule.exception_execution_script ?? '')],
          [words.details.restoreScript, showHidden(rule.restore_script ?? '')],
          [t('common.created'), serverTime(rule.created)],
          [words.changed, serverTime(rule.changed)],
        ]}
      />
      <RuleRuns connectionId={connectionId} ruleId={rule.id} key={rule.id} />
      <h3>{words.details.parameters}</h3>
      <Facts facts={parameters.map(([name, value]) => [parameterLabel(name), valueText(value)] as const)} />
    </section>
  );
}

function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? t('common.yes') : t('common.no');
  return showHidden(String(value ?? ''));
}
