import { z } from 'zod';
import { Bytes, Id, open } from '../records.ts';
import { AbsolutePath, Description, ObjectName } from '../words.ts';

export const storageStatuses = ['Online', 'Offline'] as const;
export type StorageStatus = (typeof storageStatuses)[number];

/** A local file storage: a folder on a media server that holds copies. */
export const Storage = z.object({
  id: Id,
  path: z.string(),
  pool: z.string(),
  media_server: z.string(),
  description: z.string().nullable(),
  total_space: Bytes,
  used_space: Bytes,
  free_space: Bytes,
  status: open(storageStatuses),
});
export type Storage = z.output<typeof Storage>;

export const StorageDraft = z.strictObject({
  path: AbsolutePath.meta({ description: 'absolute path of a folder on the media server' }),
  pool: ObjectName.nullish().meta({ description: 'name of a File system pool; `Default` unless told' }),
  description: Description.nullish(),
});
export type StorageDraft = z.output<typeof StorageDraft>;

export const StoragePatch = z.strictObject({ description: Description.nullish() });
export type StoragePatch = z.output<typeof StoragePatch>;
