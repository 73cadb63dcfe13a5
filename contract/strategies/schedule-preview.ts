import { z } from 'zod';
import { IsoDateTime } from '../words.ts';
import { StrategyRun, shownRuns } from './strategy.ts';

const Schedule = z
  .string()
  .max(200, 'must have 200 characters at most')
  .optional()
  .meta({
    description: 'cron: minute, hour, day of month, month, day of week; none unless told',
    examples: ['0 0 * * 0'],
  });

/** Schedules that are not saved (yet), by the rules of those that are. */
export const SchedulePreviewQuery = z.object({
  full_schedule: Schedule,
  incremental_schedule: Schedule,
  differential_schedule: Schedule,
  time_zone: z
    .string()
    .min(1, 'must not be empty')
    .max(100, 'is too long for a time zone')
    .optional()
    .meta({ description: "IANA name; the server's own zone unless told", examples: ['Europe/Paris'] }),
  valid_from: IsoDateTime.optional(),
  valid_until: IsoDateTime.optional(),
});
export type SchedulePreviewQuery = z.output<typeof SchedulePreviewQuery>;

export const SchedulePreview = z.object({
  time_zone: z.string().meta({ description: 'the zone whose wall times the schedules are' }),
  server_time_zone: z.string(),
  next_runs: z.array(StrategyRun).meta({
    description: `the next ${shownRuns}; when several fall due together only the widest is made`,
  }),
});
export type SchedulePreview = z.output<typeof SchedulePreview>;
