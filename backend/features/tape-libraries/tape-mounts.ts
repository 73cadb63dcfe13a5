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
import { barcodeKey, barcodeText, readBarcode } from './inventory-rules.ts';
import type { LibraryDevices } from './library-devices.ts';
import { createTapeDeviceStore, type StoredDevice } from './tape-device-store.ts';
import { type TapeSettings, unloadPatience } from './tape-settings.ts';
import { type Cartridge, createTapeStore } from './tape-store.ts';

export interface TapeMounts {
  /**
   * Brings a cartridge into a drive, loads it, and brings it back after the work. Waits while the cartridge or all drives are
   * in use, so that two who want the same never meet. Rejects with a `DeviceError`; `CartridgeMissing` when the robot has not got it.
   */
  withCartridge<R>(
    cartridgeId: number,
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
  /** A cartridge of it is in use. */
  isBusy(libraryId: number): boolean;
  /** The server stops: what is in a drive stays there, since a robot may take minutes. The next use finds it. */
  stop(): void;
}

/** A cartridge that a person has to bring; the message says which and where to. */
export class CartridgeMissing extends DeviceError {
  constructor(cartridge: Pick<Cartridge, 'barcode' | 'pool'>) {
    super(
      'notFound',
      `The cartridge ${cartridge.barcode} is not in the library of pool ${cartridge.pool}; put it in and synchronise the library.`,
    );
    this.name = 'CartridgeMissing';
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
  const place = async (cartridgeId: number, element: LibraryElement | null): Promise<void> =>
    createCartridgeStore(db).place(cartridgeId, {
      location: element?.kind ?? 'outside',
      elementAddress: element?.address ?? null,
    });

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
        await place(cartridge.id, null);
        throw new CartridgeMissing(cartridge);
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
        throw new DeviceError('busy', `The cartridge ${cartridge.barcode} is in another drive; try again.`);
      }
      if (target.full) await clear(changer, drive, { element: target, elements }, signal);
      await changer.move(from.address, target.address, signal);
      await place(cartridge.id, target);
      return from;
    });

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
    withCartridge: (cartridgeId, signal, work, tell = noTelling) =>
      inTurn(`cartridge ${cartridgeId}`, async () => {
        signal.throwIfAborted();
        const [cartridge] = await createTapeStore(db).some([cartridgeId]);
        if (!cartridge) throw new DeviceError('notFound', 'The cartridge is registered no longer.');
        const { libraryId } = cartridge;
        inUse.set(libraryId, (inUse.get(libraryId) ?? 0) + 1);
        try {
          const drive = await takeDrive(cartridge, signal);
          try {
            const home = await bring(cartridge, drive);
            try {
              return await devices.withDrive(drive.sgPath, signal, async (opened, inside) => {
                try {
                  await note(cartridge, await opened.load(inside));
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
          } finally {
            drives.release(libraryId, drive.id);
          }
        } finally {
          inUse.set(libraryId, (inUse.get(libraryId) ?? 1) - 1);
        }
      }),
  };
}

const isPlacedDrive = ({ kind, elementAddress }: StoredDevice): boolean =>
  kind === 'drive' && elementAddress !== null;

const noTelling: Tell = () => undefined;
