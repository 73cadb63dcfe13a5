import { z } from 'zod';
import { Bytes, Count, Id, open, Time } from '../records.ts';
import { Description, DurationText, ObjectName } from '../words.ts';

export const poolTypes = ['File system', 'Tape library', 'Cloud', 'Block device', 'Client defined'] as const;
export type PoolType = (typeof poolTypes)[number];

/** Spellings of later versions, stored as the type they stand for. */
export const poolTypeSpellings: { readonly [spelling: string]: PoolType } = {
  'Tape library, LTFS': 'Tape library',
  'Tape library, Native': 'Tape library',
};

export const compressionTypes = ['None', 'Fast', 'Optimal', 'Best'] as const;
export type CompressionType = (typeof compressionTypes)[number];

export const hashAlgorithms = ['sha2', 'blake2b', 'blake3', 'sha1'] as const;
export type HashAlgorithm = (typeof hashAlgorithms)[number];

export const blockSizes = [8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576] as const;
export const defaultBlockSize = 131072;
export const hashLengths = [160, 256, 512] as const;
/** Bits that each function can give; the first is the default. */
export const hashLengthsOf: { readonly [A in HashAlgorithm]: readonly (typeof hashLengths)[number][] } = {
  sha2: [256, 512],
  blake2b: [256, 512],
  blake3: [256, 512],
  sha1: [160],
};

/** The pool that every server has from its first start. */
export const defaultPoolName = 'Default';

export const Pool = z.object({
  id: Id,
  pool_name: z.string(),
  pool_type: open(poolTypes),
  media_server: z.string(),
  compression_type: open(compressionTypes).nullable(),
  description: z.string().nullable(),
  retention_period: z.string().nullable(),
  ignore_free_space_check: z.boolean(),
  meta_data_pool: z.string().nullable(),
  algorithm: open(hashAlgorithms).nullable(),
  block_size: z.int().nullable(),
  hash_length: z.int().nullable(),
  media_set_name: z.string().nullable().meta({
    description:
      'of a tape pool: only cartridges of this media set are written; null: any of its library (extension)',
  }),
  takes_scratch: z.boolean().meta({
    description:
      'where the media set has no room, empty cartridges without a set are taken and join it (extension)',
  }),
  total_space: Bytes,
  used_space: Bytes,
  free_space: Bytes,
  storages_count: Count,
  backups_count: Count,
  created: Time,
});
export type Pool = z.output<typeof Pool>;

/**
 * Parameters that only some pool types have. One that does not fit is ignored, even when its value is wrong, so the
 * bodies below take anything here and the backend checks the fitting ones with these schemas.
 */
export const poolTypeParameters = {
  compression_type: z.enum(compressionTypes, `must be one of ${compressionTypes.join(', ')}`),
  meta_data_pool: ObjectName,
  algorithm: z.enum(hashAlgorithms, `must be one of ${hashAlgorithms.join(', ')}`),
  block_size: z.literal([...blockSizes], `must be one of ${blockSizes.join(', ')} (bytes)`),
  hash_length: z.literal([...hashLengths], `must be one of ${hashLengths.join(', ')} (bits)`),
  move_old_metadata: z.boolean('must be true or false'),
  media_set_name: ObjectName,
  takes_scratch: z.boolean('must be true or false'),
} as const;
export type PoolTypeParameter = keyof typeof poolTypeParameters;

/** Which of them fit which type. */
export const fittingParameters: { readonly [T in PoolType]: readonly PoolTypeParameter[] } = {
  'File system': ['compression_type'],
  'Tape library': ['compression_type', 'media_set_name', 'takes_scratch'],
  Cloud: ['compression_type'],
  'Block device': ['meta_data_pool', 'algorithm', 'block_size', 'hash_length', 'move_old_metadata'],
  'Client defined': [],
};

const anything = (description: string) => z.unknown().optional().meta({ description });

const common = {
  description: Description.nullish(),
  retention_period: DurationText.nullish(),
  ignore_free_space_check: z.boolean('must be true or false').nullish(),
  compression_type: anything('None, Fast, Optimal or Best; not for Block device and Client defined'),
  meta_data_pool: anything('name of a File system pool on the same media server; only for Block device'),
  media_set_name: anything(
    'name of the media set whose cartridges alone are written, null for any; only for Tape library (extension)',
  ),
  takes_scratch: anything(
    'true: where that set has no room, empty cartridges without a set join it; only for Tape library (extension)',
  ),
};

export const PoolDraft = z.object({
  pool_name: ObjectName,
  pool_type: z
    .string('must be a text')
    .min(1, 'must not be empty')
    .meta({ examples: [...poolTypes] }),
  media_server: ObjectName.meta({ description: 'name of a media server' }),
  ...common,
  algorithm: anything('sha2, blake2b, blake3 or sha1; only for Block device'),
  block_size: anything('bytes, a power of two from 8192 to 1048576; only for Block device'),
  hash_length: anything('bits: 160 for sha1, otherwise 256 or 512; only for Block device'),
});
export type PoolDraft = z.output<typeof PoolDraft>;

export const PoolPatch = z.object({
  pool_name: ObjectName.optional(),
  ...common,
  move_old_metadata: anything('true moves the metadata to the new pool; only for Block device'),
});
export type PoolPatch = z.output<typeof PoolPatch>;

/** Answer 207 of `DELETE /pools`. */
export const PoolsRemoved = z.object({
  removed: z.array(Id),
  failed: z.array(z.object({ id: Id, reason: z.string() })),
});
export type PoolsRemoved = z.output<typeof PoolsRemoved>;

export const PoolDestination = z.object({
  id: Id,
  pool_name: z.string(),
  pool_type: open(poolTypes),
  media_server: z.string(),
  free_space: Bytes,
});
export type PoolDestination = z.output<typeof PoolDestination>;
