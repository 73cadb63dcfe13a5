import type { TapeDrive, TapeRead } from '../../device.ts';
import { DeviceError } from '../../device-error.ts';
import { senseKey } from '../sense.ts';
import { isUnsupported, senseOf } from '../sense-words.ts';
import type { ScsiResult } from '../transport.ts';
import { quickMs, type ScsiUnit, type UnitCommand } from '../unit.ts';
import { waitForCleaning } from './cleaning.ts';
import {
  locateCdb,
  mostBlockBytes,
  mostFilemarks,
  preventRemovalCdb,
  readPositionCdb,
  rewindCdb,
  spaceFilemarksCdb,
  spaceToEndCdb,
  writeCdb,
  writeFilemarksCdb,
} from './commands.ts';
import { ejectCartridge, rewindLoaded, waitUntilReady } from './load.ts';
import { type BlockLimits, type DriveMode, readBlockLimits, readMode, setVariableBlocks } from './mode.ts';
import {
  afterBlock,
  afterFilemarks,
  beginning,
  endOfData,
  positionText,
  type TapePosition,
} from './position.ts';
import { readBlock } from './read-block.ts';
import { cleaningFlags, readTapeAlerts } from './tape-alert.ts';

export interface ScsiTapeDrive extends TapeDrive {
  /** As counted since the last known place; null when it is not known. */
  readonly position: TapePosition | null;
  /** Of the cartridge that was loaded; null before. */
  readonly mode: DriveMode | null;
  readonly limits: BlockLimits | null;
  /** Logical block by the drive's own count; null when it does not know or does not tell. */
  readPosition(signal: AbortSignal): Promise<number | null>;
  /** To a logical block by the drive's own count. `permanent` when the drive has no such command. */
  locate(block: number, signal: AbortSignal): Promise<void>;
}

const dataMs = 10 * 60_000;
const filemarksMs = 30 * 60_000;
/** No block of this product is longer. */
const mostReadOver = 1_048_576;
const rewindMs = 30 * 60_000;
const spaceMs = 60 * 60_000;

type Step = Omit<UnitCommand, 'onAttention' | 'signal'>;

/**
 * A drive by the commands of SSC, in variable block mode. After a failure, a reset or a lost connection the place of the tape is not
 * known: nothing is read or written then until it was rewound or brought to the end of the data.
 */
