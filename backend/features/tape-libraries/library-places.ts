import type { CartridgeMove, LibraryElementRecord } from '../../../contract/cartridges/cartridge.ts';
import type { Db } from '../../db/index.ts';
import type { LibraryElement } from '../../engine/index.ts';
import { invalidField, notFound, Refusal } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import { createCartridgeStore } from './cartridge-store.ts';
import { describeDeviceProblem } from './device-problem.ts';
import { barcodeKey, barcodeText, placeElements } from './inventory-rules.ts';
import type { LibraryDevices } from './library-devices.ts';
import { createDriveRelease } from './release-drive.ts';
import { createTapeDeviceStore } from './tape-device-store.ts';
import { createTapeLibraryStore } from './tape-library-store.ts';
import type { TapeMounts } from './tape-mounts.ts';
import { createTapeStore } from './tape-store.ts';

/** The places of a library as its robot tells them, and what a person moves between them. */
export interface LibraryPlaces {
  /** What the robot refuses is told of `field`. */
  read(libraryId: number, field: string): Promise<readonly LibraryElement[]>;
  slots(libraryId: number): Promise<LibraryElementRecord[]>;
  /** Refused while a cartridge of the library is in use. */
  move(libraryId: number, move: CartridgeMove): Promise<CartridgeMove>;
}

export function createLibraryPlaces(deps: {
  readonly db: Db;
  readonly log: Log;
  readonly announce: Announce;
  readonly devices: LibraryDevices;
  readonly mounts: TapeMounts;
}): LibraryPlaces {
  const { db, log, mounts } = deps;
  const release = createDriveRelease(deps);
  const store = createTapeStore(db);
  const requireLibrary = async (id: number) => {
    const library = await createTapeLibraryStore(db).get(id);
    if (!library) throw notFound('Tape library', id);
    return library;
  };
  const read = async (libraryId: number, field: string): Promise<readonly LibraryElement[]> => {
    try {
      return await mounts.withRobot(libraryId, (changer, signal) => changer.inventory(signal));
    } catch (error) {
      throw describeDeviceProblem(error, field, log);
    }
  };

  return {
    read,

    slots: async (libraryId) => {
      await requireLibrary(libraryId);
      const elements = await read(libraryId, 'id');
      const known = (await store.all()).filter((one) => one.libraryId === libraryId);
      return placeElements(elements).map(({ element, number }) => {
        const barcode = barcodeText(element);
        const own = known.find((one) => barcode !== null && barcodeKey(one.barcode) === barcodeKey(barcode));
        const failure = own?.elementAddress === element.address ? own.moveFailure : null;
        return {
          address: element.address,
          number,
          type: element.kind,
          full: element.full,
          barcode,
          needs_person: element.exception || failure !== null,
          reason: element.reason ?? failure,
          reachable: element.reachable,
          from_outside: element.fromOutside,
          cartridge: own?.id ?? null,
        };
      });
    },

    move: async (libraryId, move) => {
      const library = await requireLibrary(libraryId);
      if (mounts.isBusy(libraryId)) {
        throw new Refusal('state.notAllowed', {
          message: `The library of pool ${library.pool} is at work; wait for the end.`,
          errors: { id: 'is at work; wait for the end' },
        });
      }
      const moved = await moveCartridge(libraryId, move);
      const own = (await createCartridgeStore(db).ofLibrary(libraryId)).find(
        ({ barcode }) => moved.barcode !== null && barcodeKey(barcode) === barcodeKey(moved.barcode),
      );
      if (own)
        await createCartridgeStore(db).place(own.id, { location: moved.kind, elementAddress: move.to });
      deps.announce({ kind: 'library', action: 'changed', id: libraryId });
      return move;
    },
  };

  async function moveCartridge(libraryId: number, { from, to }: CartridgeMove) {
    const elements = await read(libraryId, 'id');
    const source = elements.find(({ address }) => address === from);
    const target = elements.find(({ address }) => address === to);
    if (!source) throw invalidField('from', 'is no element address of this library; ask for its slots');
    if (!target) throw invalidField('to', 'is no element address of this library; ask for its slots');
    if (!source.full) throw invalidField('from', 'is empty');
    if (target.full) throw invalidField('to', 'is full');
    try {
      await mounts.withRobot(libraryId, async (changer, signal) => {
        if (source.kind === 'drive') await unload(libraryId, from, signal);
        await changer.move(from, to, signal);
      });
    } catch (error) {
      throw describeDeviceProblem(error, 'from', log);
    }
    return { kind: target.kind, barcode: barcodeText(source) };
  }

  async function unload(libraryId: number, address: number, signal: AbortSignal): Promise<void> {
    const own = await createTapeDeviceStore(db).ofLibrary(libraryId);
    const drive = own.find(({ elementAddress }) => elementAddress === address);
    // A drive that this server does not use holds its cartridge or not: the robot will tell.
    if (drive) await release(drive, signal);
  }
}
