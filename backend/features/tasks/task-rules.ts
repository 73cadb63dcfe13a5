import { whyCryptoDoesNotFit, workingCrypto } from '../working-crypto.ts';
import type { ModuleParameterValues } from './task-parameters.ts';

/** The kinds of resources that this backend can back up. */
export const workingResourceTypes: readonly string[] = ['File system'];

/** The kinds of pools that this backend can write backups to. */
const workingPoolTypes: readonly string[] = ['File system', 'Block device'];

/** Reasons by field why a backup cannot be made here; empty when it can. */
export function backupRefusals(draft: {
  readonly resourceType: string;
  readonly isKnownType: boolean;
  readonly crypto: string;
  readonly poolType: string;
  readonly clientModules: readonly string[];
  readonly module: ModuleParameterValues;
}): Readonly<Record<string, string>> {
  const errors: Record<string, string> = {};
  if (!workingResourceTypes.includes(draft.resourceType)) {
    const reason = draft.isKnownType ? 'is not available on this server yet' : 'is not a known resource type';
    errors.resource_type = `${reason}; use one of: ${workingResourceTypes.join(', ')}`;
  } else if (!draft.clientModules.includes(draft.resourceType)) {
    errors.client = `has no module for ${draft.resourceType}; choose another client`;
  }
  if (!workingCrypto.includes(draft.crypto)) {
    errors.crypto = `must be one of: ${workingCrypto.join(', ')}`;
  }
  if (!workingPoolTypes.includes(draft.poolType)) {
    errors.pool = `is of a type that this server cannot write yet; choose a pool of type ${workingPoolTypes.join(' or ')}`;
  }
  const misfit = whyCryptoDoesNotFit(draft.poolType, draft.crypto);
  if (misfit !== null) errors.crypto ??= misfit;
  if (draft.module.use_snapshot && !draft.module.ignore_errors_snapshot) {
    errors.use_snapshot =
      'is not available on this server yet; switch it off, or set ignore_errors_snapshot to go on without';
  }
  return errors;
}

/** Tasks that a person may delete are those that have ended. */
export function deletionRefusal(task: {
  readonly id: number;
  readonly isFinal: boolean;
  readonly status: string;
}) {
  return task.isFinal ? null : `task ${task.id} is ${task.status}; kill it first`;
}
