import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Bytes, Count, Id, open, Time } from '../records.ts';
import { backupTypes } from '../tasks/task.ts';
import { isIsoDateTime } from '../words.ts';

export const defaultStatisticsDays = 30;
export const maxStatisticsDays = 366;

const Day = z.string().meta({ description: 'day in local time of the server', examples: ['2030-01-31'] });

const message = 'must be a day that exists, like `2030-01-31`';
const LocalDate = z
  .string(message)
  .regex(/^(19[7-9]|[2-9]\d\d)\d-\d\d-\d\d$/, message)
  .refine((text) => isIsoDateTime(`${text}T00:00:00`), message);

const days = z.coerce
  .number<number | string>(`must be a whole number from 1 to ${maxStatisticsDays}`)
  .int(`must be a whole number from 1 to ${maxStatisticsDays}`)
  .min(1, `must be a whole number from 1 to ${maxStatisticsDays}`)
  .max(maxStatisticsDays, `must be a whole number from 1 to ${maxStatisticsDays}`);

export const StatisticsQuery = z.object({
  days: days.optional().meta({
    description: `how many days up to \`to\`, ${defaultStatisticsDays} unless told, ${maxStatisticsDays} at most; not with \`from\``,
  }),
  from: LocalDate.optional().meta({ description: 'first day, local time of the server' }),
  to: LocalDate.optional().meta({ description: 'last day, today unless told' }),
});
export type StatisticsQuery = z.output<typeof StatisticsQuery>;

export const OverdueRule = z.object({
  rule_id: Id,
  client: z.string(),
  resource: z.string(),
  strategy: z.string(),
  backup_type: open(backupTypes),
  due: Time.meta({ description: 'when that run fell due' }),
  utc: z.string().meta({ description: 'the same moment in UTC' }),
  reason: z.string().meta({ description: 'why it was skipped, how its task ended, or that it has not' }),
  task_id: Id.nullable(),
  task_status: z.string().nullable().meta({ description: 'of its task, as it is now' }),
});
export type OverdueRule = z.output<typeof OverdueRule>;

/** The most copies that an answer lists. */
export const mostFailedProofs = 1000;

/** A copy of which a sample of files could not be restored as it was backed up. */
export const FailedProof = z.object({
  repository_id: Id,
  client: z.string(),
  resource: z.string(),
  strategy: z.string().nullable(),
  backup_type: open(backupTypes),
  created: Time.meta({ description: 'when the copy was made' }),
  time: Time.meta({ description: 'when the proof failed' }),
  utc: z.string().meta({ description: 'the same moment in UTC' }),
  path: z.string().meta({ description: 'the first file that did not come back' }),
  reason: z.string(),
  task_id: Id.nullable(),
});
export type FailedProof = z.output<typeof FailedProof>;

/** Time series by day, oldest first; the last day is today unless told, and still goes on then. */
export const Statistics = z.object({
  days: z.array(Day),
  stored_bytes: z
    .array(z.object({ pool_id: Id, pool: z.string(), bytes: z.array(Bytes) }))
    .meta({ description: 'bytes that the copies of each pool take, at the end of each day of `days`' }),
  tasks: z
    .array(z.object({ status: z.string(), counts: z.array(Count) }))
    .meta({ description: 'tasks that ended, by status, on each day of `days`' }),
  throughput: z
    .object({
      bytes: z.array(Bytes).meta({ description: 'transferred by tasks that ended on the day' }),
      seconds: z.array(z.number().min(0)).meta({ description: 'how long these tasks worked, together' }),
    })
    .meta({ description: 'bytes divided by seconds is the average speed' }),
  overdue: z.array(OverdueRule).meta({
    description:
      'rules whose last run that fell due was skipped, ended badly or was never made, or whose task has not ended a day after it was made, as it is now, whatever days are asked for; the longest first',
  }),
  failed_proofs: z.array(FailedProof).meta({
    description: `copies whose last restore proof failed, as it is now; the newest first, ${mostFailedProofs} at most`,
  }),
});
export type Statistics = z.output<typeof Statistics>;

export const statisticsEndpoints = {
  'statistics.get': endpoint({
    method: 'GET',
    path: '/statistics',
    tag: 'Extensions',
    summary: 'Stored bytes per pool, tasks per status and throughput, by day',
    permission: 'statistics.read',
    query: StatisticsQuery,
    result: Statistics,
    success: 200,
    refuses: [400],
    extension: 'statistics',
  }),
} as const;
