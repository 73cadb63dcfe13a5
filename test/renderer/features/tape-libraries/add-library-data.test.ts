import { expect, test } from 'vitest';
import {
  behindPortal,
  checkOf,
  drivesFor,
  typedBarcodes,
} from '../../../../renderer/features/tape-libraries/add-library-data.ts';

const robot = {
  id: 1,
  vendor: 'LAB',
  model: 'LIBRARY',
  serial: 'L1',
  sg_path: 'iscsi://192.0.2.1:3260/iqn/2',
  slots_count: null,
  drives_count: null,
};
const drive = (id: number, owner: number | null, path: string) => ({
  id,
  vendor: 'LAB',
  model: 'DRIVE',
  serial: `D${id}`,
  sg_path: path,
  st_path: null,
  medium_changer_id: owner,
});
const found = {
  robots: [robot],
  drives: [
    drive(2, 1, 'iscsi://192.0.2.1:3260/iqn/1'),
    drive(3, null, 'iscsi://[2001:db8::1]:3260/iqn/1'),
    drive(4, 9, '/dev/sg4'),
  ],
  portals: [],
};

test('a robot is offered its own drives and those of which nobody knows', () => {
  expect(drivesFor(found, robot).map(({ id }) => id)).toEqual([2, 3]);
});

test('what a portal leads to is counted by its address, IPv6 too', () => {
  expect(behindPortal(found, { address: '192.0.2.1', port: 3260 })).toBe(2);
  expect(behindPortal(found, { address: '2001:db8::1', port: 3260 })).toBe(1);
  expect(behindPortal(found, { address: '192.0.2.1', port: 326 })).toBe(0);
});

test('the check tells what is registered and what is in the way', () => {
  const slot = (type: string, number: number, barcode: string | null, full = barcode !== null) => ({
    number,
    type,
    barcode,
    full,
  });
  const check = checkOf({
    medium_changer: robot,
    slots: [
      slot('storage', 1, 'A1'),
      slot('storage', 2, 'CLN1'),
      slot('storage', 3, null, true),
      slot('storage', 4, null),
      slot('mail', 1, 'A1'),
      slot('drive', 1, null),
    ],
  });
  expect(check).toEqual({
    slots: 4,
    mailSlots: 1,
    driveSlots: 1,
    barcodes: ['A1', 'CLN1'],
    cleaning: 1,
    unreadable: 1,
    elsewhere: ['A1'],
    twice: ['A1'],
  });
});

test('barcodes are taken by lines, spaces and commas', () => {
  expect(typedBarcodes(' A1, A2\nA3;A4 ')).toEqual(['A1', 'A2', 'A3', 'A4']);
});
