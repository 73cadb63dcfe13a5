import {
  type Cartridge,
  type CartridgeAssignment,
  type CartridgeChange,
  type CartridgeDraft,
  type CartridgeMove,
  Cartridge as CartridgeRecord,
  type CartridgeScan,
  type LibraryElementRecord,
  type WantedCartridge,
} from '../../../contract/cartridges/cartridge.ts';
import { type Db, type ListRequest, listRecords, type Page } from '../../db/index.ts';
import { type LabelFound, readLabel, scanTape, type TapeDrive } from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import { counted, distinctIds, refuseIfAny, requireAllFound } from '../bulk.ts';
import { knownSetName } from '../media-set-names-store.ts';
import { unknownReference } from '../references.ts';
import { toCartridgeRecords } from './cartridge-records.ts';
import { isInside, stateOfBlank, whoseLabel, whyNotLabelled } from './cartridge-rules.ts';
import { createCartridgeStore } from './cartridge-store.ts';
import { describeDeviceProblem } from './device-problem.ts';
import type { Tell } from './drive-care.ts';
import { giveLabel } from './give-label.ts';
import { barcodeKey, cartridgesIn, isCleaning } from './inventory-rules.ts';
import type { LibraryDevices } from './library-devices.ts';
import { createLibraryPlaces } from './library-places.ts';
import { saveScan } from './scan-cartridge.ts';
import { createTapeCopyStore } from './tape-copy-store.ts';
import { createTapeLibraryStore } from './tape-library-store.ts';
import type { TapeMounts } from './tape-mounts.ts';
import { createTapeStore, type Cartridge as StoredCartridge } from './tape-store.ts';

/** Who can end the work, and is told of what the drive says. */
export interface CartridgeWork {
  readonly signal: AbortSignal;
  readonly log: Tell;
}

export interface CartridgeService {
  list(list: ListRequest): Promise<Page<Cartridge>>;
  get(id: number): Promise<Cartridge>;
  /** What a restore of this copy reads, in its order; empty for a copy that lies elsewhere. */
  ofCopy(copyId: number): Promise<WantedCartridge[]>;
  /** Only what is in the library and can be told from the others. */
  register(draft: CartridgeDraft): Promise<{ readonly id: number }>;
  /** Writes a label, when nothing on the tape is against it. */
  label(id: number, change: CartridgeChange): Promise<Cartridge>;
  scan(id: number): Promise<CartridgeScan>;
  /** Into a named media set, or out of theirs: all or nothing. */
  assign(wish: CartridgeAssignment): Promise<Cartridge[]>;
  /** Throws what `label` would throw before it looks at the tape. */
  requireForLabel(id: number): Promise<StoredCartridge>;
  requireForScan(id: number): Promise<StoredCartridge>;
  /** The same as `label` and `scan` for a task: what devices refuse comes as their `DeviceError`. */
  runLabel(id: number, mayOverwrite: boolean, work: CartridgeWork): Promise<StoredCartridge>;
  runScan(id: number, work: CartridgeWork, onPart: (what: string) => void): Promise<CartridgeScan>;
  /** All or nothing; refused while one holds copies of the catalogue. */
  remove(ids: readonly number[]): Promise<{ readonly ids: number[] }>;
  slots(libraryId: number): Promise<LibraryElementRecord[]>;
  move(libraryId: number, move: CartridgeMove): Promise<CartridgeMove>;
}

const fields = Object.keys(CartridgeRecord.shape) as (keyof Cartridge)[];

