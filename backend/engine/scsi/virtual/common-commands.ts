import type { ScsiCommand, ScsiResult } from '../transport.ts';
import { check, codes, good, senseBytes } from './answers.ts';

export interface UnitIdentityText {
  /** Type of device of SPC. */
  readonly type: number;
  readonly model: string;
  readonly serial: string;
}

export const virtualVendor = 'STRONGRM';
const revision = '0001';

/** INQUIRY: what every unit answers, in any state. */
export function answerInquiry(cdb: Buffer, identity: UnitIdentityText): ScsiResult {
  const room = cdb.readUInt16BE(3);
  if ((cdb.readUInt8(1) & 1) === 0) return good(standardInquiry(identity).subarray(0, room));
  const page = cdb.readUInt8(2);
  const body = vitalPage(page, identity);
  if (body === null) return check(codes.invalidField);
  const answer = Buffer.alloc(4 + body.length);
  answer.writeUInt8(identity.type, 0);
  answer.writeUInt8(page, 1);
  answer.writeUInt16BE(body.length, 2);
  answer.set(body, 4);
  return good(answer.subarray(0, room));
}

function standardInquiry({ type, model }: UnitIdentityText): Buffer {
  const answer = Buffer.alloc(36);
  answer.writeUInt8(type, 0);
  // Removable; SPC-3; answers in the usual format.
  answer.set([0x80, 0x05, 0x02, 31], 1);
  answer.write(virtualVendor.padEnd(8), 8, 'latin1');
  answer.write(model.padEnd(16).slice(0, 16), 16, 'latin1');
  answer.write(revision.padEnd(4), 32, 'latin1');
  return answer;
}

function vitalPage(page: number, identity: UnitIdentityText): Buffer | null {
  if (page === 0x00) return Buffer.from([0x00, 0x80, 0x83]);
  if (page === 0x80) return Buffer.from(identity.serial, 'latin1');
  return page === 0x83 ? identification(identity) : null;
}

/** Vendor, model and serial number, as page 83h and READ ELEMENT STATUS tell them. */
export function identification({ model, serial }: UnitIdentityText): Buffer {
  const text = Buffer.from(`${virtualVendor.padEnd(8)}${model.padEnd(16).slice(0, 16)}${serial}`, 'latin1');
  return Buffer.concat([Buffer.from([0x02, 0x01, 0x00, text.length]), text]);
}

export function answerReportLuns(cdb: Buffer, luns: readonly number[]): ScsiResult {
  const answer = Buffer.alloc(8 + 8 * luns.length);
  answer.writeUInt32BE(8 * luns.length, 0);
  for (const [index, lun] of luns.entries()) answer.writeUInt8(lun, 8 + 8 * index + 1);
  return good(answer.subarray(0, cdb.readUInt32BE(6)));
}

/** REQUEST SENSE: there is nothing to tell. */
export const noSense = (): ScsiResult => good(senseBytes([0, 0, 0]));

/** The command block, long enough for every field that is looked at. */
export function blockOf({ cdb }: ScsiCommand): Buffer {
  const block = Buffer.alloc(16);
  block.set(cdb);
  return block;
}
