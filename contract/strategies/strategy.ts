import { z } from 'zod';
import { roles } from '../permissions.ts';
import { Bytes, Count, Id, open, Time } from '../records.ts';
import { backupTypes, cryptoNames } from '../tasks/task.ts';
import { DurationText, IsoDateTime, ObjectName, Priority } from '../words.ts';

/** A schedule that is always there, and one for copies that are kept long. */
export const defaultStrategyName = 'Default';
export const monthlyStrategyName = 'Monthly';

/** How many runs ahead an answer shows, unless it is asked for those of some days. */
export const shownRuns = 10;
/** Megabytes (of 1,048,576 bytes) that the sample of a restore proof may take unless told. */
export const defaultProofSize = 1024;
/** The most files of one restore proof. */
export const mostProofFiles = 1000;

/** The most runs of one answer, and the most days that it can be asked for. */
export const mostRuns = 1000;
export const mostRunsDays = 31;

export const StrategyRun = z.object({
  backup_type: open(backupTypes),
  time: Time,
  utc: z.string().meta({ description: 'the same moment in UTC, `2030-01-31T22:59:59Z`' }),
});

/** A named template of schedules, pool, retention and encryption that rules bind resources to. */
export const Strategy = z.object({
  id: Id,
  name: z.string(),
  pool: z.string(),
  priority: z.int(),
  full_schedule: z.string().nullable(),
  incremental_schedule: z.string().nullable(),
  differential_schedule: z.string().nullable(),
  time_zone: z.string(),
  storage_duration: z.string().nullable(),
  crypto: open(cryptoNames),
  capacity: z.int().min(0),
  enabled: z.boolean(),
  valid_from: Time.nullable(),
  valid_until: Time.nullable(),
  verify_period: z.int().nullable(),
  restore_proof_files: z.int().nullable(),
  restore_proof_size: z.int(),
  notification_user_groups: z.array(open(roles)).meta({
    description: 'roles whose users are told of failed and overdue runs; none: all who may see them',
  }),
  next_runs: z.array(StrategyRun).meta({
    description: `the next ${shownRuns}, or those of \`runs_days\`; when several fall due together only the widest is made`,
  }),
  rules_count: Count,
  created: Time,
  changed: Time,
});
export type Strategy = z.output<typeof Strategy>;

/** One strategy, with what is noticed of it. */
export const StrategyDetails = Strategy.extend({
  stored: Bytes.meta({ description: 'bytes of the copies of its rules; `capacity` limits them' }),
  capacity_reached: z.boolean().meta({
    description: 'they have reached the capacity less `strategy_storage_capacity_reserve` percent',
  }),
  ends_soon: z.boolean().meta({
    description: '`valid_until` comes within `strategy_validity_end_notification_period` days',
  }),
});
export type StrategyDetails = z.output<typeof StrategyDetails>;

const runsDays = `must be a whole number of days from 1 to ${mostRunsDays}`;

/** Of one strategy: how far ahead its `next_runs` go. */
export const StrategyQuery = z.object({
  runs_days: z.coerce
    .number<number | string>(runsDays)
    .int(runsDays)
    .min(1, runsDays)
    .max(mostRunsDays, runsDays)
    .optional()
    .meta({
      description: `\`next_runs\` has the runs of so many days from now, ${mostRuns} at most; without it the next ${shownRuns}`,
    }),
});
export type StrategyQuery = z.output<typeof StrategyQuery>;

const Schedule = z
  .string('must be a text like `30 2 * * 1-5`')
  .max(200, 'must have 200 characters at most')
  .nullish()
  .meta({
    description: 'cron: minute, hour, day of month, month, day of week; null for none',
    examples: ['0 0 * * 0'],
  });

const days = (meaning: string) =>
  z
    .int('must be a whole number of days, 1 or more')
    .min(1, 'must be a whole number of days, 1 or more')
    .max(36_500, 'must be 36500 days at most')
    .nullish()
    .meta({ description: meaning });

const proofFiles = `must be a whole number of files from 1 to ${mostProofFiles}`;
const proofSize = 'must be a whole number of MB from 1 to 1048576';

const optional = {
  priority: Priority.nullish().meta({ description: '100–1000: of rules that are given none of their own' }),
  full_schedule: Schedule,
  incremental_schedule: Schedule,
  differential_schedule: Schedule,
  time_zone: z
    .string('must be a text like `Europe/Paris`')
    .min(1, 'must not be empty')
    .max(100, 'is too long for a time zone')
    .nullish()
    .meta({ description: "IANA name; the server's own zone unless told", examples: ['Europe/Paris'] }),
  storage_duration: DurationText.nullish().meta({
    description: 'how long its copies are kept; null = as the pool says',
  }),
  crypto: z
    .string('must be a text')
    .min(1, 'must not be empty')
    .nullish()
    .meta({ examples: [...cryptoNames] }),
  capacity: z
    .int('must be a whole number of GB, 0 or more')
    .min(0, 'must be 0 or more')
    .max(1_048_576, 'must be 1048576 GB at most')
    .nullish()
    .meta({ description: 'GB that all copies made by it may take; 0 = no limit' }),
  enabled: z.boolean('must be true or false').nullish(),
  valid_from: IsoDateTime.nullish(),
  valid_until: IsoDateTime.nullish(),
  verify_period: days('days after which a copy is verified again; null = never'),
  restore_proof_files: z.int(proofFiles).min(1, proofFiles).max(mostProofFiles, proofFiles).nullish().meta({
    description:
      'so many files of each new copy, chosen at random, are restored to scratch space and compared; null = none',
  }),
  restore_proof_size: z
    .int(proofSize)
    .min(1, proofSize)
    .max(1_048_576, proofSize)
    .nullish()
    .meta({
      description: `MB (of 1,048,576 bytes) that these files may take together; ${defaultProofSize} unless told`,
    }),
  notification_user_groups: z
    .array(z.enum(roles, `must be one of ${roles.join(', ')}`), 'must be a list of roles')
    .max(roles.length, 'names a role twice')
    .refine((named) => new Set(named).size === named.length, 'names a role twice')
    .nullish()
    .meta({
      description:
        'roles whose users are told of failed and overdue runs; null or empty: all who may see them',
    }),
};

export const StrategyDraft = z.strictObject({
  name: ObjectName,
  pool: ObjectName.meta({ description: 'name of a pool' }),
  ...optional,
});
export type StrategyDraft = z.output<typeof StrategyDraft>;

export const StrategyPatch = z.strictObject({
  name: ObjectName.optional(),
  pool: ObjectName.optional(),
  ...optional,
});
export type StrategyPatch = z.output<typeof StrategyPatch>;
