import type { Db } from '../../db/index.ts';
import {
  DeviceError,
  type LibraryElement,
  type LoadedTape,
  type MediaChanger,
  type TapeDrive,
} from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { createInTurn } from '../../platform/in-turn.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import { createCartridgeStore } from './cartridge-store.ts';
import { createDriveCare, type Tell } from './drive-care.ts';
import { createDriveQueue } from './drive-queue.ts';
import {
  barcodeKey,
  barcodeText,
  placeElements,
  placeName,
  readBarcode,
  unreadableIn,
} from './inventory-rules.ts';
import type { LibraryDevices } from './library-devices.ts';
import { createTapeDeviceStore, type StoredDevice } from './tape-device-store.ts';
import { type TapeSettings, unloadPatience } from './tape-settings.ts';
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

/** A cartridge that a person has to bring; the message says which and where to. */
export class CartridgeMissing extends DeviceError {
  /** `unreadable`: places with a cartridge that may be this one. */
  constructor({ barcode, pool }: Pick<Cartridge, 'barcode' | 'pool'>, unreadable: readonly string[] = []) {
    const seen = `The robot does not see the cartridge ${barcode} in the library of pool ${pool}`;
    super(
      'notFound',
      unreadable.length === 0
        ? `The cartridge ${barcode} is not in the library of pool ${pool}; put it in and synchronise the library.`
        : `${seen}, and cannot read the barcode in ${unreadable.join(', ')}: look there, put ${barcode} in with a readable barcode and synchronise the library.`,
    );
    this.name = 'CartridgeMissing';
  }
}

/** Somebody has moved it since it was looked up; the drive that it is in serves as well, where it is one of this server. */
class InOtherDrive extends DeviceError {
  constructor({ barcode }: Pick<Cartridge, 'barcode'>) {
    super('busy', `The cartridge ${barcode} is in another drive; bring it to a slot, or try again.`);
    this.name = 'InOtherDrive';
  }
}

/** The robot could not bring a cartridge to a drive, though it was there; another one may do. */
export class CartridgeNotMoved extends DeviceError {
  constructor(cartridge: Pick<Cartridge, 'barcode'>, where: string, cause: DeviceError) {
    super(
      cause.kind,
      `The robot could not bring the cartridge ${cartridge.barcode} from ${where} to its drive: ${cause.message} Look at the robot and at that place, then synchronise the library.`,
      { cause },
    );
    this.name = 'CartridgeNotMoved';
  }
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

  const changerOf = async (libraryId: number): Promise<StoredDevice> => {
    const own = await createTapeDeviceStore(db).ofLibrary(libraryId);
    const changer = own.find(({ kind }) => kind === 'changer');
    if (changer) return changer;
    throw new DeviceError('notFound', 'The robot of the library is not known; synchronise it.');
  };
  const withRobot: TapeMounts['withRobot'] = async (libraryId, work) => {
    const changer = await changerOf(libraryId);
    return devices.withChanger(changer.sgPath, work);
  };
  const care = createDriveCare({ ...deps, withRobot });
  const place = async (
    cartridgeId: number,
    element: LibraryElement | 'outside' | 'unknown',
  ): Promise<void> => {
    const at =
      typeof element === 'string'
        ? { location: element, elementAddress: null }
        : { location: element.kind, elementAddress: element.address };
    await createCartridgeStore(db).place(cartridgeId, at);
  };

  const note = async (cartridge: Cartridge, { isWriteProtected }: LoadedTape): Promise<void> => {
    if (isWriteProtected === cartridge.isWriteProtected) return;
    await createTapeStore(db).change(cartridge.id, { isWriteProtected });
    deps.announce({ kind: 'library', action: 'changed', id: cartridge.libraryId });
  };

  const free = (elements: readonly LibraryElement[]): LibraryElement | null =>
    elements.find(({ kind, full }) => kind === 'storage' && !full) ?? null;

  /** Takes out of a drive what somebody has left in it. */
  const clear = async (
    changer: MediaChanger,
    drive: StoredDevice,
    at: { readonly element: LibraryElement; readonly elements: readonly LibraryElement[] },
    signal: AbortSignal,
  ): Promise<void> => {
    const slot = free(at.elements);
    if (slot === null)
      throw new DeviceError('busy', `${drive.sgPath} is full, and no slot is free for its cartridge.`);
    await devices.withDrive(drive.sgPath, signal, (opened, inside) => opened.unload(inside));
    await changer.move(at.element.address, slot.address, signal);
    const text = barcodeText(at.element);
    const known = (await createTapeStore(db).all()).find(
      ({ barcode }) => text !== null && barcodeKey(barcode) === barcodeKey(text),
    );
    if (known) await place(known.id, slot);
  };

