import { z } from 'zod';
import { Bytes, Id, open } from '../records.ts';
import { AbsolutePath, Description, ObjectName } from '../words.ts';

export const blockDeviceStatuses = ['Online', 'Offline'] as const;
export type BlockDeviceStatus = (typeof blockDeviceStatuses)[number];

export const defaultParallelWorkers = 8;

/** A block device (or a plain file in its place) that holds the blocks of a deduplicating pool. */
export const BlockDevice = z.object({
  id: Id,
  device: z.string(),
  pool: z.string(),
  media_server: z.string(),
  description: z.string().nullable(),
  parallel_workers: z.int(),
  size: Bytes,
  used: Bytes,
  hash_table_size: Bytes,
  status: open(blockDeviceStatuses),
});
export type BlockDevice = z.output<typeof BlockDevice>;

export const BlockDeviceDraft = z.strictObject({
  device: AbsolutePath.meta({
    description: 'absolute path of a block device, or of a plain file, on the media server of the pool',
    example: '/dev/sdb',
  }),
  pool: ObjectName.meta({ description: 'name of a pool of type Block device' }),
  overwrite_file_system: z
    .boolean('must be true or false')
    .meta({ description: 'false refuses a device that anything lies on; true removes it' }),
  description: Description.nullish(),
});
export type BlockDeviceDraft = z.output<typeof BlockDeviceDraft>;

const workersRange = 'must be a whole number from 1 to 64';

export const BlockDevicePatch = z.strictObject({
  description: Description.nullish(),
  parallel_workers: z
    .int(workersRange)
    .min(1, workersRange)
    .max(64, workersRange)
    .nullish()
    .meta({ description: `1–64; null is the default, ${defaultParallelWorkers}` }),
});
export type BlockDevicePatch = z.output<typeof BlockDevicePatch>;
