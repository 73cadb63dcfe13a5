import { z } from 'zod';
import { Count, Id, open } from '../records.ts';
import { Description } from '../words.ts';

export const mediaServerRoles = ['primary', 'reserve', 'media'] as const;
export type MediaServerRole = (typeof mediaServerRoles)[number];

export const MediaServer = z.object({
  id: Id,
  name: z.string(),
  ip: z.string().nullable(),
  role: open(mediaServerRoles),
  version: z.string().nullable(),
  online: z.boolean(),
  description: z.string().nullable(),
  pools_count: Count,
  active_tasks: Count,
});
export type MediaServer = z.output<typeof MediaServer>;

export const MediaServerPatch = z.strictObject({ description: Description.nullish() });
export type MediaServerPatch = z.output<typeof MediaServerPatch>;
