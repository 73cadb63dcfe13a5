import type { Run } from '../strategies/strategy-service.ts';
import type { RuleClient, RuleParameters } from './run-store.ts';

const parameterFields = ['module_extensions', 'common_modules_extensions'] as const;

/** Why a run of a rule of this client is left out, or null. */
export function whySkipped(
  client: Pick<RuleClient, 'hostname' | 'is_local'>,
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
  if (client.is_local !== 1 && !now.isMadeForOffline) {
    return `The client ${client.hostname} is offline, and create_new_task_if_client_offline is \`no\`.`;
  }
  return null;
}

/** Which parameters of a rule are others than the usual ones of its batch: null where they are the same. */
export type OtherParameters = { readonly [field in keyof RuleParameters]: string | null };

/**
 * Throws when the parameters of a rule cannot be read. Most rules have the usual ones, and of the others many the same,
 * so a text that was read is remembered; one checker serves one batch.
 */
export function createParameterCheck(usual: RuleParameters) {
  const known = new Map<string, boolean>();
  const isObject = (json: string): boolean => {
    const before = known.get(json);
    if (before !== undefined) return before;
    const is = isJsonObject(json);
    known.set(json, is);
    return is;
  };
  return (other: OtherParameters): void => {
    for (const field of parameterFields) {
      if (!isObject(other[field] ?? usual[field]))
        throw new Error(`the rule's ${field} cannot be read; save the rule again`);
    }
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
