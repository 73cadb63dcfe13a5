import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import type { StrategyRule } from '../../../contract/strategy-rules/strategy-rule.ts';
import { Facts } from '../../shell/list-screen.tsx';
import { OverdueLines } from '../../shell/overdue-lines.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { showHidden } from '../../ui/index.ts';
import { RuleRuns } from './rule-runs.tsx';

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
    <section aria-label="Rule details" className="page-section">
      <div className="details-head">
        <h2 className="mono">{showHidden(rule.resource)}</h2>
      </div>
      {isIncomplete && (
        <p className="muted">It makes no copies before it has both a client and a strategy.</p>
      )}
      {overdue !== undefined && <OverdueLines connectionId={connectionId} rules={[overdue]} isOfRule />}
      <Facts
        facts={[
          ['Client', rule.client_id === null ? null : showHidden(rule.client_id)],
          ['Resource type', showHidden(rule.resource_type)],
          ['Strategy', rule.strategy_id === null ? null : showHidden(rule.strategy_id)],
          ['Priority', String(rule.priority)],
          ['After a backup', showHidden(rule.normal_execution_script ?? '')],
          ['After a failure', showHidden(rule.exception_execution_script ?? '')],
          ['Restore script', showHidden(rule.restore_script ?? '')],
          ['Created', serverTime(rule.created)],
          ['Changed', serverTime(rule.changed)],
        ]}
      />
      <RuleRuns connectionId={connectionId} ruleId={rule.id} key={rule.id} />
      <h3>Parameters</h3>
      <Facts facts={parameters.map(([name, value]) => [name, showHidden(String(value ?? ''))] as const)} />
    </section>
  );
}