export function createCartridgeService(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly announce: Announce;
  readonly devices: LibraryDevices;
  readonly mounts: TapeMounts;
  readonly stopping: AbortSignal;
}): CartridgeService {
  const { db, clock, log, mounts } = deps;
  const store = createTapeStore(db);
  const places = createLibraryPlaces(deps);

  const stored = async (id: number): Promise<StoredCartridge> => {
    const [cartridge] = await store.some([id]);
    if (!cartridge) throw notFound('Cartridge', id);
    return cartridge;
  };
  const recordOf = async (id: number): Promise<Cartridge> => {
    const [record] = await toCartridgeRecords(store, [await stored(id)]);
    if (!record) throw notFound('Cartridge', id);
    return record;
  };
  const changed = (libraryId: number): void =>
    deps.announce({ kind: 'library', action: 'changed', id: libraryId });
  const onTape = async <R>(
    cartridge: StoredCartridge,
    { signal, log: tell }: CartridgeWork,
    work: (drive: TapeDrive, signal: AbortSignal) => Promise<R>,
  ): Promise<R> => {
    try {
      return await mounts.withCartridge(cartridge, signal, work, tell);
    } finally {
      changed(cartridge.libraryId);
    }
  };
  /** A call that waits for the end of the work. */
  const asked: CartridgeWork = { signal: deps.stopping, log: () => undefined };
  const describing = async <R>(field: string, work: () => Promise<R>): Promise<R> => {
    try {
      return await work();
    } catch (error) {
      throw describeDeviceProblem(error, field, log);
    }
  };
  const requireForLabel = async (id: number): Promise<StoredCartridge> => {
    const cartridge = await stored(id);
    const refused = whyNotLabelled(cartridge);
    if (refused !== null) throw invalidField(refused.field, refused.reason);
    return cartridge;
  };
  const requireForScan = async (id: number): Promise<StoredCartridge> => {
    const cartridge = await stored(id);
    const { barcode } = cartridge;
    if (cartridge.state === 'cleaning') {
      throw invalidField('id', `cannot be read: ${barcode} is a cleaning cartridge`);
    }
    if (isInside(cartridge)) return cartridge;
    throw invalidField('id', `cannot be read: ${barcode} is outside; put it into the library`);
  };
  const runScan: CartridgeService['runScan'] = async (id, work, onPart) => {
    const cartridge = await stored(id);
    return onTape(cartridge, work, async (drive, signal) => {
      const found = await readLabel(drive, signal);
      const tell = ({ copy, number }: { readonly copy: string; readonly number: number }): void =>
        onPart(`part ${number} of the copy ${copy}`);
      const scanned = found.kind === 'ours' ? await scanTape(drive, signal, tell) : null;
      return saveScan(db, cartridge, { found, scanned });
    });
  };

  const writeNewLabel = (
    cartridge: StoredCartridge,
    mayOverwrite: boolean,
    work: CartridgeWork,
  ): Promise<void> =>
    onTape(cartridge, work, async (drive, signal) => {
      const found = await readLabel(drive, signal);
      // Looked up again: while the drive was waited for, a task may have written here.
      const now = await stored(cartridge.id);
      const refused = whyNotLabelled(now);
      if (refused !== null) throw invalidField(refused.field, refused.reason);
      if (found.kind !== 'blank' && !mayOverwrite) {
        if (stateFor(now, found) !== now.state) await store.change(now.id, { state: stateFor(now, found) });
        throw invalidField(
          'overwrite',
          `is needed: ${now.barcode} holds ${whatIsOn(found)}, which would be gone`,
        );
      }
      await giveLabel(deps, drive, { cartridge: now, found, more: { capacity: null } }, signal);
    });

  return {
    list: async (list) => listRecords(await toCartridgeRecords(store, await store.all()), list, fields),
    get: recordOf,

    ofCopy: async (copyId) => {
      const uuid = await createTapeCopyStore(db).uuidOfCopy(copyId);
      if (uuid === null) throw notFound('Copy', copyId);
      const parts = await store.partsOf(uuid);
      const ids = [...new Set(parts.map(({ cartridgeId }) => cartridgeId))];
      const cartridges = await toCartridgeRecords(store, await store.some(ids));
      return ids.flatMap((id) => {
        const cartridge = cartridges.find((one) => one.id === id);
        const own = parts.filter(({ cartridgeId }) => cartridgeId === id);
        const bytes = own.reduce((sum, part) => sum + part.bytes, 0);
        return cartridge ? [{ cartridge, parts: own.length, bytes }] : [];
      });
    },

    register: async (draft) => {
      const library = await createTapeLibraryStore(db).get(draft.tape_library);
      if (!library) throw unknownReference('tape_library', `tape library ${draft.tape_library}`);
      const elements = await places.read(library.id, 'tape_library');
      const inside = cartridgesIn(elements);
      if (!inside.ok) {
        throw invalidField(
          'barcode',
          `cannot be registered while ${inside.barcode} is on more than one cartridge (${inside.places.join(', ')}); take all but one out`,
        );
      }
      const key = barcodeKey(draft.barcode.trim());
      const found = inside.found.find(({ barcode }) => barcodeKey(barcode) === key);
      if (!found) throw invalidField('barcode', `is on no cartridge in this library; put it in first`);
      const id = await db.transaction().execute(async (tx) => {
        const known = await createTapeStore(tx).all();
        const twin = known.find(({ barcode }) => barcodeKey(barcode) === key);
        if (twin) {
          throw invalidField(
            'barcode',
            `is registered already, at the tape library of pool \`${twin.pool}\``,
          );
        }
        const cartridges = createCartridgeStore(tx);
        const state = isCleaning(found.barcode) ? 'cleaning' : 'unlabelled';
        const place = { location: found.kind, elementAddress: found.address };
        const owner = { libraryId: library.id, poolId: library.poolId, createdMs: clock.now() };
        await cartridges.register([{ barcode: found.barcode, state, ...place }], owner);
        const all = await cartridges.ofLibrary(library.id);
        return all.find(({ barcode }) => barcode === found.barcode)?.id ?? 0;
      });
      changed(library.id);
      return { id };
    },

    label: async (id, change) => {
      const cartridge = await stored(id);
      if (change.label !== true) {
        if (change.overwrite !== true) return recordOf(id);
        throw invalidField('label', 'must be true with `overwrite`, which is about nothing else');
      }
      await requireForLabel(id);
      await describing('label', () => writeNewLabel(cartridge, change.overwrite === true, asked));
      return recordOf(id);
    },

    scan: async (id) => {
      await requireForScan(id);
      return describing('id', () => runScan(id, asked, () => undefined));
    },

    assign: async ({ ids: given, media_set_name: wanted }) => {
      const ids = distinctIds(given);
      const libraries = await db.transaction().execute(async (tx) => {
        const inside = createTapeStore(tx);
        const found = await inside.some(ids);
        const there = found.map(({ id }) => id);
        requireAllFound('Cartridge', ids, there, 'changed');
        const cleaning = found.filter(({ state }) => state === 'cleaning').map(({ barcode }) => barcode);
        if (wanted !== null && cleaning.length > 0) {
          const reason = `must hold no cleaning cartridge, which takes no copies: leave out ${cleaning.join(', ')}`;
          throw invalidField('ids', reason);
        }
        await inside.assign(ids, wanted === null ? null : await knownSetName(tx, wanted));
        return new Set(found.map(({ libraryId }) => libraryId));
      });
      for (const libraryId of libraries) changed(libraryId);
      return toCartridgeRecords(store, await store.some(ids));
    },

    requireForLabel,
    requireForScan,
    runScan,
    runLabel: async (id, mayOverwrite, work) => {
      await writeNewLabel(await stored(id), mayOverwrite, work);
      return stored(id);
    },

    remove: async (given) => {
      const ids = distinctIds(given);
      const found = await db.transaction().execute(async (tx) => {
        const inside = createTapeStore(tx);
        const cartridges = await inside.some(ids);
        requireAllFound(
          'Cartridge',
          ids,
          cartridges.map(({ id }) => id),
        );
        const reasons = cartridges.map(({ barcode, copies, libraryId }) => {
          if (copies > 0)
            return `the cartridge ${barcode} holds ${counted(copies, 'copy', 'copies')}; delete them first`;
          return mounts.isBusy(libraryId) ? `the library of ${barcode} is at work; wait for the end` : null;
        });
        refuseIfAny(reasons, 'object.inUse');
        await inside.remove(ids);
        return cartridges;
      });
      for (const libraryId of new Set(found.map((one) => one.libraryId))) changed(libraryId);
      return { ids: [...ids] };
    },

    slots: places.slots,
    move: places.move,
  };
}

function whatIsOn(found: LabelFound): string {
  if (found.kind === 'ours')
    return `a label of ${found.label.barcode} in pool ${found.label.pool}, with what was written behind it`;
  return found.kind === 'foreign' ? found.what : 'nothing';
}

/** What is known of a cartridge after its label was read. */
function stateFor(cartridge: StoredCartridge, found: LabelFound): string {
  if (found.kind === 'foreign') return 'foreign';
  if (found.kind === 'blank') return stateOfBlank(cartridge);
  if (found.label.barcode !== cartridge.barcode) return 'suspect';
  const whose = whoseLabel(cartridge, found);
  if (whose === 'begun') return 'labelled';
  if (whose === 'known') return cartridge.state === 'full' ? 'full' : 'labelled';
  // Ours, from another time or server: its contents are not known here yet.
  return cartridge.labelUuid === null ? 'foreign' : 'suspect';
}
