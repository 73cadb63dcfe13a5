import { DeviceError } from '../../device-error.ts';
import { senseKey } from '../sense.ts';
import { isUnsupported, senseOf } from '../sense-words.ts';
import { quickMs, type ScsiUnit } from '../unit.ts';
import { readBlockLimitsCdb } from './commands.ts';

/** How a drive stands to the cartridge in it. */
export interface DriveMode {
  readonly isWriteProtected: boolean;
  readonly density: number;
  /** Bytes of each block; 0 = each as long as it was written. */
  readonly blockBytes: number;
}

export interface BlockLimits {
  readonly least: number;
  /** 0 = the drive does not tell. */
  readonly most: number;
}

const answerBytes = 255;
/** All pages, or none: what is looked at comes before them, but drives differ in what they answer to. */
const pages = [0x3f, 0x00];

/** MODE SENSE(6): header and block descriptor. */
export async function readMode(unit: ScsiUnit, signal: AbortSignal): Promise<DriveMode> {
  for (const page of pages) {
    try {
      const { data } = await unit.run({
        cdb: Uint8Array.of(0x1a, 0, page, 0, answerBytes, 0),
        dataIn: answerBytes,
        timeoutMs: quickMs,
        signal,
        doing: 'asking for its mode',
        onAttention: 'fail',
      });
      if (data.length < 4) throw new DeviceError('corrupt', `${unit.path}: it does not tell its mode.`);
      const hasDescriptor = data.readUInt8(3) >= 8 && data.length >= 12;
      return {
        isWriteProtected: (data.readUInt8(2) & 0x80) !== 0,
        density: hasDescriptor ? data.readUInt8(4) : 0,
        blockBytes: hasDescriptor ? data.readUIntBE(9, 3) : 0,
      };
    } catch (error) {
      if (!isUnsupported(senseOf(error))) throw error;
    }
  }
  throw new DeviceError('permanent', `${unit.path}: the drive does not tell its mode.`);
}

/**
 * MODE SELECT(6): blocks as long as they are written, buffered, density as it is. Set at every load: drives keep what somebody
 * else has set.
 */
export async function setVariableBlocks(unit: ScsiUnit, mode: DriveMode, signal: AbortSignal): Promise<void> {
  const parameters = Buffer.alloc(12);
  parameters.writeUInt8(0x10, 2);
  parameters.writeUInt8(8, 3);
  parameters.writeUInt8(mode.density, 4);
  try {
    await unit.run({
      cdb: Uint8Array.of(0x15, 0x10, 0, 0, parameters.length, 0),
      dataOut: parameters,
      timeoutMs: quickMs,
      signal,
      doing: 'setting blocks of variable length',
      onAttention: 'fail',
    });
  } catch (error) {
    // A drive that can do nothing else may refuse to be told so.
    if (mode.blockBytes === 0 && senseOf(error)?.key === senseKey.illegalRequest) return;
    throw error;
  }
}

export async function readBlockLimits(unit: ScsiUnit, signal: AbortSignal): Promise<BlockLimits> {
  try {
    const { data } = await unit.run({
      cdb: readBlockLimitsCdb,
      dataIn: 6,
      timeoutMs: quickMs,
      signal,
      doing: 'asking for the limits of blocks',
      onAttention: 'fail',
    });
    if (data.length < 6) return { least: 1, most: 0 };
    return { least: data.readUInt16BE(4), most: data.readUIntBE(1, 3) };
  } catch (error) {
    if (isUnsupported(senseOf(error))) return { least: 1, most: 0 };
    throw error;
  }
}
