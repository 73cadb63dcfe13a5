import { z } from 'zod';
import { Id, Time } from '../records.ts';
import { ObjectName } from '../words.ts';

/** A user who may read everything and start nothing; may be held beside another role. */
export const Auditor = z.object({
  id: Id,
  auditor: z.string().meta({ description: 'name of the user' }),
  assigned_by: z
    .string()
    .nullable()
    .meta({ description: 'who gave the role; null when that was not recorded' }),
  created: Time,
});
export type Auditor = z.output<typeof Auditor>;

export const AuditorDraft = z.strictObject({
  auditor: ObjectName.meta({ description: 'name of a user of this server', examples: ['maria'] }),
});
