import { z } from 'zod';
import { OptionalAbsolutePath, utf8Length } from '../words.ts';

/**
 * Tuning of backup and restore modules: one table from which the body schemas and the `extension` answers derive.
 * `default` stands in the answer and is applied by the backend; it is never in a schema.
 */
export type ModuleParameter =
  | { readonly type: 'boolean'; readonly default: boolean; readonly description: string }
  | {
      readonly type: 'integer';
      readonly default: number;
      readonly min: number;
      readonly max: number;
      readonly description: string;
    }
  | {
      readonly type: 'string';
      readonly default: string;
      /** A `secret` is written only: no answer has it. */
      readonly form: 'path' | 'name' | 'secret';
      readonly description: string;
    }
  | {
      readonly type: 'enum';
      readonly default: string;
      readonly values: readonly string[];
      readonly description: string;
    };

export type ParameterTable = Readonly<Record<string, ModuleParameter>>;

const script = (when: string) =>
  ({
    type: 'string',
    form: 'path',
    default: '',
    description: `Absolute path of a program on the client that runs ${when}; empty for none`,
  }) as const;

const workerParallelism = {
  type: 'integer',
  min: 1,
  max: 64,
  default: 8,
  description: 'Workers that read, compress and hash at the same time',
} as const;

const memoryThreshold = {
  type: 'integer',
  min: 0,
  max: 1_048_576,
  default: 0,
  description: 'Memory that the module may use, in GB; 0 = unlimited',
} as const;

/** `module_extensions.parameters` of a backup of files. */
export const backupModuleParameters = {
  file_list: {
    type: 'boolean',
    default: true,
    description: 'Keep the list of files, needed to restore single ones',
  },
  numeric_owner: {
    type: 'boolean',
    default: false,
    description: 'Restore owners by number instead of by name',
  },
  use_snapshot: { type: 'boolean', default: false, description: 'Read from a snapshot of the volume' },
  ignore_errors_snapshot: {
    type: 'boolean',
    default: false,
    description: 'Go on without a snapshot when it cannot be made',
  },
  snapshot_type: {
    type: 'enum',
    values: ['auto', 'lvm', 'dattobd'],
    default: 'auto',
    description: 'What makes the snapshot',
  },
  snapshot_size: {
    type: 'integer',
    min: 1,
    max: 100,
    default: 10,
    description: 'Size of the snapshot in percent of the volume, which must be free',
  },
  script_before_snapshot: script('before the snapshot'),
  script_after_snapshot: script('after the snapshot was made'),
  script_error_snapshot: script('when there is no snapshot after all'),
} as const satisfies ParameterTable;

/** `module_extensions.parameters` of a backup of a PostgreSQL server. */
export const postgresModuleParameters = {
  password: {
    type: 'string',
    form: 'secret',
    default: '',
    description:
      'Password of the user, kept encrypted and never answered; empty leaves the one that a rule has, null takes it away',
  },
  password_file: {
    type: 'string',
    form: 'path',
    default: '',
    description:
      'Absolute path of a password file (in the form of `.pgpass`, mode 0600) on the client; empty for the one that the user of the backup program has',
  },
  checkpoint: {
    type: 'enum',
    values: ['fast', 'spread'],
    default: 'fast',
    description:
      'The checkpoint before the backup: at once, or spread out so that it burdens the server less',
  },
} as const satisfies ParameterTable;

/** Those of one resource type; none for a type whose module has nothing to tune, or that nobody here knows. */
export function moduleParametersOf(resourceType: string): ParameterTable {
  if (resourceType === 'File system') return backupModuleParameters;
  return resourceType === 'PostgreSQL universal' ? postgresModuleParameters : {};
}

/** `common_modules_extensions.parameters` of a backup. */
export const backupCommonParameters = {
  worker_parallelism: workerParallelism,
  enable_multithreading: {
    type: 'boolean',
    default: false,
    description: 'Send with network_parallelism threads',
  },
  enable_flexible_dedup: {
    type: 'boolean',
    default: false,
    description: 'Deduplicate with flexible block borders',
  },
  network_parallelism: {
    type: 'integer',
    min: 1,
    max: 64,
    default: 8,
    description: 'Threads that send data at the same time, with enable_multithreading',
  },
  memory_threshold: memoryThreshold,
  deny_memory_exceed: {
    type: 'boolean',
    default: false,
    description:
      'Stop the task when it needs more memory than memory_threshold, instead of taking fewer threads',
  },
} as const satisfies ParameterTable;

/** `module_extensions.parameters` of a restore. */
export const restoreModuleParameters = {
  new_name: {
    type: 'string',
    form: 'name',
    default: '',
    description: 'Name under which the resource is restored; empty keeps its own',
  },
} as const satisfies ParameterTable;

/** `common_modules_extensions.parameters` of a restore. */
export const restoreCommonParameters = {
  worker_parallelism: workerParallelism,
  memory_threshold: memoryThreshold,
} as const satisfies ParameterTable;

type ValueOf<P> = P extends { type: 'boolean' }
  ? boolean
  : P extends { type: 'integer' }
    ? number
    : P extends { values: readonly (infer V)[] }
      ? V
      : string;

