import { z } from 'zod';
import { Bytes, Count, Id, Ids, open, PathId, Time } from '../records.ts';
import { ClientText, DurationText, ObjectName, Priority, ResourceText } from '../words.ts';
import { BackupCommonExtensions, BackupModuleExtensions, ExtensionParameter } from './module-parameters.ts';
import { suspendReasons, taskStatuses, taskTypes } from './task-states.ts';

export const resourceTypes = [
  'File system',
  'LVM logical volume',
  'Block device',
  'PostgreSQL universal',
  'MySQL',
  'Docker container',
  'FreeIPA',
  'Proxmox VM',
] as const;
export type ResourceType = (typeof resourceTypes)[number];

export const backupTypes = ['full', 'incremental', 'differential'] as const;
export type BackupType = (typeof backupTypes)[number];

/** Names of encryption that this project's own servers know; others may list more. */
export const cryptoNames = ['nocrypt', 'aes-256-gcm', 'age'] as const;
export type CryptoName = (typeof cryptoNames)[number];

/** Names that other servers in the field know: offered by nobody, shown as they are. */
export const foreignCryptoNames = [
  'anubis',
  'aria',
  'camellia',
  'cast6',
  'kalyna',
  'kuznyechik',
  'mars',
  'rijndael',
  'serpent',
  'simon',
  'speck',
  'threefish',
  'twofish',
] as const;

export const ProgressDetails = z.object({
  bytes_done: Bytes,
  bytes_total: Bytes.nullable(),
  files_done: Count,
  files_total: Count.nullable(),
  current_path: z.string().nullable(),
  /** Null while an honest estimate is not possible. */
  remaining_seconds: z.number().min(0).nullable(),
});
export type ProgressDetails = z.output<typeof ProgressDetails>;

const StoredParameters = z.object({ parameters: z.record(z.string(), z.unknown()) });

export const Task = z.object({
  id: Id,
  task_type: open(taskTypes),
  resource_type: open(resourceTypes).nullable(),
  resource: z.string().nullable(),
  client: z.string().nullable().meta({ description: '`<client_name> (<client_hwid>)`' }),
  client_id: Id.nullable(),
  backup_type: open(backupTypes).nullable(),
  status: open(taskStatuses),
  suspend_reason: open(suspendReasons).nullable(),
  progress: z.number().min(0).max(100),
  priority: z.int(),
  pool: z.string().nullable(),
  source_pool: z.string().nullable(),
  media_server: z.string().nullable(),
  crypto: open(cryptoNames).nullable(),
  archiving: z.boolean(),
  storage_duration: z.string().nullable(),
  rule_id: Id.nullable(),
  strategy_rule_id: Id.nullable(),
  repository_id: Id.nullable(),
  created: Time,
  started: Time.nullable(),
  finished: Time.nullable(),
  attempt: z.int(),
  transferred: Bytes,
  speed: z.number().min(0).meta({ description: 'bytes per second' }),
  error_message: z.string().nullable(),
  created_by: z.string().nullable(),
  module_extensions: StoredParameters.nullable(),
  common_modules_extensions: StoredParameters.nullable(),
  skipped_items: Count.nullable(),
  progress_details: ProgressDetails.nullable(),
});
export type Task = z.output<typeof Task>;

export const TaskDraft = z.strictObject({
  resource_type: z
    .string('must be a text')
    .min(1, 'must not be empty')
    .meta({ examples: [...resourceTypes] }),
  resource: ResourceText,
  client: ClientText,
  backup_type: z
    .literal('full', 'must be `full`: the task queue takes urgent full backups only')
    .meta({ description: 'only `full`' }),
  pool: ObjectName.meta({ description: 'name of a pool' }),
  crypto: z
    .string('must be a text')
    .min(1, 'must not be empty')
    .meta({ examples: [...cryptoNames] }),
  priority: Priority,
  storage_duration: DurationText,
  archiving: z.boolean('must be true or false'),
});
export type TaskDraft = z.output<typeof TaskDraft>;

/** Body of an urgent full backup. */
export const TaskCreation = z.strictObject({
  task: TaskDraft,
  module_extensions: BackupModuleExtensions.nullish(),
  common_modules_extensions: BackupCommonExtensions.nullish(),
});
export type TaskCreation = z.output<typeof TaskCreation>;

export const TasksRestart = z.strictObject({ tasks_ids: Ids });
/** The id must equal the one in the path. */
export const TaskContinue = z.strictObject({ task_id: Id });

export const logLevels = ['info', 'warning', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export const TaskLogLine = z.object({
  id: Id,
  time: Time,
  level: open(logLevels),
  source: z.string().meta({ description: 'host that wrote the line' }),
  message: z.string(),
});
export type TaskLogLine = z.output<typeof TaskLogLine>;

export const CryptoChoice = z.object({ values: z.array(z.string()) });

export const RuleIdQuery = PathId.optional().meta({
  description: 'id of a strategy rule whose values are shown',
});
export const ExtensionQuery = z.object({
  resource_type: z.string('is required').min(1, 'is required'),
  rule_id: RuleIdQuery,
});

export const TaskExtension = z.object({
  resource_type: z.string(),
  module_extensions: z.array(ExtensionParameter),
  common_modules_extensions: z.array(ExtensionParameter),
  crypto: CryptoChoice,
});
export type TaskExtension = z.output<typeof TaskExtension>;
