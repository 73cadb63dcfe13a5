import type { Db } from '../../db/index.ts';
import { DeviceError, type LoadedTape, type MediaChanger, type TapeDrive } from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { createInTurn } from '../../platform/in-turn.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import { CartridgePulled, InOtherDrive } from './cartridge-errors.ts';
import { createCartridgeMoves } from './cartridge-moves.ts';
import { createDriveCare, type Tell } from './drive-care.ts';
import { createDriveQueue } from './drive-queue.ts';
import type { LibraryDevices } from './library-devices.ts';
import { onceMore } from './once-more.ts';
import { createTapeDeviceStore, type StoredDevice } from './tape-device-store.ts';
import type { TapeSettings } from './tape-settings.ts';
import { type Cartridge, createTapeStore } from './tape-store.ts';
import { tellWhileSlow } from './tell-while-slow.ts';

export interface TapeMounts {
  /**
   * Brings a cartridge into a drive, loads it, and brings it back after the work. Waits while the cartridge or all drives are
   * in use, so that two who want the same never meet. Rejects with a `DeviceError`; `CartridgeMissing` when the robot has not got it.
   */
  withCartridge<R>(
    cartridge: Pick<Cartridge, 'id' | 'libraryId'>,
    signal: AbortSignal,
    work: (drive: TapeDrive, signal: AbortSignal) => Promise<R>,
    /** Where what drives tell of themselves is written down, beside the server's log. */
    tell?: Tell,
  ): Promise<R>;
  /** Work with the robot of a library while nothing is brought to a drive or back. */
  withRobot<R>(
    libraryId: number,
    work: (changer: MediaChanger, signal: AbortSignal) => Promise<R>,
  ): Promise<R>;
  /** Brings what is in free drives of a library to slots. Never rejects: what fails is in the log. */
  emptyDrives(libraryId: number): Promise<void>;
  /** Cleans the free drives of a library that the schedule wants cleaned. Never rejects: what fails is in the log. */
  cleanDue(libraryId: number): Promise<void>;
  /** Drives that a robot can fill, by library. */
  countDrives(): Promise<ReadonlyMap<number, number>>;
  /** `withCartridge` would begin at once: nobody uses the cartridge, and not all of so many drives have a user. */
  isFree(cartridge: Pick<Cartridge, 'id' | 'libraryId'>, drives: number): boolean;
  /** A cartridge of it is in use. */
  isBusy(libraryId: number): boolean;
  /** The server stops: what is in a drive stays there, since a robot may take minutes. The next use finds it. */
  stop(): void;
}

