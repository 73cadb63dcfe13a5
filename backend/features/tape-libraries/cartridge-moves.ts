import type { Db } from '../../db/index.ts';
import { DeviceError, type LibraryElement, type MediaChanger } from '../../engine/index.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import { CartridgeMissing, CartridgeNotMoved, InOtherDrive } from './cartridge-errors.ts';
import { createCartridgeStore } from './cartridge-store.ts';
import {
  barcodeKey,
  barcodeText,
  placeElements,
  placeName,
  readBarcode,
  unreadableIn,
} from './inventory-rules.ts';
import type { LibraryDevices } from './library-devices.ts';
import { createDriveRelease } from './release-drive.ts';
import { createTapeDeviceStore, type StoredDevice } from './tape-device-store.ts';
import { type TapeSettings, unloadPatience } from './tape-settings.ts';
import { type Cartridge, createTapeStore } from './tape-store.ts';

/** What the robot of a library does with cartridges, and what is noted of where they are. Who uses which drive is told elsewhere. */
export interface CartridgeMoves {
  /** Work with the robot of a library while nothing is brought to a drive or back. */
  withRobot<R>(
    libraryId: number,
    work: (changer: MediaChanger, signal: AbortSignal) => Promise<R>,
  ): Promise<R>;
  /**
   * Answers where the cartridge came from; null when it was in the drive already. Rejects with `CartridgeMissing`,
   * `InOtherDrive` or `CartridgeNotMoved`, or another `DeviceError`.
   */
  bring(cartridge: Cartridge, drive: StoredDevice): Promise<LibraryElement | null>;
  /** Whether a failure came of an empty drive; then nobody knows more than that the cartridge is not in the library. */
  isPulled(error: unknown, cartridge: Cartridge, drive: StoredDevice): Promise<boolean>;
  /** A cartridge that cannot be brought back stays in its drive, which says so; the work is done all the same. */
  takeBack(cartridge: Cartridge, drive: StoredDevice, home: LibraryElement | null): Promise<void>;
  /** Brings what is in it to a slot. */
  emptyDrive(libraryId: number, drive: StoredDevice): Promise<void>;
}

/** `isStopping`: the server ends; what is in a drive stays there, since a robot may take minutes. */
export function createCartridgeMoves(deps: {
  readonly db: Db;
  readonly log: Log;
  readonly announce: Announce;
  readonly devices: LibraryDevices;
  readonly configuration: TapeSettings;
  readonly isStopping: () => boolean;
}): CartridgeMoves {
  const { db, log, devices, isStopping } = deps;
  const release = createDriveRelease(deps);

  const changerOf = async (libraryId: number): Promise<StoredDevice> => {
    const own = await createTapeDeviceStore(db).ofLibrary(libraryId);
    const changer = own.find(({ kind }) => kind === 'changer');
    if (changer) return changer;
    throw new DeviceError('notFound', 'The robot of the library is not known; synchronise it.');
  };
  const withRobot: CartridgeMoves['withRobot'] = async (libraryId, work) => {
    const changer = await changerOf(libraryId);
    return devices.withChanger(changer.sgPath, work);
  };
  const place = async (
    { id, libraryId }: Pick<Cartridge, 'id' | 'libraryId'>,
    element: LibraryElement | 'outside' | 'unknown',
  ): Promise<void> => {
    const at =
      typeof element === 'string'
        ? { location: element, elementAddress: null }
        : { location: element.kind, elementAddress: element.address };
    await createCartridgeStore(db).place(id, at);
    // Who looks at the board sees the robot at work.
    deps.announce({ kind: 'library', action: 'changed', id: libraryId });
  };

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
    await release(drive, signal);
    await changer.move(at.element.address, slot.address, signal);
    const text = barcodeText(at.element);
    const known = (await createTapeStore(db).all()).find(
      ({ barcode }) => text !== null && barcodeKey(barcode) === barcodeKey(text),
    );
    if (known) await place(known, slot);
  };

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
        await place(cartridge, unreadable.length === 0 ? 'outside' : 'unknown');
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
        await place(cartridge, from);
        throw new InOtherDrive(cartridge);
      }
      if (target.full) await clear(changer, drive, { element: target, elements }, signal);
      try {
        await changer.move(from.address, target.address, signal);
      } catch (error) {
        throw await notMoved(error, { cartridge, changer, from, elements }, signal);
      }
      await place(cartridge, target);
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
      await place(cartridge, now ?? 'unknown');
      if (now?.address === from.address)
        await createTapeStore(db).change(cartridge.id, { moveFailure: error.message });
    } catch (later) {
      log.warn('the place of a cartridge is not known', { barcode: cartridge.barcode, error: later });
      await place(cartridge, 'unknown');
    }
    deps.announce({ kind: 'library', action: 'changed', id: cartridge.libraryId });
    return failure;
  };

  const isPulled = async (error: unknown, cartridge: Cartridge, drive: StoredDevice): Promise<boolean> => {
    // A drive tells of it as one without a cartridge, or first as of a change.
    const isSign = error instanceof DeviceError && (error.kind === 'notFound' || error.kind === 'transient');
    if (!isSign || isStopping()) return false;
    try {
      return await withRobot(cartridge.libraryId, async (changer, signal) => {
        const elements = await changer.inventory(signal);
        const key = barcodeKey(cartridge.barcode);
        const isThere = elements.some((element) => barcodeKey(barcodeText(element) ?? '') === key);
        const own = elements.find(({ address }) => address === drive.elementAddress);
        if (isThere || own === undefined || own.full) return false;
        await place(cartridge, unreadableIn(elements).length === 0 ? 'outside' : 'unknown');
        deps.announce({ kind: 'library', action: 'changed', id: cartridge.libraryId });
        return true;
      });
    } catch (later) {
      log.warn('it was not found out whether a cartridge was pulled', {
        barcode: cartridge.barcode,
        error: later,
      });
      return false;
    }
  };

  const takeBack = async (
    cartridge: Cartridge,
    drive: StoredDevice,
    home: LibraryElement | null,
  ): Promise<void> => {
    if (isStopping()) return;
    try {
      const patience = await unloadPatience(deps.configuration);
      await release(drive, patience);
      await withRobot(cartridge.libraryId, async (changer, signal) => {
        const elements = await changer.inventory(signal);
        const own = elements.find(({ address }) => address === drive.elementAddress);
        // A person has pulled it out.
        if (own !== undefined && !own.full) return;
        const now = elements.find(({ address }) => address === home?.address);
        const slot = now && !now.full ? now : free(elements);
        if (slot === null || drive.elementAddress === null) return;
        await changer.move(drive.elementAddress, slot.address, signal);
        await place(cartridge, slot);
      });
    } catch (error) {
      log.warn('a cartridge was not brought back to its slot', { barcode: cartridge.barcode, error });
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

  return { withRobot, bring, isPulled, takeBack, emptyDrive };
}

const free = (elements: readonly LibraryElement[]): LibraryElement | null =>
  elements.find(({ kind, full }) => kind === 'storage' && !full) ?? null;
