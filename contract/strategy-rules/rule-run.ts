import { z } from 'zod';
import { Count, Id, open, Time } from '../records.ts';
import { backupTypes } from '../tasks/task.ts';

/**
 * `missed`: the server did not plan at that time, and another run makes up for it. `covered`: another rule makes a full
 * copy of the same resource at that moment.
 */
export const runOutcomes = ['planned', 'missed', 'skipped', 'covered'] as const;
export type RunOutcome = (typeof runOutcomes)[number];

export const RuleRun = z.object({
  id: Id,
  due: Time.meta({ description: 'when it fell due' }),
  utc: z.string().meta({ description: 'the same moment in UTC, `2030-01-31T22:59:59Z`' }),
  backup_type: open(backupTypes),
  outcome: open(runOutcomes).meta({
    description:
      '`planned`: a task was made; `missed`: another run makes up for it; `covered`: another rule makes a full copy of the same resource at that moment; `skipped`: no task was made',
  }),
  reason: z.string().nullable().meta({ description: 'why it is missed, skipped, covered or late' }),
  task_id: Id.nullable(),
  task_status: z.string().nullable().meta({ description: 'of the task; how it ended once it is removed' }),
  skipped_items: Count.nullable()
    .optional()
    .meta({ description: 'what its task could not save; null once the task is removed' }),
  noted: Time.meta({ description: 'when the scheduler came to it' }),
});
export type RuleRun = z.output<typeof RuleRun>;
