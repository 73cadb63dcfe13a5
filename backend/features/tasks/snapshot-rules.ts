import type { ModuleParameterValues } from './task-parameters.ts';

const others = 'choose auto, which makes snapshots on btrfs';

/** Kinds of snapshots that this server does not make, and what to do instead. */
export const missingSnapshotKinds: Readonly<Record<string, string | undefined>> = {
  lvm: `snapshots of LVM are not available on this server yet; ${others}`,
  dattobd: `snapshots of dattobd are not available on this server; ${others}`,
};

export const snapshotScripts = [
  'script_before_snapshot',
  'script_after_snapshot',
  'script_error_snapshot',
] as const;

/** Reasons by field why a task cannot have its snapshot; empty when it can, as far as is known before it runs. */
export function snapshotRefusals(
  module: Partial<ModuleParameterValues>,
  caller: { readonly mayNameScripts: boolean },
): Readonly<Record<string, string>> {
  const errors: Record<string, string> = {};
  const missing = missingSnapshotKinds[module.snapshot_type ?? 'auto'];
  if (missing !== undefined && module.use_snapshot && !module.ignore_errors_snapshot) {
    errors.snapshot_type = `cannot be ${module.snapshot_type}: ${missing}, or set ignore_errors_snapshot to go on without`;
  }
  // They run with the rights of this server.
  for (const field of snapshotScripts) {
    if ((module[field] ?? '') !== '' && !caller.mayNameScripts) {
      errors[field] = 'may only be set by those who may write strategy rules; leave it empty';
    }
  }
  return errors;
}
