import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import { formatClientText } from '../../../contract/words.ts';
import { toUtcTime, toWireTime } from '../../platform/wire-time.ts';
import type { StrategyRuleService } from '../strategy-rules/strategy-rule-service.ts';

type OverdueRow = Awaited<ReturnType<StrategyRuleService['overdue']>>[number];

export function overdueRule(row: OverdueRow): OverdueRule {
  return {
    rule_id: row.rule_id,
    client: formatClientText({ name: row.hostname, hwid: row.hwid }),
    resource: row.resource,
    strategy: row.strategy_name,
    backup_type: row.backup_type,
    due: toWireTime(row.due_ms),
    utc: toUtcTime(row.due_ms),
    reason: row.outcome === 'planned' ? taskReason(row) : (row.reason ?? 'The run was skipped.'),
    task_id: row.task_id,
  };
}

function taskReason(row: OverdueRow): string {
  const end = `Task ${row.task_id} ended with status \`${row.task_status}\``;
  return row.error_message === null ? `${end}.` : `${end}: ${row.error_message}`;
}
