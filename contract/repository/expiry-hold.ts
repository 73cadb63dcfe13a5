import { z } from 'zod';
import { Count, Time } from '../records.ts';

/** Whether the expiry waits, because the clock has jumped, until somebody says that the clock is right. */
export const ExpiryHold = z.object({
  held: z
    .boolean()
    .meta({ description: 'true: nothing expires until the clock is confirmed or is right again' }),
  clock: Time.meta({ description: 'what the clock of the server shows' }),
  clock_before: Time.nullable().meta({
    description: 'what it showed before it jumped; null when nothing is held',
  }),
  copies: Count.meta({ description: 'copies whose time is over by that clock; 0 when nothing is held' }),
});
export type ExpiryHold = z.output<typeof ExpiryHold>;

/** The clock is right: what is due by it expires. A hold cannot be asked for. */
export const ExpiryHoldPatch = z.strictObject({
  held: z.literal(false, 'must be false: the clock is confirmed; nobody but the server begins a hold'),
});
