import { expect, it } from 'vitest';
import type { LibraryElement } from '../../../backend/engine/index.ts';
import { driveStates } from '../../../backend/features/tape-libraries/tape-library-rules.ts';

const place = (address: number, driveSerial: string | null): LibraryElement => ({
  address,
  kind: 'drive',
  full: false,
  barcode: null,
  exception: false,
  reason: null,
  reachable: true,
  fromOutside: false,
  driveSerial,
});
const at = (lun: number, serial = ''): { id: number; serial: string; sgPath: string } => ({
  id: lun,
  serial,
  sgPath: `iscsi://tapes:3260/iqn.2026-11.example:lib/${lun}`,
});
const addresses = (...of: Parameters<typeof driveStates>): readonly (number | null)[] =>
  driveStates(...of).map(({ elementAddress }) => elementAddress);

it.each<[string, readonly (number | null)[], Parameters<typeof driveStates>]>([
  [
    'serial numbers, whatever the order',
    [501, 500],
    [
      [at(1, 'A'), at(2, 'B')],
      [place(500, 'B'), place(501, 'A')],
    ],
  ],
  [
    'the rest, where the robot cut one serial number off',
    [500, 501],
    [
      [at(1, 'A'), at(2, 'B')],
      [place(500, 'A'), place(501, null)],
    ],
  ],
  [
    'the order of units (by number, not by text) when no drive tells a serial number',
    [502, 500, 501],
    [
      [at(10), at(1), at(2)],
      [place(500, null), place(501, null), place(502, null)],
    ],
  ],
  [
    'the order of units when all tell the same one',
    [500, 501],
    [
      [at(1, 'SAME'), at(2, 'SAME')],
      [place(500, 'SAME'), place(501, 'SAME')],
    ],
  ],
  [
    'the order of units when all tell the same one and the robot cut it off once',
    [500, 501],
    [
      [at(1, 'SAME'), at(2, 'SAME')],
      [place(500, 'SAME'), place(501, null)],
    ],
  ],
  [
    'nothing, when not all drives of the robot are here',
    [null, null],
    [
      [at(1), at(2)],
      [place(500, null), place(501, null), place(502, null)],
    ],
  ],
  [
    'nothing, when the element has a drive of another serial number',
    [500, null],
    [
      [at(1, 'A'), at(2, 'B')],
      [place(500, 'A'), place(501, 'C')],
    ],
  ],
  [
    'nothing, when they are no units of one target',
    [null, null],
    [
      [
        { ...at(1), sgPath: '/dev/sg4' },
        { ...at(2), sgPath: '/dev/sg5' },
      ],
      [place(500, null), place(501, null)],
    ],
  ],
])('drives are matched to their elements by %s', (_how, found, given) => {
  expect(addresses(...given)).toEqual(found);
});
