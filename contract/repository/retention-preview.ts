import { z } from 'zod';
import { PageQuery } from '../paging.ts';
import { Bytes, Id, open, Time } from '../records.ts';
import { backupTypes, resourceTypes } from '../tasks/task.ts';
import { IsoDateTime } from '../words.ts';
import { copyStatuses } from './copy.ts';

/** What decides whether a copy is there: the last two let it go, all others keep it. */
export const retentionRules = [
  'forever',
  'not_expired',
  'archiving',
  'dependants',
  'mandatory_storage_time',
  'immutable_archives',
  'last_copy_of_rule',
  'last_copy_of_strategy_rule',
  'in_use',
  'service_mode',
  'clock_jumped',
  'expired',
  'broken',
] as const;
export type RetentionRule = (typeof retentionRules)[number];

export const RetentionPreviewQuery = PageQuery.extend({
  at: IsoDateTime.optional().meta({
    description: 'the moment that is asked about, not in the past; local time of the server; now unless told',
  }),
  sort: z.enum(['id'], 'must be `id`').optional(),
  order: z.enum(['asc', 'desc'], 'must be `asc` or `desc`').optional(),
});

/** A copy that is there now, and whether it is there at the moment that is asked about. */
export const CopyOutlook = z.object({
  id: Id,
  client: z.string(),
  resource_type: open(resourceTypes),
  resource: z.string(),
  backup_type: open(backupTypes),
  status: open(copyStatuses),
  pool: z.string().nullable(),
  real_size: Bytes,
  created: Time,
  store_until: Time.nullable(),
  kept: z.boolean().meta({ description: 'true: the copy is there at that moment' }),
  rule: open(retentionRules).meta({ description: 'what decides that' }),
  reason: z.string().meta({ description: 'the same as a sentence, with what it depends on' }),
  goes: Time.nullable().meta({ description: 'from when on it is removed; null when it is kept' }),
});
export type CopyOutlook = z.output<typeof CopyOutlook>;
