import type { TapeLibraryDraft } from '../../../contract/tape-libraries/tape-library.ts';
import type { Db } from '../../db/index.ts';
import type { LibraryElement } from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import { distinctIds } from '../bulk.ts';
import { unknownReference } from '../references.ts';
import { createCartridgeStore } from './cartridge-store.ts';
import { describeDeviceProblem } from './device-problem.ts';
import { cartridgesIn, type FoundCartridge, isCleaning } from './inventory-rules.ts';
import type { LibraryDevices, PresentDevice } from './library-devices.ts';
import { createTapeDeviceStore } from './tape-device-store.ts';
import { driveStates } from './tape-library-rules.ts';
import { createTapeLibraryStore, type LibraryPool } from './tape-library-store.ts';

const changerField = 'medium_changer_candidate_id';
const drivesField = 'tape_drives_candidates_ids';

/** Makes a library of a robot and drives that a scan has found, and registers the cartridges in its storage slots. */
export function createLibraryCreation(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly announce: Announce;
  readonly devices: LibraryDevices;
}) {
  const store = createTapeLibraryStore(deps.db);

  const requirePlace = async (draft: TapeLibraryDraft): Promise<LibraryPool> => {
    const server = await store.mediaServerByName(draft.media_server);
    if (!server) throw unknownReference('media_server', `media server named \`${draft.media_server}\``);
    const pool = await store.poolByName(draft.pool);
    if (!pool) throw unknownReference('pool', `pool named \`${draft.pool}\``);
    const refused = whyPoolIsRefused(pool, draft.pool, server);
    if (refused !== null) throw invalidField('pool', refused);
    if (server.isLocal) return pool;
    throw invalidField('media_server', 'is another host, whose devices this server cannot reach');
  };

  const requireDevices = async (draft: TapeLibraryDraft, mediaServerId: number) => {
    const known = await createTapeDeviceStore(deps.db).on(mediaServerId);
    const wanted = [draft.medium_changer_candidate_id, ...draft.tape_drives_candidates_ids];
    const neverFound = wanted.filter((id) => !known.some((device) => device.id === id));
    const require = (id: number, field: string, refused: string | null): void => {
      if (refused !== null) throw invalidField(field, `${id} ${refused}`);
    };
    for (const id of neverFound) {
      const field = id === draft.medium_changer_candidate_id ? changerField : drivesField;
      require(id, field, 'is no candidate of this media server; ask for the candidates again');
    }
    const present = await scan(mediaServerId);
    const take = (id: number, kind: PresentDevice['kind'], field: string): PresentDevice => {
      const stored = known.find((device) => device.id === id);
      const other = kind === 'drive' ? 'a medium changer, not a drive' : 'a drive, not a medium changer';
      require(id, field, stored?.kind === kind ? null : `is ${other}`);
      require(id, field, stored?.libraryId === null ? null : 'is used by another library; choose a free one');
      const found = present.find((device) => device.id === id);
      if (found) return found;
      throw invalidField(field, `${id} is not there any more; check power and cables`);
    };
    return {
      changer: take(draft.medium_changer_candidate_id, 'changer', changerField),
      drives: distinctIds(draft.tape_drives_candidates_ids).map((id) => take(id, 'drive', drivesField)),
    };
  };

  const scan = async (mediaServerId: number): Promise<readonly PresentDevice[]> => {
    try {
      return await deps.devices.scan(mediaServerId);
    } catch (error) {
      throw describeDeviceProblem(error, changerField, deps.log);
    }
  };
  const readElements = async (changer: PresentDevice): Promise<readonly LibraryElement[]> => {
    try {
      return await deps.devices.readElements(changer.sgPath);
    } catch (error) {
      throw describeDeviceProblem(error, changerField, deps.log);
    }
  };

  return {
    create: async (draft: TapeLibraryDraft): Promise<{ readonly id: number }> => {
      const pool = await requirePlace(draft);
      const { changer, drives } = await requireDevices(draft, pool.mediaServerId);
      const elements = await readElements(changer);
      const cartridges = requireDistinct(elements);
      const slotsCount = elements.filter(({ kind }) => kind === 'storage').length;
      const createdMs = deps.clock.now();
      const id = await deps.db.transaction().execute(async (tx) => {
        const libraries = createTapeLibraryStore(tx);
        // Looked up again: the robot took its time, and another call may have been faster.
        if ((await libraries.poolByName(draft.pool))?.libraryId !== null) {
          throw invalidField('pool', `\`${draft.pool}\` has a library already; choose another pool`);
        }
        const added = await libraries.insert({
          poolId: pool.id,
          mediaServerId: pool.mediaServerId,
          description: draft.description ?? null,
          slotsCount,
          createdMs,
          robotUnloads: draft.robot_unloads ?? false,
        });
        const devices = createTapeDeviceStore(tx);
        if (!(await devices.take([changer.id, ...drives.map((drive) => drive.id)], added))) {
          throw invalidField(changerField, 'or one of the drives is used by another library now');
        }
        await devices.saveSlotsCount(changer.id, slotsCount);
        for (const drive of driveStates(drives, elements)) await devices.saveDrive(drive);
        const owner = { libraryId: added, poolId: pool.id, createdMs };
        await createCartridgeStore(tx).register(cartridges.map(toRegistration), owner);
        return added;
      });
      deps.announce({ kind: 'library', action: 'created', id });
      deps.announce({ kind: 'pool', action: 'changed', id: pool.id });
      return { id };
    },
  };
}

function whyPoolIsRefused(
  pool: LibraryPool,
  name: string,
  server: { readonly id: number; readonly name: string },
): string | null {
  if (pool.type !== 'Tape library')
    return `\`${name}\` is of type ${pool.type}; choose one of type Tape library`;
  if (pool.mediaServerId !== server.id)
    return `\`${name}\` is not on ${server.name}; choose a pool of that server`;
  return pool.libraryId === null ? null : `\`${name}\` has a library already; choose another pool`;
}

/** The cartridges in the storage slots, when each can be told from the others. */
function requireDistinct(elements: readonly LibraryElement[]): readonly FoundCartridge[] {
  const cartridges = cartridgesIn(elements);
  if (cartridges.ok) return cartridges.found.filter(({ kind }) => kind === 'storage');
  throw invalidField(
    changerField,
    `has the barcode ${cartridges.barcode} on more than one cartridge (${cartridges.places.join(', ')}); take all but one out`,
  );
}

function toRegistration(cartridge: FoundCartridge) {
  return {
    barcode: cartridge.barcode,
    state: isCleaning(cartridge.barcode) ? 'cleaning' : 'unlabelled',
    location: cartridge.kind,
    elementAddress: cartridge.address,
  };
}
