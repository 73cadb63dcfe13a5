import { z } from 'zod';
import { Bytes, Count, Id, Ids, open, Time } from '../records.ts';
import { ObjectName } from '../words.ts';

export const cartridgeStates = ['unlabelled', 'labelled', 'full', 'suspect', 'foreign', 'cleaning'] as const;
export const cartridgeLocations = ['storage', 'mail', 'drive', 'robot', 'outside', 'unknown'] as const;
/** The robot of its library does not reach it, or nobody knows whether it does. */
export const isAway = ({ location }: { readonly location: string }): boolean =>
  location === 'outside' || location === 'unknown';

export const Cartridge = z.object({
  id: Id,
  tape_library: Id.meta({ description: 'id of its tape library' }),
  barcode: z.string(),
  pool: z.string(),
  location: open(cartridgeLocations).meta({
    description:
      '`outside`: the robot has looked, and it is not in the library; `unknown`: that could not be found out, look for it and synchronise',
  }),
  element_address: z
    .int()
    .nullable()
    .meta({ description: 'where in the library; null outside, or when it is not known' }),
  state: open(cartridgeStates),
  label_uuid: z.string().nullable(),
  written: Bytes.meta({ description: 'bytes of copies that were written to it' }),
  capacity: Bytes.nullable().meta({ description: 'bytes that it took until it was full; null before' }),
  copies: Count.meta({ description: 'copies that lie on it, whole or in part' }),
  media_set: z.array(z.string()).meta({
    description:
      'barcodes of the cartridges that copies go on over together with this one, it included: keep them in one place; empty: each copy on it is whole here',
  }),
  media_set_name: z.string().nullable().meta({
    description:
      'the named media set that a person has put it into; null: none, it is a scratch cartridge (extension)',
  }),
  expires: Time.nullable().meta({
    description: 'when the last of its copies may go; null: there is none, or one is kept for ever',
  }),
  created: Time,
  cleanings: Count.meta({ description: 'of a cleaning cartridge: how often it has cleaned a drive' }),
  used_up: z.boolean().meta({ description: 'of a cleaning cartridge: it cleans no more; replace it' }),
  write_protected: z
    .boolean()
    .nullable()
    .meta({ description: 'as a drive told it when it was loaded last; null: it was not loaded yet' }),
});
export type Cartridge = z.output<typeof Cartridge>;

/** What of one copy lies on one cartridge. */
export const WantedCartridge = z.object({
  cartridge: Cartridge,
  parts: Count.meta({ description: 'parts of the copy on it' }),
  bytes: Bytes.meta({ description: 'bytes of these parts' }),
});
export type WantedCartridge = z.output<typeof WantedCartridge>;

export const CartridgeDraft = z.strictObject({
  tape_library: Id.meta({ description: 'id of the tape library that it is in' }),
  barcode: z
    .string('must be the barcode as text')
    .min(1, 'must not be empty')
    .max(32, 'must have 32 characters at most')
    .meta({ description: 'as a synchronisation named it', example: 'SR0001L8' }),
});
export type CartridgeDraft = z.output<typeof CartridgeDraft>;

export const CartridgeChange = z.strictObject({
  label: z
    .literal(true, 'must be true: a label can be given, not taken away')
    .nullish()
    .meta({ description: 'writes a label; everything that was on the tape is gone' }),
  overwrite: z
    .boolean('must be true or false')
    .nullish()
    .meta({ description: 'needed where the tape holds anything, readable or not' }),
});
export type CartridgeChange = z.output<typeof CartridgeChange>;

export const CartridgeAssignment = z.strictObject({
  ids: Ids.meta({ description: 'ids of the cartridges' }),
  media_set_name: ObjectName.nullable().meta({
    description:
      'name of the media set that they belong to from now on; one that differs from a known name in case alone is taken for it; null: none',
    example: 'Weekly',
  }),
});
export type CartridgeAssignment = z.output<typeof CartridgeAssignment>;

export const CartridgeLabelling = z.strictObject(
  {
    overwrite: z
      .boolean('must be true or false')
      .nullish()
      .meta({ description: 'needed where the tape holds anything, readable or not' }),
  },
  'must be an object',
);
export type CartridgeLabelling = z.output<typeof CartridgeLabelling>;

/** What a cartridge says of itself. */
export const CartridgeScan = z.object({
  state: open(cartridgeStates),
  label: z
    .object({ uuid: z.string(), barcode: z.string(), pool: z.string(), written: z.string() })
    .nullable()
    .meta({ description: 'null: the tape is blank or not of this product' }),
  parts: z.array(
    z.object({ file: Count, copy_uuid: z.string(), number: Count, bytes: Bytes, is_last: z.boolean() }),
  ),
  copies_found: z.array(Id).meta({ description: 'copies that were not in the catalogue and are now' }),
  copies_incomplete: Count.meta({ description: 'copies on it that need further cartridges to be scanned' }),
  cartridges_missing: z
    .array(z.string())
    .meta({ description: 'barcodes of further cartridges, as far as this one tells them' }),
  problems: z.array(z.string()),
});
export type CartridgeScan = z.output<typeof CartridgeScan>;

export const LibraryElementRecord = z.object({
  address: z.int(),
  number: z.int().min(1).meta({ description: 'counts the places of its type from 1' }),
  type: open(['storage', 'mail', 'drive', 'robot']),
  full: z.boolean(),
  barcode: z.string().nullable(),
  needs_person: z.boolean(),
  reason: z
    .string()
    .nullable()
    .meta({ description: 'why it needs a person, as the robot tells; null: it does not, or is not told' }),
  reachable: z.boolean().nullable().meta({
    description:
      'the robot gets at it; false of import/export: it is open; null: this robot tells nothing of it',
  }),
  from_outside: z
    .boolean()
    .meta({ description: 'of import/export: a person has put the cartridge in, and not the robot' }),
  cartridge: Id.nullable().meta({ description: 'id of the registered cartridge' }),
});
export type LibraryElementRecord = z.output<typeof LibraryElementRecord>;

const address = z
  .int('must be an element address, a whole number')
  .min(0, 'must be an element address, 0 or more')
  .max(65_535, 'must be an element address, 65535 at most');

export const CartridgeMove = z.strictObject({
  from: address.meta({ description: 'element address of the cartridge' }),
  to: address.meta({ description: 'element address that is empty' }),
});
export type CartridgeMove = z.output<typeof CartridgeMove>;