export function createTapeMounts(deps: {
  readonly db: Db;
  readonly log: Log;
  readonly clock: Clock;
  readonly announce: Announce;
  readonly devices: LibraryDevices;
  readonly configuration: TapeSettings;
}): TapeMounts {
  const { db, log, devices } = deps;
  const inTurn = createInTurn();
  const drives = createDriveQueue();
  const inUse = new Map<number, number>();
  /** Cartridges that somebody uses or waits for, with their library. */
  const wanted = new Map<number, { readonly libraryId: number; count: number }>();
  let isStopping = false;

  const moves = createCartridgeMoves({ ...deps, isStopping: () => isStopping });
  const { withRobot } = moves;
  const care = createDriveCare({ ...deps, withRobot });
  const note = async (cartridge: Cartridge, { isWriteProtected }: LoadedTape): Promise<void> => {
    if (isWriteProtected === cartridge.isWriteProtected) return;
    await createTapeStore(db).change(cartridge.id, { isWriteProtected });
    deps.announce({ kind: 'library', action: 'changed', id: cartridge.libraryId });
  };

  const ownDrives = async (cartridge: Cartridge): Promise<readonly StoredDevice[]> => {
    const own = await createTapeDeviceStore(db).ofLibrary(cartridge.libraryId);
    const placed = own.filter(isPlacedDrive);
    // One that has the cartridge already needs no robot.
    const has = ({ elementAddress }: StoredDevice): boolean =>
      cartridge.location === 'drive' && elementAddress === cartridge.elementAddress;
    if (placed.some(has)) return placed.filter(has);
    if (placed.length > 0) return placed;
    throw new DeviceError(
      'notFound',
      'No drive of the library is matched to its place; synchronise the library.',
    );
  };

  const takeDrive = async (cartridge: Cartridge, signal: AbortSignal): Promise<StoredDevice> => {
    for (;;) {
      const taken = drives.take(await ownDrives(cartridge));
      if (taken !== null) return taken;
      await drives.wait(cartridge.libraryId, signal);
    }
  };

  /** Those that nobody uses and that `isWanted`, one after the other. */
  const withFreeDrives = async (
    libraryId: number,
    isWanted: (drive: StoredDevice) => Promise<boolean>,
    work: (drive: StoredDevice) => Promise<void>,
  ): Promise<void> => {
    for (const drive of (await createTapeDeviceStore(db).ofLibrary(libraryId)).filter(isPlacedDrive)) {
      if (isStopping || !(await isWanted(drive)) || drives.take([drive]) === null) continue;
      inUse.set(libraryId, (inUse.get(libraryId) ?? 0) + 1);
      try {
        await work(drive);
      } finally {
        inUse.set(libraryId, (inUse.get(libraryId) ?? 1) - 1);
        drives.release(libraryId, drive.id);
      }
    }
  };

  interface Use<R> {
    readonly signal: AbortSignal;
    readonly work: (drive: TapeDrive, signal: AbortSignal) => Promise<R>;
    readonly tell: Tell;
  }

  const inDrive = async <R>(
    at: { readonly cartridge: Cartridge; readonly drive: StoredDevice },
    { signal, work, tell }: Use<R>,
  ): Promise<R> => {
    const { cartridge, drive } = at;
    const { barcode } = cartridge;
    const bringing = `waiting for the robot to bring ${barcode} to ${drive.sgPath}`;
    const home = await tellWhileSlow(moves.bring(cartridge, drive), tell, bringing);
    try {
      return await devices.withDrive(drive.sgPath, signal, async (opened, inside) => {
        try {
          const loading = `waiting for ${drive.sgPath} to load ${barcode}`;
          const load = () => tellWhileSlow(opened.load(inside), tell, loading);
          const again = `${barcode} is looked for in the drive once more.`;
          await note(cartridge, await onceMore(load, { signal: inside, log: tell }, again));
          await care.look(drive, opened, tell);
          return await work(opened, inside);
        } finally {
          // After what went wrong, and before the cartridge goes. A server that stops asks nothing more.
          if (!inside.aborted) await care.look(drive, opened, tell);
        }
      });
    } catch (error) {
      throw (await moves.isPulled(error, cartridge, drive))
        ? new CartridgePulled(cartridge, drive.sgPath)
        : error;
    } finally {
      await moves.takeBack(cartridge, drive, home);
      if (!isStopping) await care.cleanWhereNeeded(drive, tell);
    }
  };

  const borrow = async <R>(cartridgeId: number, use: Use<R>): Promise<R> => {
    for (let isMoved = false; ; isMoved = true) {
      use.signal.throwIfAborted();
      const [cartridge] = await createTapeStore(db).some([cartridgeId]);
      if (!cartridge) throw new DeviceError('notFound', 'The cartridge is registered no longer.');
      const { libraryId } = cartridge;
      inUse.set(libraryId, (inUse.get(libraryId) ?? 0) + 1);
      try {
        const drive = await takeDrive(cartridge, use.signal);
        try {
          return await inDrive({ cartridge, drive }, use);
        } finally {
          drives.release(libraryId, drive.id);
        }
      } catch (error) {
        // Its own drive is the next one that is asked for.
        if (!(error instanceof InOtherDrive) || isMoved) throw error;
      } finally {
        inUse.set(libraryId, (inUse.get(libraryId) ?? 1) - 1);
      }
    }
  };

  return {
    withRobot,
    emptyDrives: async (libraryId) => {
      try {
        // One that is in use already is emptied by its user.
        await withFreeDrives(
          libraryId,
          async () => true,
          (drive) => moves.emptyDrive(libraryId, drive),
        );
      } catch (error) {
        log.warn('the drives of a tape library were not emptied', { library: libraryId, error });
      }
    },
    cleanDue: async (libraryId) => {
      try {
        await withFreeDrives(libraryId, care.isDueNow, (drive) => care.cleanWhereNeeded(drive, noTelling));
      } catch (error) {
        log.warn('the drives of a tape library were not looked at for cleaning', {
          library: libraryId,
          error,
        });
      }
    },
    isBusy: (libraryId) => (inUse.get(libraryId) ?? 0) > 0,
    stop: () => {
      isStopping = true;
    },
    countDrives: async () => {
      const counts = new Map<number, number>();
      for (const { libraryId } of (await createTapeDeviceStore(db).ofLibraries()).filter(isPlacedDrive)) {
        if (libraryId !== null) counts.set(libraryId, (counts.get(libraryId) ?? 0) + 1);
      }
      return counts;
    },
    isFree: ({ id, libraryId }, count) =>
      !wanted.has(id) && [...wanted.values()].filter((one) => one.libraryId === libraryId).length < count,
    withCartridge: async (cartridge, signal, work, tell = noTelling) => {
      const { id } = cartridge;
      const mine = wanted.get(id) ?? { libraryId: cartridge.libraryId, count: 0 };
      mine.count += 1;
      wanted.set(id, mine);
      try {
        return await inTurn(`cartridge ${id}`, () => borrow(id, { signal, work, tell }));
      } finally {
        mine.count -= 1;
        if (mine.count === 0) wanted.delete(id);
      }
    },
  };
}

const isPlacedDrive = ({ kind, elementAddress }: StoredDevice): boolean =>
  kind === 'drive' && elementAddress !== null;

const noTelling: Tell = () => undefined;
