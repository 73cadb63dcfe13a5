import { z } from 'zod';
import { Bytes, Count, Id, open, Time } from '../records.ts';
import { ObjectName } from '../words.ts';

const whole = (least: number, most: number) =>
  z
    .int(`must be a whole number from ${least} to ${most}`)
    .min(least, `must be a whole number from ${least} to ${most}`)
    .max(most, `must be a whole number from ${least} to ${most}`);

const Barcode = z
  .string('must be a barcode as text')
  .regex(/^[A-Za-z0-9_-]{1,32}$/, 'must have 1 to 32 letters, digits, - or _')
  .meta({ description: 'barcode; one that begins with CLN is a cleaning cartridge', example: 'SR0001L8' });

const yesNo = z.boolean('must be true or false');
const robotConditions = ['works', 'stuck', 'jams'] as const;
const attentions = ['medium_changed', 'reset'] as const;
const dataBytes = whole(0, Number.MAX_SAFE_INTEGER);
const item = whole(0, 0xffff_ffff);

const driveFaults = z.strictObject({
  drive: whole(1, 16).meta({ description: '1 is the first drive' }),
  reserved: yesNo.nullish().meta({ description: 'another host has reserved the drive' }),
  becoming_ready: whole(0, 1000)
    .nullish()
    .meta({ description: 'how often after each load the drive answers that it is becoming ready' }),
  attention: z
    .enum(attentions, 'must be `medium_changed` or `reset`')
    .nullish()
    .meta({ description: 'told once by the drive, then null again' }),
  alerts: z
    .array(whole(1, 64), 'must be a list of numbers')
    .max(64, 'must name 64 flags at most')
    .nullish()
    .meta({ description: 'flags of TapeAlert; 20 and 21 ask for cleaning, which takes them away' }),
});

const cartridgeFaults = z.strictObject({
  barcode: Barcode,
  write_protected: yesNo.nullish(),
  early_warning_at: dataBytes.nullish().meta({ description: 'bytes after which the end is called near' }),
  end_at: dataBytes.nullish().meta({ description: 'bytes after which nothing more fits' }),
  read_error_at: item.nullish().meta({
    description: 'this block or filemark, counted from 0, cannot be read',
  }),
  write_error_at: item.nullish().meta({
    description: 'this block or filemark, counted from 0, cannot be written',
  }),
  pulled_at: item.nullish().meta({
    description:
      'a person pulls it out of the drive just before this block or filemark, counted from 0, is read or written; once, then null again',
  }),
  used_up: yesNo.nullish().meta({ description: 'of a cleaning cartridge: it cleans no more' }),
});

const list = <T extends z.ZodType>(of: T) => z.array(of, 'must be a list').max(2000, 'is too long');

export const VirtualFaultsDraft = z.strictObject(
  {
    door_open: yesNo.nullish(),
    robot: z
      .enum(robotConditions, 'must be `works`, `stuck` or `jams`')
      .nullish()
      .meta({ description: '`stuck`: moves nothing; `jams`: the next cartridge stays in its hand' }),
    unreadable_barcodes: list(Barcode).nullish(),
    drives: list(driveFaults).nullish(),
    cartridges: list(cartridgeFaults).nullish(),
  },
  'must be an object',
);
export type VirtualFaultsDraft = z.output<typeof VirtualFaultsDraft>;

export const VirtualFaults = z.object({
  door_open: z.boolean(),
  robot: open(robotConditions),
  unreadable_barcodes: z.array(z.string()),
  drives: z.array(
    z.object({
      drive: z.int(),
      reserved: z.boolean(),
      becoming_ready: Count,
      attention: open(attentions).nullable(),
      alerts: z.array(z.int()),
    }),
  ),
  cartridges: z.array(
    z.object({
      barcode: z.string(),
      write_protected: z.boolean(),
      early_warning_at: Bytes.nullable(),
      end_at: Bytes.nullable(),
      read_error_at: Count.nullable(),
      write_error_at: Count.nullable(),
      pulled_at: Count.nullish().meta({ description: 'not told by servers that do not simulate it' }),
      used_up: z.boolean(),
    }),
  ),
});
export type VirtualFaults = z.output<typeof VirtualFaults>;

export const virtualLibraryStatuses = ['Online', 'Error'] as const;

/** A simulated library: its cartridges are files in the data directory of its media server. */
export const VirtualLibrary = z.object({
  id: Id,
  media_server: z.string(),
  name: z.string(),
  sg_path: z.string().meta({ description: 'path of its robot among the candidates' }),
  slots: Count,
  drives: Count,
  mail_slots: Count,
  cartridges: z.array(z.string()).meta({ description: 'barcodes of what is inside' }),
  cartridge_size: Bytes,
  faults: VirtualFaults,
  status: open(virtualLibraryStatuses).meta({ description: '`Error`: its files cannot be read' }),
  created: Time,
});
export type VirtualLibrary = z.output<typeof VirtualLibrary>;

export const usualVirtualLibrary = {
  slots: 8,
  drives: 1,
  mailSlots: 1,
  cartridgeBytes: 1_073_741_824,
} as const;

const distinct = (barcodes: readonly string[]): boolean =>
  new Set(barcodes.map((barcode) => barcode.toUpperCase())).size === barcodes.length;
const Cartridges = list(Barcode).refine(distinct, 'must name each barcode once');

export const VirtualLibraryDraft = z.strictObject({
  media_server: ObjectName.meta({ description: 'name of a media server' }),
  name: z
    .string('must be a text')
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/,
      'must have 1 to 63 letters, digits, - or _, and begin with a letter or digit',
    )
    .meta({ example: 'rack-1' }),
  slots: whole(1, 2000)
    .nullish()
    .meta({ description: `${usualVirtualLibrary.slots} unless told` }),
  drives: whole(1, 16)
    .nullish()
    .meta({ description: `${usualVirtualLibrary.drives} unless told` }),
  mail_slots: whole(0, 100)
    .nullish()
    .meta({ description: `${usualVirtualLibrary.mailSlots} unless told` }),
  cartridges: Cartridges.nullish().meta({ description: 'barcodes of new cartridges in the storage slots' }),
  cartridge_size: whole(1_048_576, 1_125_899_906_842_624)
    .nullish()
    .meta({ description: `bytes; ${usualVirtualLibrary.cartridgeBytes} unless told` }),
  faults: VirtualFaultsDraft.nullish(),
});
export type VirtualLibraryDraft = z.output<typeof VirtualLibraryDraft>;

export const VirtualLibraryChange = z.strictObject({
  cartridges: Cartridges.nullish().meta({
    description:
      'what is to be inside: new barcodes come to the mail slots first; what is left out is taken out with its data and can come back',
  }),
  faults: VirtualFaultsDraft.nullish().meta({
    description: 'only the named faults change; null makes all well again',
  }),
});
export type VirtualLibraryChange = z.output<typeof VirtualLibraryChange>;
