import type { ScsiCommand, ScsiResult } from '../../../../backend/engine/scsi/transport.ts';
import { check, createScriptedUnit, good, type ScriptedUnit } from './simulated-unit.ts';

export interface RobotPlace {
  readonly address: number;
  readonly type: 1 | 2 | 3 | 4;
  barcode?: string;
  full?: boolean;
  exception?: boolean;
  readonly serial?: string;
}

export interface RobotManners {
  /** No page with the addresses. */
  readonly tellsAddresses?: boolean;
  readonly acceptsNoBlockDescriptors?: boolean;
  readonly sendsBlockDescriptor?: boolean;
  /** Looks at the two lower bytes of the allocation length only, and sends nothing when they are zero. */
  readonly ignoresHighByte?: boolean;
  /** Never sends more elements at once than this. */
  readonly mostElements?: number;
  /** Never sends more bytes than this, also in the middle of an element. */
  readonly mostBytes?: number;
  readonly descriptorExtra?: number;
  /** Tells of so many more slots than it lists. */
  readonly hiddenSlots?: number;
}

/** A robot of the tests' own, as far as READ ELEMENT STATUS, MODE SENSE and MOVE MEDIUM go. */
export function createSimulatedRobot(places: RobotPlace[], manners: RobotManners = {}): ScriptedUnit {
  const of = (type: number): RobotPlace[] =>
    places.filter((place) => place.type === type).sort((left, right) => left.address - right.address);

  const modeSense = (cdb: Uint8Array): ScsiResult => {
    if (manners.tellsAddresses === false) return check(5, 0x24, 0);
    if (manners.acceptsNoBlockDescriptors === false && (cdb[1] ?? 0) !== 0) return check(5, 0x24, 0);
    const descriptor = Buffer.alloc(manners.sendsBlockDescriptor ? 8 : 0);
    const page = Buffer.alloc(20);
    page.set([0x9d, 18]);
    for (const [index, type] of [1, 2, 3, 4].entries()) {
      page.writeUInt16BE(of(type)[0]?.address ?? 0, 2 + index * 4);
      const hidden = type === 2 ? (manners.hiddenSlots ?? 0) : 0;
      page.writeUInt16BE(of(type).length + hidden, 4 + index * 4);
    }
    const header = Buffer.from([3 + descriptor.length + page.length, 0, 0, descriptor.length]);
    return good(Buffer.concat([header, descriptor, page]));
  };
  const readStatus = (cdb: Buffer): ScsiResult => {
    const hasSerials = ((cdb[6] ?? 0) & 1) !== 0;
    const from = cdb.readUInt16BE(2);
    const count = Math.min(cdb.readUInt16BE(4), manners.mostElements ?? 0xffff);
    const allocation = cdb.readUIntBE(7, 3) & (manners.ignoresHighByte ? 0xffff : 0xff_ffff);
    const told = of((cdb[1] ?? 0) & 0x0f)
      .filter(({ address }) => address >= from)
      .slice(0, count);
    const stride = 52 + (hasSerials ? 12 : 0) + (manners.descriptorExtra ?? 0);
    const page = Buffer.alloc(8 + told.length * stride);
    page.set([(cdb[1] ?? 0) & 0x0f, 0x80]);
    page.writeUInt16BE(stride, 2);
    page.writeUIntBE(told.length * stride, 5, 3);
    for (const [index, place] of told.entries()) {
      const bytes = page.subarray(8 + index * stride, 8 + (index + 1) * stride);
      bytes.writeUInt16BE(place.address, 0);
      const full = place.full ?? place.barcode !== undefined;
      bytes.writeUInt8((full ? 1 : 0) | (place.exception ? 4 : 0) | 8, 2);
      bytes.write((place.barcode ?? '').padEnd(32), 12, 'latin1');
      if (hasSerials && place.serial !== undefined) {
        bytes.set([2, 0, 0, place.serial.length], 48);
        bytes.write(place.serial, 52, 'latin1');
      }
    }
    const header = Buffer.alloc(8);
    header.writeUInt16BE(told[0]?.address ?? 0, 0);
    header.writeUInt16BE(told.length, 2);
    header.writeUIntBE(told.length === 0 ? 0 : page.length, 5, 3);
    const answer = told.length === 0 ? header : Buffer.concat([header, page]);
    return good(answer.subarray(0, Math.min(allocation, manners.mostBytes ?? allocation)));
  };
  const move = (cdb: Buffer): ScsiResult => {
    const source = places.find(({ address }) => address === cdb.readUInt16BE(4));
    const target = places.find(({ address }) => address === cdb.readUInt16BE(6));
    if (!source || !target) return check(5, 0x21, 1);
    if (source.barcode === undefined) return check(5, 0x3b, 0x0e);
    if (target.barcode !== undefined) return check(5, 0x3b, 0x0d);
    target.barcode = source.barcode;
    delete source.barcode;
    return good();
  };
  return createScriptedUnit((command: ScsiCommand) => {
    const cdb = Buffer.from(command.cdb);
    switch (cdb[0]) {
      case 0x00:
      case 0x07:
        return good();
      case 0x1a:
        return modeSense(cdb);
      case 0xb8:
        return readStatus(cdb);
      case 0xa5:
        return move(cdb);
      default:
        return check(5, 0x20, 0);
    }
  });
}
