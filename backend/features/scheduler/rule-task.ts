import { formatClientText } from '../../../contract/words.ts';
import type { Run } from '../strategies/strategy-service.ts';
import type { NewTask } from '../tasks/task-service.ts';
import type { PlanRow, RuleRow } from './run-store.ts';

/** The task of one run. Throws when the parameters of the rule cannot be read. */
export function taskOf(strategy: PlanRow, rule: RuleRow, run: Run): NewTask {
  return {
    taskType: 'backup_strategy',
    resourceType: rule.resource_type,
    resource: rule.resource,
    client: { id: rule.client_id, text: formatClientText({ name: rule.hostname, hwid: rule.hwid }) },
    backupType: run.backupType,
    pool: { id: strategy.pool_id, name: strategy.pool_name },
    mediaServer: { id: strategy.media_server_id, name: strategy.media_server_name },
    crypto: strategy.crypto,
    priority: rule.priority,
    // Without either the copy is kept for ever.
    storageDuration: strategy.storage_duration ?? strategy.retention_period,
    strategyRuleId: rule.id,
    createdBy: null,
    moduleExtensions: { parameters: parametersOf(rule.module_extensions, 'module_extensions') },
    commonModulesExtensions: {
      parameters: parametersOf(rule.common_modules_extensions, 'common_modules_extensions'),
    },
  };
}

/** Why a run of this rule is left out, or null. */
export function whySkipped(
  rule: RuleRow,
  run: Run,
  now: {
    /** The earlier task of the rule and the type that has not ended. */
    readonly activeTaskId: number | null;
    readonly isMadeForOffline: boolean;
  },
): string | null {
  if (now.activeTaskId !== null) {
    return `Task ${now.activeTaskId}, the ${run.backupType} copy of an earlier run, has not ended yet.`;
  }
  // This server reaches the client on its own host alone.
  if (rule.is_local !== 1 && !now.isMadeForOffline) {
    return `The client ${rule.hostname} is offline, and create_new_task_if_client_offline is \`no\`.`;
  }
  return null;
}

function parametersOf(json: string, field: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below: the parser's words would not help.
  }
  throw new Error(`the rule's ${field} cannot be read; save the rule again`);
}
