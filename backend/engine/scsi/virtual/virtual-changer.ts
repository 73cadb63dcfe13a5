import { type ElementKind, elementKinds } from '../../device.ts';
import { elementTypes } from '../changer/element-addresses.ts';
import { deviceType } from '../inquiry.ts';
import type { ScsiResult } from '../transport.ts';
import { check, codes, good } from './answers.ts';
import { identification, type UnitIdentityText } from './common-commands.ts';
import { addressesOf, kindAt, type LibraryState, rangeOf } from './library-state.ts';

/** What the robot needs of the library around it. */
export interface ChangerHost {
  readonly state: LibraryState;
  /** Durable when it settles. */
  update(change: (now: LibraryState) => LibraryState): Promise<void>;
  driveIdentity(number: number): UnitIdentityText;
  /** Why the drive does not give its cartridge away, or null. */
  whyDriveHolds(number: number): ScsiResult | null;
  /** The cartridge in a drive is another one now, or none. */
  exchanged(number: number): Promise<void>;
}

export const changerIdentity = (serial: string): UnitIdentityText => ({
  type: deviceType.changer,
  model: 'VIRTUAL LIBRARY',
  serial: `${serial}R0`,
});

/** The robot of a virtual library: what it answers to one command. */
export async function runChanger(cdb: Buffer, host: ChangerHost): Promise<ScsiResult> {
  const operation = cdb.readUInt8(0);
  if (operation === 0x1a) return modeSense(cdb, host.state);
  // With the door open nothing is known of what is inside.
  if (host.state.faults.doorOpen) return check(codes.offline);
  switch (operation) {
    case 0x00:
    case 0x07:
    case 0x37:
      return good();
    case 0xb8:
      return readElementStatus(cdb, host);
    case 0xa5:
      return move(cdb, host);
    default:
      return check(codes.unknownCommand);
  }
}

function modeSense(cdb: Buffer, state: LibraryState): ScsiResult {
  const page = cdb.readUInt8(2) & 0x3f;
  if (page !== 0x1d && page !== 0x3f) return check(codes.invalidField);
  const answer = Buffer.alloc(4 + 20);
  answer.writeUInt8(answer.length - 1, 0);
  answer.set([0x1d, 18], 4);
  const kinds: readonly ElementKind[] = ['robot', 'storage', 'mail', 'drive'];
  for (const [index, kind] of kinds.entries()) {
    const { first, count } = rangeOf(state, kind);
    answer.writeUInt16BE(first, 6 + 4 * index);
    answer.writeUInt16BE(count, 8 + 4 * index);
  }
  return good(answer.subarray(0, cdb.readUInt8(4)));
}

const tagBytes = 36;
const identifierRoom = 4 + 48;

function readElementStatus(cdb: Buffer, host: ChangerHost): ScsiResult {
  const wanted = cdb.readUInt8(1) & 0x0f;
  const hasTags = (cdb.readUInt8(1) & 0x10) !== 0;
  const hasIdentifiers = (cdb.readUInt8(6) & 0x01) !== 0;
  const from = cdb.readUInt16BE(2);
  let left = cdb.readUInt16BE(4);
  if (wanted > 4) return check(codes.invalidField);
  const pages: Buffer[] = [];
  let first: number | null = null;
  let count = 0;
  for (const kind of [...elementKinds].sort((a, b) => elementTypes[a] - elementTypes[b])) {
    if (wanted !== 0 && elementTypes[kind] !== wanted) continue;
    const addresses = addressesOf(host.state, kind)
      .filter((address) => address >= from)
      .slice(0, left);
    if (addresses.length === 0) continue;
    left -= addresses.length;
    count += addresses.length;
    first = Math.min(first ?? 0xffff, ...addresses);
    pages.push(pageOf({ kind, addresses, hasTags, hasIdentifiers }, host));
  }
  const body = Buffer.concat(pages);
  const header = Buffer.alloc(8);
  header.writeUInt16BE(first ?? 0, 0);
  header.writeUInt16BE(count, 2);
  header.writeUIntBE(body.length, 5, 3);
  return good(Buffer.concat([header, body]).subarray(0, cdb.readUIntBE(7, 3)));
}