  /** Where the cartridge came from; null when it was in the drive already. */
  const bring = (cartridge: Cartridge, drive: StoredDevice): Promise<LibraryElement | null> =>
    withRobot(cartridge.libraryId, async (changer, signal) => {
      const elements = await changer.inventory(signal);
      const same = elements.filter((element) => {
        const barcode = readBarcode(element);
        return barcode.kind === 'readable' && barcodeKey(barcode.text) === barcodeKey(cartridge.barcode);
      });
      const [from, twin] = same;
      if (from === undefined) {
        const unreadable = unreadableIn(elements);
        await place(cartridge.id, unreadable.length === 0 ? 'outside' : 'unknown');
        throw new CartridgeMissing(cartridge, unreadable);
      }
      if (twin !== undefined) {
        throw new DeviceError(
          'permanent',
          `The barcode ${cartridge.barcode} is on more than one cartridge; take all but one out.`,
        );
      }
      const target = elements.find(
        (element) => element.kind === 'drive' && element.address === drive.elementAddress,
      );
      if (target === undefined) {
        throw new DeviceError(
          'notFound',
          `${drive.sgPath} is not matched to a place of the library; synchronise it.`,
        );
      }
      if (from.address === target.address) return null;
      if (from.kind === 'drive') {
        await place(cartridge.id, from);
        throw new InOtherDrive(cartridge);
      }
      if (target.full) await clear(changer, drive, { element: target, elements }, signal);
      try {
        await changer.move(from.address, target.address, signal);
      } catch (error) {
        throw await notMoved(error, { cartridge, changer, from, elements }, signal);
      }
      await place(cartridge.id, target);
      return from;
    });

  /** Finds out where the cartridge is after a move that failed, and notes it there. */
  const notMoved = async (
    error: unknown,
    at: {
      readonly cartridge: Cartridge;
      readonly changer: MediaChanger;
      readonly from: LibraryElement;
      readonly elements: readonly LibraryElement[];
    },
    signal: AbortSignal,
  ): Promise<unknown> => {
    const { cartridge, changer, from, elements } = at;
    // Busy: nothing was moved, and nothing says that this cartridge is the reason.
    const isItsFault =
      error instanceof DeviceError && !['busy', 'cancelled', 'transient'].includes(error.kind);
    if (!isItsFault || signal.aborted) return error;
    const source = placeElements(elements).find(({ element }) => element.address === from.address);
    const failure = new CartridgeNotMoved(
      cartridge,
      source ? placeName(source) : String(from.address),
      error,
    );
    try {
      const now = (await changer.inventory(signal)).find(
        (element) => barcodeKey(barcodeText(element) ?? '') === barcodeKey(cartridge.barcode),
      );
      await place(cartridge.id, now ?? 'unknown');
      if (now?.address === from.address)
        await createTapeStore(db).change(cartridge.id, { moveFailure: error.message });
    } catch (later) {
      log.warn('the place of a cartridge is not known', { barcode: cartridge.barcode, error: later });
      await place(cartridge.id, 'unknown');
    }
    deps.announce({ kind: 'library', action: 'changed', id: cartridge.libraryId });
    return failure;
  };

  /** A cartridge that cannot be brought back stays in its drive, which says so; the work is done all the same. */
  const takeBack = async (
    cartridge: Cartridge,
    drive: StoredDevice,
    home: LibraryElement | null,
  ): Promise<void> => {
    if (isStopping) return;
    try {
      const patience = await unloadPatience(deps.configuration);
      await devices.withDrive(drive.sgPath, patience, (opened, signal) => opened.unload(signal));
      await withRobot(cartridge.libraryId, async (changer, signal) => {
        const elements = await changer.inventory(signal);
        const now = elements.find(({ address }) => address === home?.address);
        const slot = now && !now.full ? now : free(elements);
        if (slot === null || drive.elementAddress === null) return;
        await changer.move(drive.elementAddress, slot.address, signal);
        await place(cartridge.id, slot);
      });
    } catch (error) {
      log.warn('a cartridge was not brought back to its slot', { barcode: cartridge.barcode, error });
    }
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

  const emptyDrive = async (libraryId: number, drive: StoredDevice): Promise<void> => {
    await withRobot(libraryId, async (changer, signal) => {
      const elements = await changer.inventory(signal);
      const element = elements.find(
        ({ kind, address }) => kind === 'drive' && address === drive.elementAddress,
      );
      if (element?.full) await clear(changer, drive, { element, elements }, signal);
    });
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
    const home = await tellWhileSlow(bring(cartridge, drive), tell, bringing);
    try {
      return await devices.withDrive(drive.sgPath, signal, async (opened, inside) => {
        try {
          const loading = `waiting for ${drive.sgPath} to load ${barcode}`;
          await note(cartridge, await tellWhileSlow(opened.load(inside), tell, loading));
          await care.look(drive, opened, tell);
          return await work(opened, inside);
        } finally {
          // After what went wrong, and before the cartridge goes. A server that stops asks nothing more.
          if (!inside.aborted) await care.look(drive, opened, tell);
        }
      });
    } finally {
      await takeBack(cartridge, drive, home);
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
          (drive) => emptyDrive(libraryId, drive),
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
