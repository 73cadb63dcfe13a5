import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import { formatClientText } from '../../../contract/words.ts';
import { toUtcTime, toWireTime } from '../../platform/wire-time.ts';
import { overdueReason, type StrategyRuleService } from '../strategy-rules/strategy-rule-service.ts';

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
    reason: overdueReason(row),
    task_id: row.task_id,
    task_status: row.task_status,
  };
}
