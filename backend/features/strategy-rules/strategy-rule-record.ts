import type { StrategyRule } from '../../../contract/strategy-rules/strategy-rule.ts';
import { formatClientText } from '../../../contract/words.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import { withoutSecrets } from '../module-secrets.ts';
import type { StoredRule } from './strategy-rule-store.ts';

export function toRecord(rule: StoredRule): StrategyRule {
  const { hostname, hwid } = rule;
  return {
    id: rule.id,
    client_id: hostname === null || hwid === null ? null : formatClientText({ name: hostname, hwid }),
    client_hwid: hwid,
    client_name: hostname,
    strategy_id: rule.strategy_name,
    strategy_name: rule.strategy_name,
    resource_type: rule.resource_type,
    resource: rule.resource,
    priority: rule.priority,
    status: rule.status,
    normal_execution_script: rule.normal_execution_script,
    exception_execution_script: rule.exception_execution_script,
    restore_script: rule.restore_script,
    module_extensions: { parameters: withoutSecrets(parametersIn(rule.module_extensions)) },
    common_modules_extensions: { parameters: parametersIn(rule.common_modules_extensions) },
    created: toWireTime(rule.created_ms),
    changed: toWireTime(rule.changed_ms),
  };
}

/** The columns hold the complete parameters as JSON. */
export function parametersIn(json: string): Record<string, unknown> {
  return JSON.parse(json) as Record<string, unknown>;
}
