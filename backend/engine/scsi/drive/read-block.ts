import type { TapeRead } from '../../device.ts';
import { DeviceError } from '../../device-error.ts';
import { senseKey } from '../sense.ts';
import { senseOf } from '../sense-words.ts';
import type { ScsiResult } from '../transport.ts';
import type { ScsiUnit } from '../unit.ts';
import { readCdb, spaceBlocksCdb } from './commands.ts';

interface Reading {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly doing: string;
}

/**
 * Reads what stands next on the tape. Only blank check is the end of the data; any other failure is one, so that a damaged place is
 * never taken for an end.
 */
export async function readBlock(unit: ScsiUnit, reading: Reading, signal: AbortSignal): Promise<TapeRead> {
  const { maxBytes, doing } = reading;
  const where = `${unit.path}: ${doing}`;
  const result = await readOnce(unit, reading, signal);
  if (result === null) return { kind: 'endOfData' };
  const { sense, data } = result;
  if (sense?.filemark) return { kind: 'filemark' };
  if (!sense?.incorrectLength) {
    if (data.length === maxBytes) return { kind: 'block', data };
    throw new DeviceError('corrupt', `${where}: the drive sent ${data.length} of ${maxBytes} bytes.`);
  }
  const bytes = sense.information === null ? 0 : maxBytes - sense.information;
  if (bytes < 1)
    throw new DeviceError('corrupt', `${where}: the drive does not tell the length of the block.`);
  if (bytes > maxBytes) {
    throw new DeviceError(
      'corrupt',
      `${where}: the block has ${bytes} bytes, more than the ${maxBytes} that any may have.`,
    );
  }
  if (data.length >= bytes) return { kind: 'block', data: data.subarray(0, bytes) };
  return readAgain(unit, { ...reading, maxBytes: bytes }, signal);
}

/** For drives that tell the length of a short block and do not send all of it. */
async function readAgain(unit: ScsiUnit, reading: Reading, signal: AbortSignal): Promise<TapeRead> {
  const { timeoutMs, doing, maxBytes } = reading;
  const back = { cdb: spaceBlocksCdb(-1), timeoutMs, signal, doing: `${doing}, going back one block` };
  await unit.run({ ...back, onAttention: 'fail' });
  const result = await readOnce(unit, reading, signal);
  const isWhole =
    result !== null &&
    result.data.length === maxBytes &&
    !result.sense?.incorrectLength &&
    !result.sense?.filemark;
  if (isWhole) return { kind: 'block', data: result.data };
  throw new DeviceError('corrupt', `${unit.path}: ${doing}: the block cannot be read in its own length.`);
}

/** Null at the end of the data. */
async function readOnce(unit: ScsiUnit, reading: Reading, signal: AbortSignal): Promise<ScsiResult | null> {
  const { maxBytes, timeoutMs, doing } = reading;
  try {
    const command = { cdb: readCdb(maxBytes), dataIn: maxBytes, timeoutMs, signal, doing };
    return await unit.run({ ...command, onAttention: 'fail' });
  } catch (error) {
    if (senseOf(error)?.key === senseKey.blankCheck) return null;
    throw error;
  }
}
