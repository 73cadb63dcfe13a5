import { DeviceError } from '../../device-error.ts';
import { type Sense, senseKey } from '../sense.ts';
import { senseOf } from '../sense-words.ts';
import { quickMs, type ScsiUnit, testUnitReady } from '../unit.ts';
import { loadCdb, retensionUnloadCdb, rewindCdb, unloadCdb } from './commands.ts';

/** The first load of an LTO-9 cartridge is measured in for up to two hours. */
const loadMs = 3 * 60 * 60_000;
const unloadMs = 30 * 60_000;
const longestPauseMs = 5_000;

/** Null when the unit is ready, otherwise why it is not. Rejects for any other failure. */
async function whyNotReady(unit: ScsiUnit, signal: AbortSignal): Promise<Sense | null> {
  try {
    const command = { cdb: testUnitReady, timeoutMs: quickMs, signal, doing: 'waiting for the cartridge' };
    await unit.run({ ...command, onAttention: 'repeat' });
    return null;
  } catch (error) {
    const sense = senseOf(error);
    if (sense?.key === senseKey.notReady) return sense;
    throw error;
  }
}

const isAbsent = ({ asc }: Sense): boolean => asc === 0x3a;
/** Becoming ready, an operation under way, finding out what is there: by waiting it gets better. */
const isOnTheWay = ({ asc, ascq }: Sense): boolean => asc === 0x04 && [0x00, 0x01, 0x07, 0x13].includes(ascq);
const needsLoad = ({ asc, ascq }: Sense): boolean => asc === 0x04 && ascq === 0x02;

/** Waits until the cartridge can be used, and orders the drive to load it where it waits for that. */
export async function waitUntilReady(unit: ScsiUnit, signal: AbortSignal): Promise<void> {
  const deadline = unit.now() + loadMs;
  let pauseMs = 100;
  let hasOrdered = false;
  for (;;) {
    const sense = await whyNotReady(unit, signal);
    if (sense === null) return;
    const mayOrder = !hasOrdered && (isAbsent(sense) || needsLoad(sense));
    if (mayOrder) {
      hasOrdered = true;
      const command = { cdb: loadCdb, timeoutMs: loadMs, signal, doing: 'loading the cartridge' };
      await unit.run({ ...command, onAttention: 'repeat' });
      continue;
    }
    if (isAbsent(sense)) {
      throw new DeviceError('notFound', `${unit.path}: there is no cartridge in the drive.`, {
        cause: sense,
      });
    }
    if (!isOnTheWay(sense) && !needsLoad(sense)) await refuse(unit, signal);
    if (unit.now() + pauseMs > deadline) {
      const hours = loadMs / 3_600_000;
      throw new DeviceError('busy', `${unit.path}: the cartridge is not ready after ${hours} hours.`);
    }
    await unit.wait(pauseMs, signal);
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  }
}

/** Asks once more, so that the failure has the device's own words. */
async function refuse(unit: ScsiUnit, signal: AbortSignal): Promise<void> {
  const command = { cdb: testUnitReady, timeoutMs: quickMs, signal, doing: 'loading the cartridge' };
  await unit.run({ ...command, onAttention: 'repeat' });
}

/** Rewinds and releases the cartridge; nothing is done when there is none. */
export async function ejectCartridge(unit: ScsiUnit, signal: AbortSignal): Promise<void> {
  for (const cdb of [unloadCdb, retensionUnloadCdb]) {
    try {
      const command = { cdb, timeoutMs: unloadMs, signal, doing: 'unloading the cartridge' };
      await unit.run({ ...command, onAttention: 'repeat' });
    } catch (error) {
      if (senseOf(error)?.key !== senseKey.notReady) throw error;
    }
    // There are devices that say "good" to the usual order and keep the cartridge.
    if ((await whyNotReady(unit, signal)) !== null) return;
  }
  throw new DeviceError('permanent', `${unit.path}: the drive does not release the cartridge.`);
}

/** Nothing is done when there is no cartridge; one that cannot be rewound has to come out all the same. */
export async function rewindLoaded(unit: ScsiUnit, signal: AbortSignal): Promise<void> {
  try {
    const command = { cdb: rewindCdb, timeoutMs: unloadMs, signal, doing: 'rewinding for the robot' };
    await unit.run({ ...command, onAttention: 'repeat' });
  } catch (error) {
    if (senseOf(error) === null) throw error;
  }
}
