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
  readonly data: Buffer;
}

/** The other side does not speak iSCSI as it is written. */
export function protocolError(what: string): DeviceError {
  return new DeviceError('corrupt', `the target breaks the iSCSI protocol: ${what}.`);
}

export interface PduReader {
  push(chunk: Buffer): void;
  /** The next whole one, or null until more was pushed. Throws `corrupt` for bytes that are none; then it cannot go on. */
  next(): Pdu | null;
  /** Bytes that were pushed and not yet given out. */
  readonly heldBytes: number;
}

/** Cuts the stream of a target into PDUs. A data segment longer than `maxDataBytes` is refused before it is waited for. */
export function createPduReader(maxDataBytes: number): PduReader {
  const chunks: Buffer[] = [];
  let held = 0;
  let header: Buffer | null = null;

  const take = (length: number): Buffer => {
    held -= length;
    const [first] = chunks;
    if (first !== undefined && first.length > length) {
      chunks[0] = first.subarray(length);
      return first.subarray(0, length);
    }
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0; ) {
      const chunk = chunks[0];
      if (chunk === undefined) throw new Error('more bytes taken than held');
      if (chunk.length > missing) chunks[0] = chunk.subarray(missing);
      else chunks.shift();
      parts.push(chunk.subarray(0, missing));
      missing -= Math.min(missing, chunk.length);
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, length);
  };

  return {
    get heldBytes() {
      return held;
    },
    push: (chunk) => {
      if (chunk.length === 0) return;
      chunks.push(chunk);
      held += chunk.length;
    },
    next: () => {
      if (header === null) {
        if (held < headerBytes) return null;
        header = take(headerBytes);
        checkHeader(header, maxDataBytes);
      }
      const ahsBytes = header.readUInt8(4) * 4;
      const dataBytes = header.readUIntBE(5, 3);
      const padded = dataBytes + padding(dataBytes);
      if (held < ahsBytes + padded) return null;
      if (ahsBytes > 0) take(ahsBytes);
      const pdu = { opcode: header.readUInt8(0) & 0x3f, header, data: take(padded).subarray(0, dataBytes) };
      header = null;
      return pdu;
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
