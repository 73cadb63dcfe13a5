import type { LibraryElement, MediaChanger } from '../../device.ts';
import { DeviceError } from '../../device-error.ts';
import { senseKey } from '../sense.ts';
import { describeSense, senseOf } from '../sense-words.ts';
import type { ScsiUnit } from '../unit.ts';
import { type ElementAddresses, readElementAddresses } from './element-addresses.ts';
import { readInventory } from './inventory.ts';

export interface ScsiChanger extends MediaChanger {
  /** Null when the device does not tell. */
  addresses(signal: AbortSignal): Promise<ElementAddresses | null>;
  /** Lets the robot look at all places again, which may take half an hour. Moves no cartridge. */
  initialize(signal: AbortSignal): Promise<void>;
}

/** Robots cross halls and wait for each other; a time limit is for those that never end. */
const moveMs = 30 * 60_000;
const initializeMs = 60 * 60_000;

/** A robot by the commands of SMC. `closeTransport` is called once by `close`. */
export function createScsiChanger(unit: ScsiUnit, closeTransport: () => Promise<void>): ScsiChanger {
  let known: ElementAddresses | null | undefined;
  const addresses = async (signal: AbortSignal): Promise<ElementAddresses | null> => {
    if (known === undefined) known = await readElementAddresses(unit, signal);
    return known;
  };

  return {
    addresses,
    inventory: async (signal): Promise<readonly LibraryElement[]> => {
      await unit.settle(signal);
      // A robot that was changed may have other addresses.
      if (unit.takeAttention() !== null) known = undefined;
      return readInventory(unit, await addresses(signal), signal);
    },
    move: async (from, to, signal) => {
      await unit.settle(signal);
      unit.takeAttention();
      const robot = (await addresses(signal))?.robot.first ?? 0;
      const cdb = Buffer.alloc(12);
      cdb.writeUInt8(0xa5, 0);
      cdb.writeUInt16BE(robot, 2);
      cdb.writeUInt16BE(checked(unit, from), 4);
      cdb.writeUInt16BE(checked(unit, to), 6);
      const doing = `moving a cartridge from element ${from} to ${to}`;
      try {
        await unit.run({ cdb, timeoutMs: moveMs, signal, doing, onAttention: 'fail' });
      } catch (error) {
        throw withRemedy(`${unit.path}: ${doing}`, error);
      }
    },
    initialize: async (signal) => {
      await unit.settle(signal);
      const cdb = Uint8Array.of(0x07, 0, 0, 0, 0, 0);
      const doing = 'looking at all places';
      await unit.run({ cdb, timeoutMs: initializeMs, signal, doing, onAttention: 'repeat' });
    },
    close: closeTransport,
  };
}

function checked(unit: ScsiUnit, address: number): number {
  if (Number.isInteger(address) && address >= 0 && address <= 0xffff) return address;
  throw new DeviceError('permanent', `${unit.path}: ${address} is no element address.`);
}

/**
 * Says what can be done, and whether the cartridge is where it was: a robot that is not ready, or that tells of a change in place of
 * moving, has not moved.
 */
function withRemedy(where: string, error: unknown): unknown {
  const sense = senseOf(error);
  if (sense === null || sense.deferred) return error;
  const about = describeSense(sense);
  const busy = (remedy: string): DeviceError =>
    new DeviceError('busy', `${where}: ${about}; nothing was moved. ${remedy}`, { cause: sense });
  if (sense.key === senseKey.unitAttention) return busy('Read the inventory, then try again.');
  if (sense.key === senseKey.notReady) return busy('Try again when the robot is ready.');
  if (sense.key !== senseKey.illegalRequest) return error;
  if (sense.asc === 0x3b && (sense.ascq === 0x0d || sense.ascq === 0x0e)) {
    return busy('The library has changed: read the inventory.');
  }
  if (sense.asc === 0x53) return busy('Unload the drive before its cartridge is fetched.');
  return error;
}
