import type { SyncResult } from '../../../contract/tape-libraries/tape-library.ts';
import type { Db } from '../../db/index.ts';
import { DeviceError, type LibraryElement } from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { notFound, Refusal } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import { createCartridgeStore } from './cartridge-store.ts';
import { describeDeviceProblem } from './device-problem.ts';
import { barcodeKey, cartridgesIn, type FoundCartridge, unregisteredIn } from './inventory-rules.ts';
import type { LibraryDevices, PresentDevice } from './library-devices.ts';
import { createTapeDeviceStore } from './tape-device-store.ts';
import { driveStates, whyLibraryIsBusy } from './tape-library-rules.ts';
import { createTapeLibraryStore, type StoredLibrary } from './tape-library-store.ts';
import type { TapeMounts } from './tape-mounts.ts';

export interface LibrarySync {
  run(id: number): Promise<SyncResult>;
  isRunning(id: number): boolean;
}

/** Compares what is in a library with the registered cartridges, and notes where each of them is. */
export function createLibrarySync(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly announce: Announce;
  readonly devices: LibraryDevices;
  readonly mounts: Pick<TapeMounts, 'isBusy'>;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}): LibrarySync {
  const store = createTapeLibraryStore(deps.db);
  const running = new Set<number>();
  const changed = (id: number) => deps.announce({ kind: 'library', action: 'changed', id });

  /** The robot where it is now: its path may have changed since the last time. */
  const presentChanger = async (library: StoredLibrary): Promise<PresentDevice> => {
    if (!library.isLocal) {
      throw new DeviceError('notFound', `It is on ${library.mediaServer}, which this server cannot reach.`);
    }
    const present = await deps.devices.scan(library.mediaServerId);
    const changer = present.find((one) => one.kind === 'changer' && one.libraryId === library.id);
    if (!changer) throw new DeviceError('notFound', 'Its robot is not there; check power and cables.');
    return changer;
  };

  const read = async (library: StoredLibrary) => {
    try {
      const changer = await presentChanger(library);
      const elements = await deps.devices.readElements(changer.sgPath);
      if (library.hasFailed) await store.saveStatus(library.id, 'ready');
      return { changer, elements };
    } catch (error) {
      // A stop of the server says nothing of the device.
      if (!deps.stopping.aborted) await store.saveStatus(library.id, 'error');
      throw describeDeviceProblem(error, 'id', deps.log);
    }
  };

  const save = async (
    library: StoredLibrary,
    facts: { readonly changer: PresentDevice; readonly elements: readonly LibraryElement[] },
    found: readonly FoundCartridge[],
  ): Promise<SyncResult> => {
    const slots = facts.elements.filter(({ kind }) => kind === 'storage').length;
    const byKey = new Map(found.map((cartridge) => [barcodeKey(cartridge.barcode), cartridge]));
    await deps.db.transaction().execute(async (tx) => {
      const cartridges = createCartridgeStore(tx);
      for (const cartridge of await cartridges.ofLibrary(library.id)) {
        const here = byKey.get(barcodeKey(cartridge.barcode));
        const place = { location: here?.kind ?? 'outside', elementAddress: here?.address ?? null };
        const { location, elementAddress, moveFailure } = cartridge;
        // Who synchronises has looked after what the robot could not do.
        const isSame = location === place.location && elementAddress === place.elementAddress;
        if (isSame && moveFailure === null) continue;
        await cartridges.place(cartridge.id, place);
      }
      const devices = createTapeDeviceStore(tx);
      const drives = (await devices.ofLibrary(library.id)).filter(({ kind }) => kind === 'drive');
      for (const drive of driveStates(drives, facts.elements)) await devices.saveDrive(drive);
      await devices.saveSlotsCount(facts.changer.id, slots);
      const syncMs = deps.clock.now();
      await createTapeLibraryStore(tx).saveSync(library.id, { slotsCount: slots, syncMs });
    });
    return { slots_total: slots, cartridges: found.length };
  };

  const runOnce = async (library: StoredLibrary): Promise<SyncResult> => {
    const facts = await read(library);
    const inside = cartridgesIn(facts.elements);
    if (!inside.ok) {
      throw unsynced(
        inside.barcode,
        `The barcode ${inside.barcode} is on more than one cartridge (${inside.places.join(', ')}). Take all but one out.`,
      );
    }
    const registered = await createCartridgeStore(deps.db).ofLibrary(library.id);
    const unregistered = unregisteredIn(
      facts.elements,
      registered.map(({ barcode }) => barcode),
    );
    const [first] = unregistered;
    if (first) {
      const all = unregistered.slice(0, mostNamed).map(({ barcode, place }) => `${barcode} (${place})`);
      const rest = unregistered.length > mostNamed ? ` and ${unregistered.length - mostNamed} more` : '';
      throw unsynced(
        first.barcode,
        `Not registered: ${all.join(', ')}${rest}. Register what is to be used here, take out the rest.`,
      );
    }
    if (inside.unreadable[0] !== undefined) {
      throw unsynced(
        `cannot be read: ${inside.unreadable[0]}`,
        `There is no readable barcode on the cartridge in ${inside.unreadable.join(', ')}. Label it, or take it out.`,
      );
    }
    return save(library, facts, inside.found);
  };

  return {
    isRunning: (id) => running.has(id),
    run: async (id) => {
      const library = await store.get(id);
      const [use] = library ? await store.uses([id]) : [];
      if (!library || !use) throw notFound('Tape library', id);
      const busy = running.has(id)
        ? `the library of pool \`${use.pool}\` is being synchronised already; wait for the end`
        : (whyLibraryIsBusy(use) ?? whyMounted(use.pool, deps.mounts.isBusy(id)));
      if (busy !== null) {
        throw new Refusal('state.notAllowed', {
          message: `Not synchronised: ${busy}.`,
          errors: { id: busy },
        });
      }
      running.add(id);
      changed(id);
      try {
        return await runOnce(library);
      } finally {
        running.delete(id);
        changed(id);
      }
    },
  };
}

const whyMounted = (pool: string, isBusy: boolean): string | null =>
  isBusy ? `a cartridge of the library of pool \`${pool}\` is in use; wait for the end` : null;

const mostNamed = 20;

/** Nothing has changed; `barcode` stands for the field of that name. */
function unsynced(barcode: string, message: string): Refusal {
  return new Refusal('sync.unregisteredCartridge', { message, errors: { barcode } });
}
