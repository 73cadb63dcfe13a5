import type { ElementKind } from '../../device.ts';
import { DeviceError } from '../../device-error.ts';
import { isUnsupported, senseOf } from '../sense-words.ts';
import { quickMs, type ScsiUnit } from '../unit.ts';

/** Element type codes of SMC. */
export const elementTypes: Readonly<Record<ElementKind, number>> = {
  robot: 1,
  storage: 2,
  mail: 3,
  drive: 4,
};

export interface ElementRange {
  readonly first: number;
  readonly count: number;
}

/** Where each kind of element begins. Their order, their starts and gaps between them are up to the device. */
export type ElementAddresses = Readonly<Record<ElementKind, ElementRange>>;

const answerBytes = 255;
const page = 0x1d;

/** MODE SENSE, element address assignment page. Null when the device has no such page. */
export async function readElementAddresses(
  unit: ScsiUnit,
  signal: AbortSignal,
): Promise<ElementAddresses | null> {
  // First without block descriptors, of which a robot has none; some refuse to be asked so.
  for (const flags of [0x08, 0x00]) {
    try {
      const { data } = await unit.run({
        cdb: Uint8Array.of(0x1a, flags, page, 0, answerBytes, 0),
        dataIn: answerBytes,
        timeoutMs: quickMs,
        signal,
        doing: 'asking for its element addresses',
        onAttention: 'repeat',
      });
      return parseElementAddresses(data);
    } catch (error) {
      if (!isUnsupported(senseOf(error))) throw error;
    }
  }
  return null;
}

/** The answer of MODE SENSE(6). Throws `corrupt` when it has no such page. */
export function parseElementAddresses(answer: Buffer): ElementAddresses {
  const start = 4 + (answer[3] ?? 0);
  if (
    answer.length < start + 18 ||
    (answer.readUInt8(start) & 0x3f) !== page ||
    answer.readUInt8(start + 1) < 16
  ) {
    throw new DeviceError('corrupt', 'the robot answers without its element addresses.');
  }
  const range = (at: number): ElementRange => ({
    first: answer.readUInt16BE(start + at),
    count: answer.readUInt16BE(start + at + 2),
  });
  return { robot: range(2), storage: range(6), mail: range(10), drive: range(14) };
}
