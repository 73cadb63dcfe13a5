import { DeviceError } from '../../device-error.ts';
import { isUnsupported, senseOf } from '../sense-words.ts';
import { quickMs, type ScsiUnit } from '../unit.ts';

const page = 0x2e;
const mostFlags = 64;
const pageBytes = 4 + 5 * mostFlags;

/** Flags of TapeAlert by which a drive asks to be cleaned: now, and soon. */
export const cleaningFlags: readonly number[] = [20, 21];
/** The cleaning cartridge is used up; what is in the drive cleans nothing. */
export const expiredFlag = 22;
export const invalidCleaningFlag = 23;

/**
 * The flags that are set (1 to 64), in order: LOG SENSE, page 2Eh, current cumulative values. Null when the drive has no such page. Moves
 * no tape. Some drives take a flag away once it was read.
 */
export async function readTapeAlerts(unit: ScsiUnit, signal: AbortSignal): Promise<readonly number[] | null> {
  const cdb = Buffer.alloc(10);
  cdb.writeUInt8(0x4d, 0);
  cdb.writeUInt8(0x40 | page, 2);
  cdb.writeUInt16BE(pageBytes, 7);
  const command = { cdb, dataIn: pageBytes, timeoutMs: quickMs, signal, doing: 'reading its alerts' };
  try {
    const { data } = await unit.run({ ...command, onAttention: 'repeat' });
    return parseAlerts(unit.path, data);
  } catch (error) {
    if (isUnsupported(senseOf(error))) return null;
    throw error;
  }
}

/** Each parameter: number of the flag, a control byte, the length, and a value whose lowest bit counts. */
function parseAlerts(path: string, data: Buffer): readonly number[] {
  if (data.length < 4 || (data.readUInt8(0) & 0x3f) !== page) {
    throw new DeviceError('corrupt', `${path}: reading its alerts: it sent another page.`);
  }
  const end = Math.min(data.length, 4 + data.readUInt16BE(2));
  const flags = new Set<number>();
  for (let at = 4; at + 5 <= end; ) {
    const flag = data.readUInt16BE(at);
    const length = data.readUInt8(at + 3);
    const isSet = length > 0 && (data.readUInt8(at + 4) & 0x01) === 1;
    if (isSet && flag >= 1 && flag <= mostFlags) flags.add(flag);
    at += 4 + length;
  }
  return [...flags].sort((left, right) => left - right);
}