/** Values by parameter name; a missing one has its default. */
export type ParameterValues<T> = { readonly [K in keyof T]?: ValueOf<T[K]> | null | undefined };
/** Every parameter with its value. */
export type CompleteParameters<T> = { readonly [K in keyof T]: ValueOf<T[K]> };

function schemaOf(parameter: ModuleParameter): z.ZodType {
  switch (parameter.type) {
    case 'boolean':
      return z.boolean('must be true or false').meta({ description: parameter.description });
    case 'integer': {
      const { min, max } = parameter;
      const message = `must be a whole number from ${min} to ${max}`;
      return z.int(message).min(min, message).max(max, message).meta({ description: parameter.description });
    }
    case 'enum':
      return z
        .enum([...parameter.values], `must be one of ${parameter.values.join(', ')}`)
        .meta({ description: parameter.description });
    case 'string':
      return stringForms[parameter.form].meta({ description: parameter.description });
  }
}

/** One component of a path, or empty: `.` and `..` and separators would lead somewhere else. */
const FileName = z
  .string('must be a text')
  .refine((name) => utf8Length(name) <= 255, 'must have 255 bytes at most')
  .refine((name) => !/[/\0]/.test(name), 'must be a plain name without `/`')
  .refine((name) => name !== '.' && name !== '..', 'must not be `.` or `..`');

const Secret = z
  .string('must be a text')
  .max(1000, 'must have 1000 characters at most')
  .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters');

const stringForms = { path: OptionalAbsolutePath, name: FileName, secret: Secret };

// The shape follows from the table at run time; its type is stated once, here.
function parametersOf<const T extends ParameterTable>(
  table: T,
): z.ZodType<ParameterValues<T>, ParameterValues<T>> {
  const shape = Object.fromEntries(
    Object.entries(table).map(([name, parameter]) => [name, schemaOf(parameter).nullish()]),
  );
  return z.strictObject(shape) as unknown as z.ZodType<ParameterValues<T>, ParameterValues<T>>;
}

/** The names of all types; which of them fit the resource type of a body is the server's to say. */
export const BackupModuleParameters = parametersOf({
  ...backupModuleParameters,
  ...postgresModuleParameters,
});
export const BackupCommonParameters = parametersOf(backupCommonParameters).superRefine((values, context) => {
  if (values.deny_memory_exceed && !values.memory_threshold) {
    context.addIssue({
      code: 'custom',
      path: ['deny_memory_exceed'],
      message: 'needs a memory_threshold above 0',
    });
  }
});
export const RestoreModuleParameters = parametersOf(restoreModuleParameters);
export const RestoreCommonParameters = parametersOf(restoreCommonParameters);

const wrapped = <S extends z.ZodType>(parameters: S) => z.strictObject({ parameters: parameters.nullish() });

export const BackupModuleExtensions = wrapped(BackupModuleParameters);
export const BackupCommonExtensions = wrapped(BackupCommonParameters);
export const RestoreModuleExtensions = wrapped(RestoreModuleParameters);
export const RestoreCommonExtensions = wrapped(RestoreCommonParameters);

/** All parameters of a table with the given values over the defaults; null and missing mean the default. */
export function completeParameters<const T extends ParameterTable>(
  table: T,
  values: ParameterValues<T> | null | undefined,
): CompleteParameters<T> {
  const given: Readonly<Record<string, unknown>> = { ...values };
  const all = Object.entries(table).map(([name, parameter]) => [name, given[name] ?? parameter.default]);
  return Object.fromEntries(all) as CompleteParameters<T>;
}

/** One parameter in an `extension` answer. */
export const ExtensionParameter = z
  .object({
    name: z.string(),
    type: z.string().meta({ examples: ['boolean', 'integer', 'string', 'enum'] }),
    default: z.union([z.boolean(), z.number(), z.string()]).nullable(),
    value: z.union([z.boolean(), z.number(), z.string()]).nullable(),
    min: z.number().nullable(),
    max: z.number().nullable(),
    values: z.array(z.string()).nullable(),
    description: z.string(),
  })
  .meta({
    examples: [
      {
        name: 'worker_parallelism',
        type: 'integer',
        default: workerParallelism.default,
        value: workerParallelism.default,
        min: workerParallelism.min,
        max: workerParallelism.max,
        values: null,
        description: workerParallelism.description,
      },
    ],
  });
export type ExtensionParameter = z.output<typeof ExtensionParameter>;

/** The table as the `extension` endpoints answer it; `values` are those of a rule, if there is one. */
export function describeParameters(
  table: ParameterTable,
  values: Readonly<Record<string, unknown>> = {},
): readonly ExtensionParameter[] {
  return Object.entries(table).map(([name, parameter]) => {
    const value = values[name];
    const isPlain = typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string';
    return {
      name,
      type: parameter.type,
      default: parameter.default,
      value: isPlain ? value : parameter.default,
      min: parameter.type === 'integer' ? parameter.min : null,
      max: parameter.type === 'integer' ? parameter.max : null,
      values: parameter.type === 'enum' ? [...parameter.values] : null,
      description: parameter.description,
    };
  });
}
