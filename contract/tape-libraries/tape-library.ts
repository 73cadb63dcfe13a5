import { z } from 'zod';
import { defaultLimit, maxLimit } from '../paging.ts';
import { Count, Id, Ids, open, Time } from '../records.ts';
import { Description, ObjectName } from '../words.ts';

export const tapeLibraryStatuses = ['Online', 'Offline', 'Sync', 'Error'] as const;
export type TapeLibraryStatus = (typeof tapeLibraryStatuses)[number];

export const tapeDriveStatuses = ['Empty', 'Loaded', 'Busy', 'Error'] as const;
export type TapeDriveStatus = (typeof tapeDriveStatuses)[number];

export const slotTypes = ['storage', 'mail', 'drive'] as const;

const sgPath = z.string().meta({
  description: 'how the device is opened, for example `/dev/sg3`; may change when the media server restarts',
});

export const MediumChanger = z.object({
  id: Id,
  vendor: z.string(),
  model: z.string(),
  serial: z.string(),
  sg_path: sgPath,
  /** Null: only the opened device could tell. */
  slots_count: Count.nullable(),
  drives_count: Count.nullable(),
});
export type MediumChanger = z.output<typeof MediumChanger>;

export const TapeDriveCandidate = z.object({
  id: Id,
  vendor: z.string(),
  model: z.string(),
  serial: z.string(),
  sg_path: sgPath,
  st_path: z.string().nullable(),
  /** The robot that the drive seems to belong to; always null with `adding_type` = `manual`. */
  medium_changer_id: Id.nullable(),
});
export type TapeDriveCandidate = z.output<typeof TapeDriveCandidate>;

export const TapeCandidates = z.object({
  medium_changers: z.array(MediumChanger),
  tape_drives: z.array(TapeDriveCandidate),
});
export type TapeCandidates = z.output<typeof TapeCandidates>;

export const alertSeverities = ['information', 'warning', 'critical'] as const;

/** Something that a drive tells of itself or of a cartridge (TapeAlert). */
export const DriveAlert = z.object({
  flag: z.int().meta({ description: 'number of TapeAlert, 1 to 64' }),
  severity: open(alertSeverities),
  message: z.string().meta({ description: 'what it means and what can be done' }),
});
export type DriveAlert = z.output<typeof DriveAlert>;

export const TapeDriveRecord = z.object({
  id: Id,
  sg_path: sgPath,
  model: z.string(),
  serial: z.string(),
  status: open(tapeDriveStatuses),
  barcode: z.string().nullable(),
  alerts: z.array(DriveAlert).meta({ description: 'what the drive told when it was asked last' }),
  alerts_read: Time.nullable().meta({ description: 'when it was asked last; null: never' }),
  needs_cleaning: z.boolean().meta({
    description:
      'it asks for cleaning, or `clean_tape_drives_period` is over, and no cleaning cartridge has done it yet',
  }),
  cleaned: Time.nullable().meta({ description: 'when it was cleaned last; null: not here' }),
});
export type TapeDriveRecord = z.output<typeof TapeDriveRecord>;

const robotUnloads = z.boolean('must be true or false').meta({
  description:
    'the robot takes cartridges out of the drives by itself: a drive only rewinds its cartridge and unlocks it. Otherwise the drive ejects it before each move (extension)',
});

export const TapeLibrary = z.object({
  id: Id,
  pool: z.string(),
  media_server: z.string(),
  description: z.string().nullable(),
  vendor: z.string(),
  model: z.string(),
  serial: z.string(),
  sg_path: sgPath,
  slots_count: Count,
  status: open(tapeLibraryStatuses),
  medium_changers: z.array(MediumChanger),
  tape_drives: z.array(TapeDriveRecord),
  last_sync: Time.nullable(),
  robot_unloads: robotUnloads,
});
export type TapeLibrary = z.output<typeof TapeLibrary>;

export const CandidatesQuery = z.object({
  media_server: z.string('is required').min(1, 'is required').meta({ description: 'name of a media server' }),
  adding_type: z
    .enum(['auto', 'manual'], 'must be `auto` or `manual`')
    .meta({ description: '`manual` guesses no pairing of drives and robots' }),
});
export type CandidatesQuery = z.output<typeof CandidatesQuery>;

export const CandidateInfoRequest = z.strictObject({
  media_server: ObjectName,
  medium_changer_sg_path: z
    .string('must be a text: the path of a medium changer')
    .min(1, 'must not be empty')
    .max(4096, 'is too long for a path')
    .meta({ description: '`sg_path` of a medium changer', example: '/dev/sg3' }),
});
export type CandidateInfoRequest = z.output<typeof CandidateInfoRequest>;

/** One place for a cartridge; `number` counts the places of its type from 1, in the order of the device. */
export const LibrarySlot = z.object({
  number: z.int().min(1),
  type: open(slotTypes),
  barcode: z.string().nullable(),
  full: z.boolean(),
});
export type LibrarySlot = z.output<typeof LibrarySlot>;

export const CandidateInfo = z.object({ medium_changer: MediumChanger, slots: z.array(LibrarySlot) });
export type CandidateInfo = z.output<typeof CandidateInfo>;

export const TapeLibraryDraft = z.strictObject({
  pool: ObjectName.meta({ description: 'name of a pool of type Tape library without another library' }),
  media_server: ObjectName.meta({ description: 'name of the media server of the pool' }),
  description: Description.nullish(),
  medium_changer_candidate_id: Id,
  tape_drives_candidates_ids: Ids.meta({ description: 'ids of the drives, one at least' }),
  robot_unloads: robotUnloads.nullish(),
});
export type TapeLibraryDraft = z.output<typeof TapeLibraryDraft>;

export const TapeLibraryChange = z.strictObject({ robot_unloads: robotUnloads.optional() });
export type TapeLibraryChange = z.output<typeof TapeLibraryChange>;

const wholeNumber = 'must be a whole number, 1 or more';

export const LibraryTreeRequest = z.strictObject({
  pools: z
    .strictObject(
      {
        page: z.int(wholeNumber).min(1, wholeNumber).max(2_147_483_647, 'is too large').nullish(),
        limit: z
          .int(wholeNumber)
          .min(1, wholeNumber)
          .max(maxLimit, `must be ${maxLimit} at most`)
          .nullish()
          .meta({ description: `${defaultLimit} unless told` }),
      },
      'must be an object with `page` and `limit`',
    )
    .nullish(),
});
export type LibraryTreeRequest = z.output<typeof LibraryTreeRequest>;

export const LibraryTree = z.object({
  libraries: z.array(
    z.object({
      library: TapeLibrary,
      medium_changers: z.array(MediumChanger),
      tape_drives: z.array(TapeDriveRecord),
      /** Always empty; `candidates/info` tells the slots. */
      slots: z.array(LibrarySlot),
    }),
  ),
  pools: z.object({
    items: z.array(z.object({ id: Id, pool_name: z.string(), library_id: Id.nullable() })),
    total: Count,
    page: z.int(),
    limit: z.int(),
  }),
});
export type LibraryTree = z.output<typeof LibraryTree>;

export const SyncResult = z.object({ slots_total: Count, cartridges: Count });
export type SyncResult = z.output<typeof SyncResult>;
