import { type BackupOrigin, inspectImageSource } from '../../engine/index.ts';
import type { WorkContext } from '../../jobs/index.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { openSecret } from '../module-secrets.ts';
import { explainBaseBackup, postgresSource } from './postgres-source.ts';
import type { ModuleParameterValues } from './task-parameters.ts';

/** How the resource of a task is read, by its type. */
export interface BackupSource {
  readonly origin: BackupOrigin;
  /** Null: copies can build on others. Else why each one is a full copy. */
  readonly fullBecause: string | null;
  /** A pause ends the work, and it begins anew when the task goes on. */
  readonly isEndedByPause: boolean;
  /** An error of the work, with what a person can do about it. */
  readonly explain: (error: unknown) => unknown;
}

const files: BackupSource = {
  origin: { kind: 'tree' },
  fullBecause: null,
  isEndedByPause: false,
  explain: (error) => error,
};

/** Looks at the resource and says in the task's log what is to be known of it. Rejects with a `DeviceError`. */
export async function backupSource(
  { task, log }: WorkContext,
  module: Partial<ModuleParameterValues>,
  { copyUuid, secrets }: { readonly copyUuid: string; readonly secrets: Pick<SecretBox, 'open'> },
): Promise<BackupSource> {
  const resource = task.resource ?? '';
  switch (task.resource_type) {
    case 'Block device': {
      const { kind, use } = await inspectImageSource(resource);
      if (kind === 'file') log('client', 'info', `${resource} is a plain file; it is read like a device.`);
      if (use !== null)
        log(
          'client',
          'warning',
          `${resource} ${usedAs(use)} and may change while it is read; then the image is no state that it ever had. Unmount it, or make an image of a snapshot.`,
        );
      return {
        ...files,
        origin: { kind: 'image' },
        fullBecause: 'a device does not tell which parts of it have changed',
      };
    }
    case 'PostgreSQL universal': {
      const { origin, notes } = await postgresSource({
        resource,
        password: openSecret('password', module.password, secrets),
        passwordFile: module.password_file ?? '',
        checkpoint: module.checkpoint ?? 'fast',
        label: `strongroom ${copyUuid}`,
      });
      for (const note of notes) log('client', 'info', note);
      return {
        origin,
        fullBecause: 'a base backup is always of the whole server',
        isEndedByPause: true,
        explain: explainBaseBackup,
      };
    }
    default:
      return files;
  }
}

function usedAs(use: NonNullable<Awaited<ReturnType<typeof inspectImageSource>>['use']>): string {
  if (use.kind === 'mounted') return `is mounted at ${use.at}`;
  return use.kind === 'swap' ? 'is used as swap space' : `is used by ${use.of}`;
}
