import { resourceRefusal, workingResourceTypes } from '../resource-types.ts';
import { whyCryptoDoesNotFit, workingCrypto } from '../working-crypto.ts';
import { whyNotWritable, writablePoolTypes } from '../writable-pools.ts';
import { snapshotRefusals } from './snapshot-rules.ts';
import type { ModuleParameterValues } from './task-parameters.ts';

/** Reasons by field why a backup cannot be made here; empty when it can. */
export function backupRefusals(draft: {
  readonly resourceType: string;
  readonly isKnownType: boolean;
  readonly crypto: string;
  readonly poolType: string;
  readonly clientModules: readonly string[];
  readonly resource: string;
  readonly module: Partial<ModuleParameterValues>;
  /** The caller may have programs run on the client. */
  readonly mayNameScripts: boolean;
}): Readonly<Record<string, string>> {
  const errors: Record<string, string> = {};
  if (!workingResourceTypes.includes(draft.resourceType)) {
    const reason = draft.isKnownType ? 'is not available on this server yet' : 'is not a known resource type';
    errors.resource_type = `${reason}; use one of: ${workingResourceTypes.join(', ')}`;
  } else if (!draft.clientModules.includes(draft.resourceType)) {
    errors.client = `has no module for ${draft.resourceType}; choose another client`;
  }
  const misnamed = resourceRefusal(draft.resourceType, draft.resource);
  if (misnamed !== null) errors.resource = misnamed;
  if (!workingCrypto.includes(draft.crypto)) {
    errors.crypto = `must be one of: ${workingCrypto.join(', ')}`;
  }
  if (!writablePoolTypes.includes(draft.poolType)) {
    errors.pool = whyNotWritable(draft.poolType);
  }
  const misfit = whyCryptoDoesNotFit(draft.poolType, draft.crypto);
  if (misfit !== null) errors.crypto ??= misfit;
  if (draft.module.use_snapshot && draft.resourceType !== 'File system') {
    errors.use_snapshot = 'is only for resources of type File system; switch it off';
  }
  return { ...errors, ...snapshotRefusals(draft.module, draft) };
}

/** Tasks that a person may delete are those that have ended. */
export function deletionRefusal(task: {
  readonly id: number;
  readonly isFinal: boolean;
  readonly status: string;
}) {
  return task.isFinal ? null : `task ${task.id} is ${task.status}; kill it first`;
}
