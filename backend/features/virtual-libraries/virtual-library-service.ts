import {
  usualVirtualLibrary,
  type VirtualLibrary,
  type VirtualLibraryChange,
  type VirtualLibraryDraft,
  VirtualLibrary as VirtualLibraryRecord,
} from '../../../contract/virtual-libraries/virtual-library.ts';
import { type Db, type ListRequest, listRecords, type Page } from '../../db/index.ts';
import {
  DeviceError,
  formatVirtualPath,
  noFaults,
  type VirtualLibraries,
  type VirtualLibraryState,
} from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import { distinctIds, refuseIfAny, requireAllFound } from '../bulk.ts';
import { unknownReference } from '../references.ts';
import {
  changedFaults,
  toFaultsRecord,
  whyNoFaults,
  whyVirtualLibraryStays,
} from './virtual-library-rules.ts';
import { createVirtualLibraryStore, type StoredVirtualLibrary } from './virtual-library-store.ts';

export interface VirtualLibraryService {
  list(list: ListRequest): Promise<Page<VirtualLibrary>>;
  get(id: number): Promise<VirtualLibrary>;
  create(draft: VirtualLibraryDraft): Promise<{ readonly id: number }>;
  /** All of the change or nothing. */
  update(id: number, change: VirtualLibraryChange): Promise<VirtualLibrary>;
  /** All or nothing; refused while a tape library uses one of them. */
  remove(ids: readonly number[]): Promise<{ readonly ids: number[] }>;
}

const fields = Object.keys(VirtualLibraryRecord.shape) as (keyof VirtualLibrary)[];

export function createVirtualLibraryService(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly libraries: Omit<VirtualLibraries, 'driver'>;
}): VirtualLibraryService {
  const { db, log, libraries } = deps;
  const store = createVirtualLibraryStore(db);

  const toRecord = async (library: StoredVirtualLibrary): Promise<VirtualLibrary> => {
    const { id, name, mediaServer } = library;
    const state = await libraries.state(name).catch((error: unknown) => {
      if (!(error instanceof DeviceError)) throw error;
      log.warn('a virtual library cannot be read', { name, error });
      return null;
    });
    return {
      id,
      media_server: mediaServer,
      name,
      sg_path: formatVirtualPath({ name, lun: 0 }),
      ...extentOf(state),
      faults: toFaultsRecord(state?.faults ?? noFaults),
      status: state === null ? 'Error' : 'Online',
      created: toWireTime(library.createdMs),
    };
  };
  const stored = async (id: number): Promise<StoredVirtualLibrary> => {
    const [library] = await store.some([id]);
    if (!library) throw notFound('Virtual library', id);
    return library;
  };

  return {
    list: async (list) => listRecords(await Promise.all((await store.all()).map(toRecord)), list, fields),
    get: async (id) => toRecord(await stored(id)),

    create: async (draft) => {
      const server = await store.mediaServerByName(draft.media_server);
      if (!server) throw unknownReference('media_server', `media server named \`${draft.media_server}\``);
      if (!server.isLocal) throw invalidField('media_server', 'is another host, where nothing can be made');
      const barcodes = draft.cartridges ?? [];
      const layout = {
        slots: draft.slots ?? usualVirtualLibrary.slots,
        drives: draft.drives ?? usualVirtualLibrary.drives,
        mailSlots: draft.mail_slots ?? usualVirtualLibrary.mailSlots,
        cartridgeBytes: draft.cartridge_size ?? usualVirtualLibrary.cartridgeBytes,
      };
      if (barcodes.length > layout.slots) {
        throw invalidField('cartridges', `must be ${layout.slots} at most, one for each storage slot`);
      }
      const faults = changedFaults(noFaults, draft.faults ?? null);
      const refused = whyNoFaults(faults, layout.drives);
      if (refused !== null) throw invalidField('faults', refused);
      const { name } = draft;
      if (await store.isTaken(name)) {
        throw invalidField('name', 'is that of another virtual library; choose another');
      }
      await asField('name', () => libraries.create(name, layout, barcodes));
      try {
        await libraries.setFaults(name, faults);
        const createdMs = deps.clock.now();
        return { id: await store.insert({ mediaServerId: server.id, name, createdMs }) };
      } catch (error) {
        await libraries.remove(name);
        throw error;
      }
    },

    update: async (id, change) => {
      const { name } = await stored(id);
      const state = await asField('id', () => libraries.state(name));
      const faults = change.faults === undefined ? null : changedFaults(state.faults, change.faults);
      const refused = faults === null ? null : whyNoFaults(faults, state.drives);
      if (refused !== null) throw invalidField('faults', refused);
      const { cartridges } = change;
      if (cartridges) await asField('cartridges', () => libraries.setCartridges(name, cartridges));
      if (faults !== null) await asField('faults', () => libraries.setFaults(name, faults));
      return toRecord(await stored(id));
    },

    remove: async (given) => {
      const ids = distinctIds(given);
      const removed = await db.transaction().execute(async (tx) => {
        const inside = createVirtualLibraryStore(tx);
        const found = await inside.some(ids);
        requireAllFound(
          'Virtual library',
          ids,
          found.map(({ id }) => id),
        );
        const reasons: (string | null)[] = [];
        for (const { name, mediaServerId } of found) {
          reasons.push(whyVirtualLibraryStays(name, await inside.usedPaths(mediaServerId)));
        }
        refuseIfAny(reasons, 'object.inUse');
        await inside.remove(ids);
        return found;
      });
      for (const { name } of removed) await libraries.remove(name);
      return { ids: [...ids] };
    },
  };
}

function extentOf(
  state: VirtualLibraryState | null,
): Pick<VirtualLibrary, 'slots' | 'drives' | 'mail_slots' | 'cartridges' | 'cartridge_size'> {
  return {
    slots: state?.slots ?? 0,
    drives: state?.drives ?? 0,
    mail_slots: state?.mailSlots ?? 0,
    cartridges: Object.values(state?.places ?? {}).map(({ barcode }) => barcode),
    cartridge_size: state?.cartridgeBytes ?? 0,
  };
}

/** What the simulated device refuses is the caller's to change. */
async function asField<R>(field: string, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DeviceError) throw invalidField(field, `cannot be used so: ${error.message}`);
    throw error;
  }
}
