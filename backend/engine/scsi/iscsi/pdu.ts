import { DeviceError } from '../../device-error.ts';

export const headerBytes = 48;
export const noTag = 0xffff_ffff;

/** Opcodes of RFC 7143, those of an initiator with the immediate bit where they are always sent so. */
export const opcode = {
  nopOut: 0x40,
  command: 0x01,
  taskManagement: 0x42,
  login: 0x43,
  text: 0x04,
  dataOut: 0x05,
  logout: 0x46,
  nopIn: 0x20,
  response: 0x21,
  taskManagementResponse: 0x22,
  loginResponse: 0x23,
  textResponse: 0x24,
  dataIn: 0x25,
  logoutResponse: 0x26,
  readyToTransfer: 0x31,
  asyncMessage: 0x32,
  reject: 0x3f,
} as const;

const fromTarget: ReadonlySet<number> = new Set(Object.values(opcode).filter((code) => (code & 0x20) !== 0));

/** A protocol data unit of a target. */
export interface Pdu {
  readonly opcode: number;
  /** 48 bytes. */
  readonly header: Buffer;
  /** From 64 KiB on it lies in memory that is used again: it stays as it is until the fourth such PDU after it. */
  readonly data: Buffer;
}

/** The other side does not speak iSCSI as it is written. */
export function protocolError(what: string): DeviceError {
  return new DeviceError('corrupt', `the target breaks the iSCSI protocol: ${what}.`);
}

export interface PduReader {
  /** Takes all of it over: the chunk may be used for something else afterwards. */
  push(chunk: Uint8Array): void;
  /** The next whole one, or null until more was pushed. Throws `corrupt` for bytes that are none; then it cannot go on. */
  next(): Pdu | null;
  /** Bytes that were pushed and not yet given out. */
  readonly heldBytes: number;
}

/** A PDU as far as it has come. */
interface Coming {
  readonly header: Buffer;
  headerFilled: number;
  /** Null until the header has come. Additional header segments come first in it; nobody looks at them. */
  body: Buffer | null;
  bodyFilled: number;
  readonly ahsBytes: number;
  readonly dataBytes: number;
}

/** Data segments from this length on are those of tape blocks. */
const longBytes = 65_536;
const roomCount = 4;

/**
 * Rooms for long data segments, in turn: new memory for each block of a tape costs more than all else that is done with it, since the
 * system clears it and the collector has to find it again.
 */
function createRooms(): (bytes: number) => Buffer {
  const rooms: Buffer[] = [];
  let turn = 0;
  return (bytes) => {
    if (bytes < longBytes) return Buffer.allocUnsafe(bytes);
    turn = (turn + 1) % roomCount;
    const known = rooms[turn];
    if (known !== undefined && known.length >= bytes) return known.subarray(0, bytes);
    const room = Buffer.allocUnsafe(bytes);
    rooms[turn] = room;
    return room;
  };
}

const nothingYet = (): Coming => ({
  header: Buffer.allocUnsafe(headerBytes),
  headerFilled: 0,
  body: null,
  bodyFilled: 0,
  ahsBytes: 0,
  dataBytes: 0,
});

/**
 * Cuts the stream of a target into PDUs, each byte copied once: to where it stays. A data segment longer than `maxDataBytes` is refused
 * before there is room for it.
 */
export function createPduReader(maxDataBytes: number): PduReader {
  const whole: { readonly pdu: Pdu; readonly bytes: number }[] = [];
  let held = 0;
  let coming = nothingYet();
  let broken: unknown = null;
  const roomFor = createRooms();

  const begin = ({ header }: Coming): Coming => {
    checkHeader(header, maxDataBytes);
    const ahsBytes = header.readUInt8(4) * 4;
    const dataBytes = header.readUIntBE(5, 3);
    const bytes = ahsBytes + dataBytes + padding(dataBytes);
    // What was not given out yet must not be written over: beside it there is new memory.
    const body = whole.length === 0 ? roomFor(bytes) : Buffer.allocUnsafe(bytes);
    return { header, headerFilled: headerBytes, body, bodyFilled: 0, ahsBytes, dataBytes };
  };
  /** Fills up what is coming; answers how many bytes of the chunk it took. */
  const fill = (chunk: Uint8Array, from: number): number => {
    const isHeader = coming.body === null;
    const into = coming.body ?? coming.header;
    const at = isHeader ? coming.headerFilled : coming.bodyFilled;
    const count = Math.min(into.length - at, chunk.length - from);
    into.set(chunk.subarray(from, from + count), at);
    if (isHeader) coming.headerFilled += count;
    else coming.bodyFilled += count;
    if (coming.body === null && coming.headerFilled === headerBytes) coming = begin(coming);
    const { header, body, bodyFilled, ahsBytes, dataBytes } = coming;
    if (body !== null && bodyFilled === body.length) {
      const data = body.subarray(ahsBytes, ahsBytes + dataBytes);
      whole.push({
        pdu: { opcode: header.readUInt8(0) & 0x3f, header, data },
        bytes: headerBytes + body.length,
      });
      coming = nothingYet();
    }
    return count;
  };

  return {
    get heldBytes() {
      return held;
    },
    push: (chunk) => {
      held += chunk.length;
      try {
        for (let at = 0; at < chunk.length && broken === null; ) at += fill(chunk, at);
      } catch (error) {
        // Told in its turn: what came whole before is given out first.
        broken = error;
      }
    },
    next: () => {
      const first = whole.shift();
      if (first === undefined && broken !== null) throw broken;
      held -= first?.bytes ?? 0;
      return first?.pdu ?? null;
    },
  };
}

function checkHeader(header: Buffer, maxDataBytes: number): void {
  const code = header.readUInt8(0);
  if (!fromTarget.has(code)) throw protocolError(`a PDU has the type ${code}, which no target sends`);
  const dataBytes = header.readUIntBE(5, 3);
  if (dataBytes > maxDataBytes) {
    throw protocolError(`a PDU has ${dataBytes} bytes of data, more than the ${maxDataBytes} agreed on`);
  }
}

function padding(dataBytes: number): number {
  return (4 - (dataBytes % 4)) % 4;
}

/** A header with its opcode, ready for the other fields. */
export function newHeader(code: number, flags: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(code, 0);
  header.writeUInt8(flags, 1);
  return header;
}

/** The parts of a PDU as they go on the wire, data uncopied. Sets the length in `header`. */
export function encodePdu(header: Buffer, data: Uint8Array): readonly Uint8Array[] {
  header.writeUIntBE(data.length, 5, 3);
  if (data.length === 0) return [header];
  const fill = padding(data.length);
  return fill === 0 ? [header, data] : [header, data, Buffer.alloc(fill)];
}

/** Writes a logical unit number at byte 8: as peripheral device below 256, flat above (SAM). */
export function writeLun(header: Buffer, lun: number): void {
  if (lun < 256) header.writeUInt16BE(lun, 8);
  else header.writeUInt16BE(0x4000 | lun, 8);
}
