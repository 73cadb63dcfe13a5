import { expect, it } from 'vitest';
import type { LibraryElement } from '../../../../backend/engine/index.ts';
import { parseElementStatus } from '../../../../backend/engine/scsi/changer/element-status.ts';

/** A page of one element as SMC-3 has it, without barcode: its kind and the bytes 2, 4 and 5 of the descriptor. */
function elementOf(type: number, flags: number, asc = 0, ascq = 0): LibraryElement | undefined {
  const bytes = Buffer.alloc(8 + 8 + 16);
  bytes.writeUInt16BE(1, 2);
  bytes.writeUIntBE(8 + 16, 5, 3);
  bytes.writeUInt8(type, 8);
  bytes.writeUInt16BE(16, 10);
  bytes.writeUIntBE(16, 13, 3);
  bytes.writeUInt16BE(768, 16);
  bytes.writeUInt8(flags, 18);
  bytes.writeUInt8(asc, 20);
  bytes.writeUInt8(ascq, 21);
  return parseElementStatus(bytes).elements[0];
}
const [storage, mail, drive, robot] = [2, 3, 4, 1];

it.each([
  [
    'a full mail slot that a person has filled',
    mail,
    0x3b,
    0,
    0,
    { full: true, fromOutside: true, reachable: true },
  ],
  ['a full mail slot that the robot has filled', mail, 0x39, 0, 0, { full: true, fromOutside: false }],
  ['an open mail slot', mail, 0x30, 0, 0, { full: false, fromOutside: false, reachable: false }],
  ['a mail slot that was emptied, with the bit of the one before', mail, 0x3a, 0, 0, { fromOutside: false }],
  [
    'a slot in a magazine that is out',
    storage,
    0x04,
    0x3b,
    0x12,
    {
      exception: true,
      reachable: false,
      reason: 'the magazine is not there (3B/12)',
    },
  ],
  ['a storage slot, of which bit 1 says nothing', storage, 0x0b, 0, 0, { full: true, fromOutside: false }],
  ['an exception without a reason', storage, 0x0c, 0, 0, { exception: true, reason: null }],
  ['an exception with a code that is not known', drive, 0x0c, 0xa0, 0x07, { reason: '(A0/07)' }],
  ['a code beside no exception', drive, 0x08, 0x83, 0x00, { exception: false, reason: null }],
  ['the robot, whose bit of access means nothing', robot, 0x00, 0, 0, { reachable: null }],
] as const)('reads %s', (_what, type, flags, asc, ascq, expected) => {
  expect(elementOf(type ?? 0, flags, asc, ascq)).toMatchObject(expected);
});
