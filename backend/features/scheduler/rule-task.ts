import type { Run } from '../strategies/strategy-service.ts';
import type { RuleRow } from './run-store.ts';

/** Why a run of this rule is left out, or null. */
export function whySkipped(
  rule: Pick<RuleRow, 'hostname' | 'is_local'>,
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

/**
 * Throws when the parameters of a rule cannot be read. Most rules have the same ones as many others, so a text that
 * was read is remembered; one checker serves one batch.
 */
export function createParameterCheck() {
  const known = new Map<string, boolean>();
  /** Of the rule before: a comparison takes less than to look the text up. */
  let last = { module_extensions: '', common_modules_extensions: '' };
  const isObject = (json: string): boolean => {
    const before = known.get(json);
    if (before !== undefined) return before;
    const is = isJsonObject(json);
    known.set(json, is);
    return is;
  };
  return (rule: Pick<RuleRow, 'module_extensions' | 'common_modules_extensions'>): void => {
    const isAsLast =
      rule.module_extensions === last.module_extensions &&
      rule.common_modules_extensions === last.common_modules_extensions;
    if (isAsLast) return;
    for (const field of ['module_extensions', 'common_modules_extensions'] as const) {
      if (!isObject(rule[field])) throw new Error(`the rule's ${field} cannot be read; save the rule again`);
    }
    last = rule;
  };
}

function isJsonObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    // The caller says so: the parser's words would not help.
    return false;
  }
}
