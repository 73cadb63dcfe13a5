import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import type { StrategyRuleService } from '../strategy-rules/strategy-rule-service.ts';

type OverdueRow = Awaited<ReturnType<StrategyRuleService['overdue']>>[number];

export function overdueRule(row: OverdueRow): OverdueRule {
  return {
    rule_id: row.rule_id,
    client: `${row.hostname} (${row.hwid})`,
    resource: row.resource,
    strategy: row.strategy_name,
    backup_type: row.backup_type,
    due: toWireTime(row.due_ms),
    utc: new Date(row.due_ms).toISOString().replace('.000Z', 'Z'),
    reason: row.outcome === 'planned' ? taskReason(row) : (row.reason ?? 'The run was skipped.'),
    task_id: row.task_id,
  };
}

function taskReason(row: OverdueRow): string {
  const end = `Task ${row.task_id} ended with status \`${row.task_status}\``;
  return row.error_message === null ? `${end}.` : `${end}: ${row.error_message}`;
}
