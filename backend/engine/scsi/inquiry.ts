import { DeviceError } from '../device-error.ts';
import { isUnsupported, senseOf } from './sense-words.ts';
import { quickMs, type ScsiUnit } from './unit.ts';

export const deviceType = { tape: 0x01, changer: 0x08 } as const;

/** What a unit says of itself; texts are printable and trimmed. */
export interface UnitIdentity {
  /** 0x1f when there is no such unit. */
  readonly type: number;
  readonly vendor: string;
  readonly model: string;
  readonly revision: string;
}

const inquiryBytes = 96;
const pageBytes = 252;

/** INQUIRY: answered in any state, also when no cartridge is there. */
export async function inquire(unit: ScsiUnit, signal: AbortSignal): Promise<UnitIdentity> {
  const { data } = await unit.run({
    cdb: Uint8Array.of(0x12, 0, 0, 0, inquiryBytes, 0),
    dataIn: inquiryBytes,
    timeoutMs: quickMs,
    signal,
    doing: 'asking what it is',
    onAttention: 'repeat',
  });
  if (data.length < 36) throw new DeviceError('corrupt', `${unit.path}: it does not say what it is.`);
  const first = data.readUInt8(0);
  return {
    // The upper bits tell that the unit is not there, though it might be.
    type: first >> 5 === 0 ? first & 0x1f : 0x1f,
    vendor: printable(data.subarray(8, 16)),
    model: printable(data.subarray(16, 32)),
    revision: printable(data.subarray(32, 36)),
  };
}

/** Serial number of the vital product data (page 80h); empty when the device has none. */
export async function readSerial(unit: ScsiUnit, signal: AbortSignal): Promise<string> {
  try {
    const { data } = await unit.run({
      cdb: Uint8Array.of(0x12, 0x01, 0x80, 0, pageBytes, 0),
      dataIn: pageBytes,
      timeoutMs: quickMs,
      signal,
      doing: 'asking for its serial number',
      onAttention: 'repeat',
    });
    if (data.length < 4 || data.readUInt8(1) !== 0x80) return '';
    return printable(data.subarray(4, 4 + data.readUInt16BE(2)));
  } catch (error) {
    if (isUnsupported(senseOf(error))) return '';
    throw error;
  }
}

const mostUnits = 256;

/** The logical units of the target that `unit` belongs to (REPORT LUNS, at unit 0); those of other forms are left out. */
export async function reportLuns(unit: ScsiUnit, signal: AbortSignal): Promise<readonly number[]> {
  const size = 8 + mostUnits * 8;
  const { data } = await unit.run({
    cdb: Uint8Array.of(0xa0, 0, 0, 0, 0, 0, 0, 0, size >> 8, size & 0xff, 0, 0),
    dataIn: size,
    timeoutMs: quickMs,
    signal,
    doing: 'asking for its units',
    onAttention: 'repeat',
  });
  if (data.length < 8) throw new DeviceError('corrupt', `${unit.path}: it does not list its units.`);
  const end = Math.min(data.length, 8 + data.readUInt32BE(0));
  const luns: number[] = [];
  for (let at = 8; at + 8 <= end; at += 8) {
    const form = data.readUInt8(at) >> 6;
    const isWhole = data.readUInt16BE(at + 2) === 0 && data.readUInt32BE(at + 4) === 0;
    // 0: peripheral device on bus 0; 1: flat. Others stand for things behind things, which no library has.
    if (isWhole && form === 0 && data.readUInt8(at) === 0) luns.push(data.readUInt8(at + 1));
    else if (isWhole && form === 1) luns.push(data.readUInt16BE(at) & 0x3fff);
  }
  return luns;
}

/** What a device says is only text where it is printable ASCII. */
export function printable(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[^ -~]/g, '')
    .trim();
}