export function createScsiDrive(unit: ScsiUnit, closeTransport: () => Promise<void>): ScsiTapeDrive {
  let position: TapePosition | null = null;
  let mode: DriveMode | null = null;
  let limits: BlockLimits | null = null;
  /** Of the cartridge that is loaded. */
  let isSpaceProtected = false;

  /** Whatever goes wrong in `work`, the place is unknown unless `work` has said otherwise. */
  const moving = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      position = null;
      if (unit.takeAttention() !== null) mode = null;
      throw error;
    }
  };
  const known = (): { readonly position: TapePosition; readonly mode: DriveMode } => {
    if (position !== null && mode !== null) return { position, mode };
    throw new DeviceError(
      'transient',
      `${unit.path}: it is not known where the tape stands (after a failure, a reset or before loading). Rewind it first.`,
    );
  };
  const step = (command: Step, signal: AbortSignal): Promise<ScsiResult> =>
    unit.run({ ...command, signal, onAttention: 'fail' });

  /** After a load or a reset: how the drive has to treat blocks. */
  const prepare = async (signal: AbortSignal): Promise<void> => {
    await unit.settle(signal);
    if (unit.takeAttention() !== null) mode = null;
    if (mode !== null) return;
    const found = await readMode(unit, signal);
    await setVariableBlocks(unit, found, signal);
    limits = await readBlockLimits(unit, signal);
    mode = { ...found, blockBytes: 0 };
  };
  const rewind = (signal: AbortSignal): Promise<void> =>
    moving(async () => {
      await prepare(signal);
      await step({ cdb: rewindCdb, timeoutMs: rewindMs, doing: 'rewinding' }, signal);
      position = beginning;
    });
  /** Drives without the command hold their cartridge by themselves. */
  const preventRemoval = async (isPrevented: boolean, signal: AbortSignal): Promise<void> => {
    try {
      const doing = isPrevented ? 'locking the cartridge' : 'unlocking the cartridge';
      const command = { cdb: preventRemovalCdb(isPrevented), timeoutMs: quickMs, signal, doing };
      await unit.run({ ...command, onAttention: 'repeat' });
    } catch (error) {
      const sense = senseOf(error);
      if (!isUnsupported(sense) && sense?.key !== senseKey.notReady) throw error;
    }
  };
  const unlock = async (signal: AbortSignal): Promise<void> => {
    await unit.settle(signal).catch((error: unknown) => {
      // A cartridge that cannot be used, for whatever reason, has to come out all the same.
      if (senseOf(error) === null) throw error;
    });
    unit.takeAttention();
    position = null;
    mode = null;
    await preventRemoval(false, signal);
  };
  const checkLength = (bytes: number): void => {
    const most = limits?.most || mostBlockBytes;
    const least = Math.max(1, limits?.least ?? 1);
    if (Number.isInteger(bytes) && bytes >= least && bytes <= most) return;
    throw new DeviceError(
      'permanent',
      `${unit.path}: a block of ${bytes} bytes is not possible; the drive takes ${least} to ${most}.`,
    );
  };
  /** Not written for want of room: the place is the same as before. */
  const withRoom = async (work: () => Promise<void>): Promise<void> => {
    const before = position;
    try {
      await moving(work);
    } catch (error) {
      const sense = senseOf(error);
      if (sense?.key === senseKey.volumeOverflow && !sense.deferred) position = before;
      throw error;
    }
  };

  /** There are devices that skip nothing on a protected tape; reading, which they do, comes to the same place. */
  const readOver = async (
    from: TapePosition,
    count: number,
    doing: string,
    signal: AbortSignal,
  ): Promise<void> => {
    for (let left = count; left > 0; ) {
      const met = await readBlock(unit, { maxBytes: mostReadOver, timeoutMs: dataMs, doing }, signal);
      if (met.kind === 'endOfData') {
        throw new DeviceError('notFound', `${unit.path}: ${doing}: the data end before.`);
      }
      if (met.kind === 'filemark') left -= 1;
    }
    position = afterFilemarks(from, count);
  };

  return {
    get position() {
      return position;
    },
    get mode() {
      return mode;
    },
    get limits() {
      return limits;
    },
    load: (signal) =>
      moving(async () => {
        await waitUntilReady(unit, signal);
        mode = null;
        isSpaceProtected = false;
        await rewind(signal);
        await preventRemoval(true, signal);
        return { isWriteProtected: known().mode.isWriteProtected };
      }),
    unload: (signal) =>
      moving(async () => {
        await unlock(signal);
        await ejectCartridge(unit, signal);
      }),
    letGo: (signal) =>
      moving(async () => {
        await unlock(signal);
        await rewindLoaded(unit, signal);
      }),
    rewind,
    skipFilemarks: async (count, signal) => {
      const { position: from } = known();
      if (!Number.isInteger(count) || count < 0 || count > mostFilemarks) {
        throw new DeviceError('permanent', `${unit.path}: ${count} filemarks cannot be skipped.`);
      }
      if (count === 0) return;
      const doing = `skipping ${count} filemarks from ${positionText(from)}`;
      await moving(async () => {
        if (isSpaceProtected) return readOver(from, count, doing, signal);
        const command = { cdb: spaceFilemarksCdb(count), timeoutMs: spaceMs, doing };
        const ended = await step(command, signal).then(
          ({ sense }) => sense,
          (error: unknown) => {
            const sense = senseOf(error);
            if (sense?.key === senseKey.blankCheck) return sense;
            if (sense?.key === senseKey.dataProtect) return sense;
            throw error;
          },
        );
        if (ended?.key === senseKey.dataProtect) {
          isSpaceProtected = true;
          return readOver(from, count, doing, signal);
        }
        // Some devices meet the end of the data without calling it an error.
        const isShort = ended !== null && (ended.key === senseKey.blankCheck || ended.ascq === 0x05);
        if (isShort) {
          throw new DeviceError('notFound', `${unit.path}: ${doing}: the data end before.`, { cause: ended });
        }
        position = afterFilemarks(from, count);
      });
    },
    goToEndOfData: (signal) =>
      moving(async () => {
        await prepare(signal);
        await step({ cdb: spaceToEndCdb, timeoutMs: spaceMs, doing: 'going to the end of the data' }, signal);
        position = endOfData;
      }),
    read: async (maxBytes, signal): Promise<TapeRead> => {
      const { position: from } = known();
      if (!Number.isInteger(maxBytes) || maxBytes < 1 || maxBytes > mostBlockBytes) {
        throw new DeviceError('permanent', `${unit.path}: ${maxBytes} bytes cannot be read at once.`);
      }
      const doing = `reading ${positionText(from)}`;
      return moving(async () => {
        // Asked for twice as much, no device has to go back for a short block, which a protected tape might refuse.
        const asked = isSpaceProtected ? Math.min(2 * maxBytes, mostBlockBytes) : maxBytes;
        const met = await readBlock(unit, { maxBytes: asked, timeoutMs: dataMs, doing }, signal);
        if (met.kind === 'block' && met.data.length > maxBytes) {
          throw new DeviceError('corrupt', `${unit.path}: ${doing}: the block has ${met.data.length} bytes.`);
        }
        if (met.kind === 'filemark') position = afterFilemarks(from, 1);
        if (met.kind === 'block') position = afterBlock(from);
        return met;
      });
    },
    write: async (block, signal) => {
      const { position: from } = known();
      checkLength(block.length);
      const doing = `writing ${positionText(from)}`;
      let isNearEnd = false;
      await withRoom(async () => {
        const command = { cdb: writeCdb(block.length), dataOut: block, timeoutMs: dataMs, doing };
        isNearEnd = (await step(command, signal)).sense?.endOfMedium ?? false;
        position = afterBlock(from);
      });
      return isNearEnd;
    },
    writeFilemarks: async (count, signal) => {
      const { position: from } = known();
      if (!Number.isInteger(count) || count < 0 || count > mostFilemarks) {
        throw new DeviceError('permanent', `${unit.path}: ${count} filemarks cannot be written.`);
      }
      const doing =
        count === 0
          ? 'making sure that all is written'
          : `writing ${count} filemarks at ${positionText(from)}`;
      let isNearEnd = false;
      await withRoom(async () => {
        const command = { cdb: writeFilemarksCdb(count), timeoutMs: filemarksMs, doing };
        isNearEnd = (await step(command, signal)).sense?.endOfMedium ?? false;
        position = afterFilemarks(from, count);
      });
      return isNearEnd;
    },
    readPosition: async (signal) => {
      try {
        const command = { cdb: readPositionCdb, dataIn: 20, timeoutMs: quickMs, doing: 'asking where it is' };
        const { data } = await step(command, signal);
        // Bit 2: the drive does not know.
        return data.length < 20 || (data.readUInt8(0) & 0x04) !== 0 ? null : data.readUInt32BE(4);
      } catch (error) {
        if (isUnsupported(senseOf(error))) return null;
        throw error;
      }
    },
    locate: (block, signal) =>
      moving(async () => {
        if (!Number.isInteger(block) || block < 0 || block > 0xffff_ffff) {
          throw new DeviceError('permanent', `${unit.path}: ${block} is no block number.`);
        }
        await prepare(signal);
        const doing = `going to logical block ${block}`;
        await step({ cdb: locateCdb(block), timeoutMs: spaceMs, doing }, signal);
        position = block === 0 ? beginning : { file: null, block };
      }),
    health: async (signal) => {
      const alerts = await readTapeAlerts(unit, signal);
      const isTold = alerts?.some((flag) => cleaningFlags.includes(flag)) ?? false;
      return { alerts, needsCleaning: isTold || unit.asksForCleaning };
    },
    clean: (signal) =>
      moving(async () => {
        position = null;
        mode = null;
        return waitForCleaning(unit, signal);
      }),
    close: closeTransport,
  };
}
