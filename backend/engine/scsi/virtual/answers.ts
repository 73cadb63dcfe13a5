import { decodeSense } from '../sense.ts';
import { type ScsiResult, scsiStatus } from '../transport.ts';

/** How a device ends a command. */
export const good = (data: Buffer = Buffer.alloc(0)): ScsiResult => ({
  status: scsiStatus.good,
  sense: null,
  data,
  residual: 0,
});

export const reservationConflict: ScsiResult = {
  status: scsiStatus.reservationConflict,
  sense: null,
  data: Buffer.alloc(0),
  residual: 0,
};

export interface SenseFlags {
  readonly filemark?: boolean;
  readonly endOfMedium?: boolean;
  readonly incorrectLength?: boolean;
  readonly information?: number;
}

export type SenseCode = readonly [key: number, asc: number, ascq: number];

/** CHECK CONDITION; the sense data are made as bytes and decoded like those of any device. */
export function check(code: SenseCode, flags: SenseFlags = {}, data: Buffer = Buffer.alloc(0)): ScsiResult {
  return {
    status: scsiStatus.checkCondition,
    sense: decodeSense(senseBytes(code, flags)),
    data,
    residual: 0,
  };
}

export function senseBytes([key, asc, ascq]: SenseCode, flags: SenseFlags = {}): Buffer {
  const bytes = Buffer.alloc(18);
  const mark = flags.filemark ? 0x80 : 0;
  const medium = flags.endOfMedium ? 0x40 : 0;
  const length = flags.incorrectLength ? 0x20 : 0;
  bytes.writeUInt8(0x70 | (flags.information === undefined ? 0 : 0x80), 0);
  bytes.writeUInt8(mark | medium | length | key, 2);
  bytes.writeInt32BE(flags.information ?? 0, 3);
  bytes.writeUInt8(10, 7);
  bytes.writeUInt8(asc, 12);
  bytes.writeUInt8(ascq, 13);
  return bytes;
}

/** What the devices answer most; key, additional code, qualifier. */
export const codes = {
  unknownCommand: [5, 0x20, 0],
  invalidField: [5, 0x24, 0],
  invalidElement: [5, 0x21, 0x01],
  noSuchUnit: [5, 0x25, 0],
  reset: [6, 0x29, 0],
  mediumChanged: [6, 0x28, 0],
  mailSlotUsed: [6, 0x28, 0x01],
  noCartridge: [2, 0x3a, 0],
  becomingReady: [2, 0x04, 0x01],
  needsLoad: [2, 0x04, 0x02],
  offline: [2, 0x04, 0x12],
  cleaningCartridge: [2, 0x30, 0x03],
  sourceEmpty: [5, 0x3b, 0x0e],
  targetFull: [5, 0x3b, 0x0d],
  removalPrevented: [5, 0x53, 0x02],
  robotStuck: [4, 0x15, 0x01],
  writeProtected: [7, 0x27, 0],
  unreadable: [3, 0x11, 0],
  unwritable: [3, 0x0c, 0],
  formatUnknown: [3, 0x30, 0x01],
  endOfData: [8, 0x00, 0x05],
  filemark: [0, 0x00, 0x01],
  endOfMedium: [0, 0x00, 0x02],
  beginning: [0, 0x00, 0x04],
  otherLength: [0, 0, 0],
  overflow: [0x0d, 0x00, 0x02],
} as const satisfies Readonly<Record<string, SenseCode>>;