interface Page {
  readonly kind: ElementKind;
  readonly addresses: readonly number[];
  readonly hasTags: boolean;
  readonly hasIdentifiers: boolean;
}

function pageOf({ kind, addresses, hasTags, hasIdentifiers }: Page, host: ChangerHost): Buffer {
  const { places, faults } = host.state;
  const tags = hasTags ? tagBytes : 0;
  const withIdentifiers = hasIdentifiers && kind === 'drive';
  const stride = 12 + tags + (withIdentifiers ? identifierRoom : 4);
  const page = Buffer.alloc(8 + stride * addresses.length);
  page.writeUInt8(elementTypes[kind], 0);
  page.writeUInt8(hasTags ? 0x80 : 0, 1);
  page.writeUInt16BE(stride, 2);
  page.writeUIntBE(stride * addresses.length, 5, 3);
  for (const [index, address] of addresses.entries()) {
    const element = page.subarray(8 + stride * index, 8 + stride * (index + 1));
    const placed = places[address];
    const isUnreadable = placed !== undefined && faults.unreadableBarcodes.includes(placed.barcode);
    element.writeUInt16BE(address, 0);
    // Full, needs a person, within reach of the robot, may be put in and taken out, was put in by a person.
    const isFromOutside = placed !== undefined && placed.source === null;
    const mail = kind === 'mail' ? 0x30 | (isFromOutside ? 0x02 : 0) : 0;
    element.writeUInt8((placed ? 0x01 : 0) | (isUnreadable ? 0x04 : 0) | 0x08 | mail, 2);
    if (isUnreadable) element.writeUInt8(0x83, 4);
    if (placed && placed.source !== null) {
      element.writeUInt8(0x80, 9);
      element.writeUInt16BE(placed.source, 10);
    }
    if (hasTags) {
      const text = placed && !isUnreadable ? placed.barcode.padEnd(32) : '';
      element.write(text, 12, 'latin1');
    }
    if (withIdentifiers) {
      const number = address - rangeOf(host.state, 'drive').first + 1;
      element.set(identification(host.driveIdentity(number)), 12 + tags);
    }
  }
  return page;
}

async function move(cdb: Buffer, host: ChangerHost): Promise<ScsiResult> {
  const { state } = host;
  const [robot, from, to] = [cdb.readUInt16BE(2), cdb.readUInt16BE(4), cdb.readUInt16BE(6)];
  const fromKind = kindAt(state, from);
  const toKind = kindAt(state, to);
  if (fromKind === null || toKind === null) return check(codes.invalidElement);
  if (robot !== 0 && kindAt(state, robot) !== 'robot') return check(codes.invalidElement);
  const placed = state.places[from];
  if (placed === undefined) return check(codes.sourceEmpty);
  if (state.places[to] !== undefined) return check(codes.targetFull);
  const driveNumber = (address: number): number => address - rangeOf(state, 'drive').first + 1;
  if (fromKind === 'drive') {
    const held = host.whyDriveHolds(driveNumber(from));
    if (held !== null) return held;
  }
  const { robot: condition } = state.faults;
  if (condition === 'stuck') return check(codes.robotStuck);
  const isJam = condition === 'jams';
  const target = isJam ? rangeOf(state, 'robot').first : to;
  const { [from]: _gone, ...others } = state.places;
  const places = { ...others, [target]: { barcode: placed.barcode, source: from } };
  await host.update((now) => ({
    ...now,
    places,
    faults: { ...now.faults, robot: isJam ? 'stuck' : condition },
  }));
  if (fromKind === 'drive') await host.exchanged(driveNumber(from));
  if (toKind === 'drive' && target === to) await host.exchanged(driveNumber(to));
  return isJam ? check(codes.robotStuck) : good();
}
