import { z } from 'zod';
import { Count, Id } from '../records.ts';
import { ClientText, Hwid, TimeOfDay } from '../words.ts';

const most = 2_147_483_647;
const message = 'must be a whole number of KB/s, 0 for no limit';

const bandwidth = (what: string) =>
  z
    .int(message)
    .min(0, message)
    .max(most, `must be ${most} KB/s at most`)
    .nullish()
    .meta({ description: `${what} in KB/s (1 KB = 1024 bytes), 0 = no limit (0 unless told)` });

const window = {
  window_start: TimeOfDay.nullish().meta({
    description:
      'the limit holds from this time of day on (local time of the server), from midnight when missing; after `window_end` it wraps midnight; the same as `window_end`, or both missing, means the whole day',
    example: '08:00:00',
  }),
  window_end: TimeOfDay.nullish().meta({
    description: 'the limit holds up to, not including, this time of day; until midnight when missing',
    example: '18:00:00',
  }),
};

/** How fast a client may be backed up and restored, all day or within a daily window. */
export const ClientBandwidth = z.object({
  id: Id,
  client: z.string().meta({ description: '`<client_name> (<client_hwid>)`' }),
  client_hwid: z.string(),
  backup_bandwidth: Count.meta({ description: 'KB/s, 0 = no limit' }),
  restore_bandwidth: Count.meta({ description: 'KB/s, 0 = no limit' }),
  window_start: z.string().nullable().meta({ description: '`HH:MM:SS`' }),
  window_end: z.string().nullable().meta({ description: '`HH:MM:SS`' }),
});
export type ClientBandwidth = z.output<typeof ClientBandwidth>;

export const ClientBandwidthDraft = z.strictObject({
  client: ClientText,
  backup_bandwidth: bandwidth('limit of backups'),
  restore_bandwidth: bandwidth('limit of restores'),
  ...window,
});
export type ClientBandwidthDraft = z.output<typeof ClientBandwidthDraft>;

/** `null` puts a bandwidth back to 0 and clears an end of the window. */
export const ClientBandwidthPatch = z.strictObject({
  id: Id.optional().meta({ description: 'the id in the path, if sent' }),
  client: ClientText.optional(),
  client_hwid: Hwid.optional().meta({ description: 'hardware id of the client, if sent' }),
  backup_bandwidth: bandwidth('limit of backups'),
  restore_bandwidth: bandwidth('limit of restores'),
  ...window,
});
export type ClientBandwidthPatch = z.output<typeof ClientBandwidthPatch>;
