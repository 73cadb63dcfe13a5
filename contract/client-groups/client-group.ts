import { z } from 'zod';
import { Count, Id } from '../records.ts';
import { ObjectName } from '../words.ts';

export const ClientGroup = z.object({
  id: Id,
  name: z.string(),
  /** Copies may be restored from one member to another. */
  shared: z.boolean(),
  clients_total: Count,
});
export type ClientGroup = z.output<typeof ClientGroup>;

const shared = z
  .boolean('must be true or false')
  .nullish()
  .meta({ description: 'copies may be restored from one member to another' });

export const ClientGroupDraft = z.strictObject({ name: ObjectName, shared });
export type ClientGroupDraft = z.output<typeof ClientGroupDraft>;

export const ClientGroupPatch = z.strictObject({ name: ObjectName.optional(), shared });
export type ClientGroupPatch = z.output<typeof ClientGroupPatch>;
