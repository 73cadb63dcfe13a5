import { z } from 'zod';
import { Bytes, Count, Id, open, Time } from '../records.ts';
import {
  ExtensionParameter,
  RestoreCommonExtensions,
  RestoreModuleExtensions,
} from '../tasks/module-parameters.ts';
import { backupTypes, CryptoChoice, cryptoNames, resourceTypes } from '../tasks/task.ts';
import { AbsolutePath, ClientText, IsoDateTime } from '../words.ts';

/** Verification statuses of a backup copy, as they are written in answers. */
export const copyStatuses = ['Not Verified', 'Trusted', 'Suspicious', 'Broken'] as const;
export type CopyStatus = (typeof copyStatuses)[number];

export const damageSeverities = ['warning', 'error'] as const;

/** One finding of a verification: what is lost and what to do. */
export const CopyDamage = z.object({
  severity: open(damageSeverities),
  item: z.string(),
  message: z.string(),
  next_step: z.string(),
});
export type CopyDamage = z.output<typeof CopyDamage>;

/** Why the last proof of a copy failed: a sample of its files could not be restored as it was backed up. */
export const ProofFailure = z.object({
  time: Time,
  path: z.string(),
  reason: z.string(),
  task_id: Id.nullable(),
});
export type ProofFailure = z.output<typeof ProofFailure>;

/** A backup copy in the repository. */
export const Copy = z.object({
  id: Id,
  reference_id: Id.nullable().meta({ description: 'the copy this one builds on; null for a full copy' }),
  chain_id: Id.nullable().meta({ description: 'id of the full copy' }),
  copy_of: Id.nullable(),
  resource_type: open(resourceTypes),
  resource: z.string(),
  client: z.string().meta({ description: '`<client_name> (<client_hwid>)`' }),
  client_hwid: z.string(),
  client_id: Id.nullable().meta({ description: 'null once the client is deleted' }),
  backup_type: open(backupTypes),
  status: open(copyStatuses),
  crypto: open(cryptoNames),
  signed: z.boolean(),
  pool: z.string().nullable(),
  pool_type: z.string().nullable(),
  media_server: z.string().nullable(),
  storage: z.string().nullable(),
  path: z.string().nullable(),
  size: Bytes,
  real_size: Bytes,
  created: Time,
  store_until: Time.nullable().meta({
    description: 'ISO 8601, no zone, local time of the server; null = keep forever',
  }),
  archiving: z.boolean(),
  rule_id: Id.nullable(),
  strategy_rule_id: Id.nullable(),
  task_id: Id.nullable(),
  file_list_available: z.boolean(),
  description: z.string().nullable(),
  skipped_items: Count.nullable(),
  files_count: Count.nullable(),
  damage: z.array(CopyDamage).nullable(),
  proven: Time.nullable().meta({
    description:
      'ISO 8601, no zone, local time of the server: when a sample of its files was restored and compared without a difference last; null = never',
  }),
  proven_files: Count.nullable().meta({ description: 'files of that sample' }),
  proven_bytes: Bytes.nullable().meta({ description: 'bytes of that sample' }),
  proof_failure: ProofFailure.nullable().meta({ description: 'null unless the last proof failed' }),
});
export type Copy = z.output<typeof Copy>;

/** Change of retention; null keeps the copy forever. */
export const CopyPatch = z.strictObject({ store_until: IsoDateTime.nullable().optional() });

export const RestoreTask = z.strictObject({
  target_client: ClientText,
  destination_path: AbsolutePath.meta({
    description:
      'absolute path of a folder; with `data_deployment` and a copy of a block device that of the device or file to write onto',
    example: '/srv/data',
  }),
  data_deployment: z.boolean('must be true or false').nullish().meta({
    description:
      'files: the contents go straight into the folder; block device: the image is written onto the device; PostgreSQL: the folder becomes the data directory',
  }),
  granular_restore_files: z
    .array(z.string('must be a text').min(1, 'must not be empty'), 'must be a list of paths')
    .nullish()
    .meta({ description: 'absolute paths or paths relative to the resource; empty or missing = everything' }),
});

export const RestoreRequest = z.strictObject({
  restore_task: RestoreTask,
  module_extensions: RestoreModuleExtensions.nullish(),
  common_modules_extensions: RestoreCommonExtensions.nullish(),
});
export type RestoreRequest = z.output<typeof RestoreRequest>;

export const CopyDependencies = z.object({ id: Id, dependencies: z.array(Id) });

export const RestoreExtension = z.object({
  module_extensions: z.array(ExtensionParameter),
  common_modules_extensions: z.array(ExtensionParameter),
  crypto: CryptoChoice,
});
export type RestoreExtension = z.output<typeof RestoreExtension>;

export const fileTypes = [
  'file',
  'folder',
  'symlink',
  'fifo',
  'socket',
  'char_device',
  'block_device',
] as const;
export type FileType = (typeof fileTypes)[number];

/** One row of a copy's file list. */
export const CopyFile = z.object({
  name: z.string(),
  path: z.string().meta({ description: 'as `granular_restore_files` takes it' }),
  type: open(fileTypes),
  size: Bytes,
  mode: z.int(),
  uid: z.int(),
  gid: z.int(),
  mtime: Time,
  link_target: z.string().nullable(),
  flags: z.array(z.string()),
  skipped: z.string().nullable().meta({ description: 'why the content is not in the copy; null when it is' }),
});
export type CopyFile = z.output<typeof CopyFile>;
