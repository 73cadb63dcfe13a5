import type { CleaningEnd } from '../../device.ts';
import { DeviceError } from '../../device-error.ts';
import { senseOf } from '../sense-words.ts';
import { quickMs, type ScsiUnit, testUnitReady } from '../unit.ts';
import { cleaningFlags, expiredFlag, invalidCleaningFlag, readTapeAlerts } from './tape-alert.ts';

/** A cleaning takes one to five minutes. */
const cleaningMs = 20 * 60_000;
/** Of a drive that tells nothing of its cleaning: after so long it is done. */
const silentMs = 5 * 60_000;
const longestPauseMs = 5_000;

/**
 * Waits while a cleaning cartridge that the robot has put in does its work, which begins by itself. Done is what the drive says: it
 * lets the cartridge out, or asks for cleaning no longer. `busy` when it comes to no end.
 */
export async function waitForCleaning(unit: ScsiUnit, signal: AbortSignal): Promise<CleaningEnd> {
  const began = unit.now();
  let pauseMs = 100;
  await unit.settle(signal);
  for (;;) {
    const end = await lookAtCleaning(unit, unit.now() - began, signal);
    if (end !== null) return end;
    if (unit.now() + pauseMs - began > cleaningMs) {
      const minutes = cleaningMs / 60_000;
      throw new DeviceError('busy', `${unit.path}: the cleaning has not ended after ${minutes} minutes.`);
    }
    await unit.wait(pauseMs, signal);
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  }
}

/** Null while it goes on. */
async function lookAtCleaning(
  unit: ScsiUnit,
  sinceMs: number,
  signal: AbortSignal,
): Promise<CleaningEnd | null> {
  const state = await stateOf(unit, signal);
  if (state === 'refused') return 'failed';
  const alerts = await readTapeAlerts(unit, signal);
  if (alerts?.includes(expiredFlag)) return 'expired';
  if (alerts?.includes(invalidCleaningFlag)) return 'failed';
  if (state === 'working') return null;
  const stillAsks = alerts?.some((flag) => cleaningFlags.includes(flag)) ?? false;
  if (state === 'ejected') return stillAsks ? 'failed' : 'cleaned';
  if (alerts !== null) return stillAsks ? null : 'cleaned';
  return sinceMs >= silentMs ? 'cleaned' : null;
}

/** `inside`: a cleaning cartridge is there, and nothing tells whether it is at work. */
type State = 'working' | 'inside' | 'ejected' | 'refused';

async function stateOf(unit: ScsiUnit, signal: AbortSignal): Promise<State> {
  const command = { cdb: testUnitReady, timeoutMs: quickMs, signal, doing: 'cleaning' };
  try {
    await unit.run({ ...command, onAttention: 'repeat' });
    // A drive that is ready has a tape in it that can be read, so what was put in is no cleaning cartridge.
    return 'refused';
  } catch (error) {
    const sense = senseOf(error);
    if (sense === null) throw error;
    const { asc, ascq } = sense;
    if (asc === 0x30) return ascq === 0x03 ? 'inside' : 'refused';
    if (asc === 0x3a || (asc === 0x04 && ascq === 0x02)) return 'ejected';
    return asc === 0x04 ? 'working' : 'refused';
  }
}
