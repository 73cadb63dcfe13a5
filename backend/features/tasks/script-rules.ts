import type { ScriptEnd } from '../../platform/script-process.ts';

/** Around the snapshot of a backup. */
export type SnapshotScriptKind = 'snapshot_before' | 'snapshot_after' | 'snapshot_error';
export type ScriptKind = 'normal' | 'exception' | 'restore' | SnapshotScriptKind;

/** The scripts of a strategy rule: absolute paths, empty for none. */
export interface RuleScripts {
  readonly normal: string;
  readonly exception: string;
  readonly restore: string;
}

/** What a script is told about its task. */
export interface ScriptFacts {
  readonly id: number;
  readonly task_type: string;
  readonly status: string;
  readonly attempt: number;
  readonly error_message: string | null;
  readonly client_text: string | null;
  readonly resource_type: string | null;
  readonly resource: string | null;
  readonly backup_type: string | null;
  readonly pool_name: string | null;
  readonly copy_id: number | null;
}

/** Which script belongs to the end of a backup; null while it has not come to an end. */
export function scriptOfEnd(status: string): 'normal' | 'exception' | null {
  if (status === 'done') return 'normal';
  return status === 'error' || status === 'killed' || status === 'broken' ? 'exception' : null;
}

/** The system takes 128 KiB for one variable at most. */
const mostOfMessage = 4096;

/** Always all of them; what does not apply is empty. */
export function scriptEnvironment(
  kind: ScriptKind,
  task: ScriptFacts,
  more: { readonly ruleId: number | null; readonly destination: string; readonly isDeployed: boolean },
): Readonly<Record<string, string>> {
  return {
    STRONGROOM_EVENT: kind,
    STRONGROOM_STATUS: task.status,
    STRONGROOM_ERROR: (task.error_message ?? '').slice(0, mostOfMessage),
    STRONGROOM_TASK_ID: String(task.id),
    STRONGROOM_TASK_TYPE: task.task_type,
    STRONGROOM_ATTEMPT: String(task.attempt),
    STRONGROOM_RULE_ID: more.ruleId === null ? '' : String(more.ruleId),
    STRONGROOM_CLIENT: task.client_text ?? '',
    STRONGROOM_RESOURCE_TYPE: task.resource_type ?? '',
    STRONGROOM_RESOURCE: task.resource ?? '',
    STRONGROOM_BACKUP_TYPE: task.backup_type ?? '',
    STRONGROOM_POOL: task.pool_name ?? '',
    STRONGROOM_COPY_ID: task.copy_id === null ? '' : String(task.copy_id),
    STRONGROOM_DESTINATION: more.destination,
    STRONGROOM_DEPLOYMENT: more.isDeployed ? 'yes' : 'no',
  };
}

export const scriptNames: { readonly [K in ScriptKind]: string } = {
  normal: 'normal execution script',
  exception: 'exception execution script',
  restore: 'restore script',
  snapshot_before: 'script before the snapshot',
  snapshot_after: 'script after the snapshot',
  snapshot_error: 'script for a failed snapshot',
};

/** How a script ended, as a line of the log; `isGood` when it did what it was to do. */
export function scriptOutcome(
  kind: ScriptKind,
  path: string,
  end: ScriptEnd,
  timeoutMs: number,
): { readonly isGood: boolean; readonly message: string } {
  const name = `The ${scriptNames[kind]} ${path}`;
  switch (end.kind) {
    case 'exited':
      return end.code === 0
        ? { isGood: true, message: `${name} ended well.` }
        : { isGood: false, message: `${name} ended with exit code ${end.code}; its output says more.` };
    case 'signalled':
      return {
        isGood: false,
        message: `${name} was ended by ${end.signal}, which this server did not send.`,
      };
    case 'timeout': {
      const limit = `${timeoutMs / 1000} s`;
      return {
        isGood: false,
        message: `${name} did not end within ${limit}; it was killed with all that it had started.`,
      };
    }
    case 'stopped':
      return {
        isGood: false,
        message: `${name} was killed with all that it had started: the task was killed, or the server stops.`,
      };
    case 'refused':
      return { isGood: false, message: `The ${scriptNames[kind]} was not run: ${end.reason}.` };
  }
}
