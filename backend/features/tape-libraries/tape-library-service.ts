import { join } from 'node:path';
import type {
  CandidateInfo,
  CandidateInfoRequest,
  CandidatesQuery,
  LibraryTree,
  LibraryTreeRequest,
  SyncResult,
  TapeCandidates,
  TapeLibrary,
  TapeLibraryChange,
  TapeLibraryDraft,
} from '../../../contract/tape-libraries/tape-library.ts';
import { TapeLibrary as TapeLibraryRecord } from '../../../contract/tape-libraries/tape-library.ts';
import { type Db, type ListRequest, listRecords, type Page } from '../../db/index.ts';
import type { LibraryDrivers, TapeCopies } from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { notFound, Refusal } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import { distinctIds, refuseIfAny, requireAllFound } from '../bulk.ts';
import { namedNotFound, unknownReference } from '../references.ts';
import { type CartridgeService, createCartridgeService } from './cartridge-service.ts';
import { createLibraryCreation } from './create-library.ts';
import { describeDeviceProblem } from './device-problem.ts';
import { slotsOf } from './inventory-rules.ts';
import { createLibraryDevices } from './library-devices.ts';
import { createLibrarySync } from './sync-library.ts';
import { createTapeCopyService, type TapeCopyService } from './tape-copy-service.ts';
import { createTapeDeviceStore } from './tape-device-store.ts';
import { createTapeFileLists } from './tape-file-lists.ts';
import { toChangerRecord, toLibraryRecord } from './tape-library-records.ts';
import { whyLibraryStays } from './tape-library-rules.ts';
import { createTapeLibraryStore, type StoredLibrary } from './tape-library-store.ts';
import { createTapeMounts } from './tape-mounts.ts';
import type { TapeSettings } from './tape-settings.ts';

export interface TapeLibraryDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly announce: Announce;
  readonly dataDir: string;
  readonly drivers: LibraryDrivers;
  /** For the drives of `drivers`. */
  readonly tapeCopies: TapeCopies;
  readonly configuration: TapeSettings;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

export interface TapeLibraryService {
  readonly cartridges: CartridgeService;
  readonly copies: TapeCopyService;
  list(list: ListRequest): Promise<Page<TapeLibrary>>;
  get(id: number): Promise<TapeLibrary>;
  /** 404 for an unknown media server. Scans; ids stay the same from call to call. */
  candidates(query: CandidatesQuery): Promise<TapeCandidates>;
  /** Reads the robot at a path, whether a library uses it or not; 404 when there is none. */
  candidateInfo(request: CandidateInfoRequest): Promise<CandidateInfo>;
  create(draft: TapeLibraryDraft): Promise<{ readonly id: number }>;
  update(id: number, change: TapeLibraryChange): Promise<TapeLibrary>;
  tree(request: LibraryTreeRequest): Promise<LibraryTree>;
  /** 422 when a cartridge in it is not registered; then nothing has changed. */
  sync(id: number): Promise<SyncResult>;
  /** Before the first task: what is in drives goes to slots where that is wished. Never rejects; the robots go on by themselves. */
  start(): Promise<void>;
  /** Begins to clean the free drives that the schedule wants cleaned; one round at a time. */
  cleanDrives(): Promise<void>;
  /** All or nothing; their cartridges are registered no longer. */
  remove(ids: readonly number[]): Promise<{ readonly ids: number[] }>;
}

const fields = Object.keys(TapeLibraryRecord.shape) as (keyof TapeLibrary)[];
const usualTreeLimit = 20;

export function createTapeLibraryService(deps: TapeLibraryDeps): TapeLibraryService {
  const store = createTapeLibraryStore(deps.db);
  const devices = createLibraryDevices(deps);
  const create = createLibraryCreation({ ...deps, devices });
  const mounts = createTapeMounts({ ...deps, devices });
  const sync = createLibrarySync({ ...deps, devices, mounts });
  let cleaning: Promise<unknown> | null = null;

  const toRecords = async (libraries: readonly StoredLibrary[]): Promise<TapeLibrary[]> => {
    const used = await createTapeDeviceStore(deps.db).ofLibraries();
    return Promise.all(
      libraries.map(async (library) => {
        const own = used.filter(({ libraryId }) => libraryId === library.id);
        const path = own.find(({ kind }) => kind === 'changer')?.sgPath ?? '';
        const isThere = library.isLocal && (await devices.isThere(path));
        return toLibraryRecord(library, own, { isSyncing: sync.isRunning(library.id), isThere });
      }),
    );
  };
  const get = async (id: number): Promise<TapeLibrary> => {
    const library = await store.get(id);
    const [record] = library ? await toRecords([library]) : [];
    if (!record) throw notFound('Tape library', id);
    return record;
  };
  const scanOn = async (server: {
    readonly id: number;
    readonly name: string;
    readonly isLocal: boolean;
  }) => {
    if (server.isLocal) {
      try {
        return await devices.scan(server.id);
      } catch (error) {
        throw describeDeviceProblem(error, 'media_server', deps.log);
      }
    }
    throw new Refusal('feature.notAvailable', {
      message: `The devices of ${server.name} cannot be looked for from here.`,
      errors: { media_server: 'is another host, whose devices this server cannot reach' },
    });
  };

  return {
    list: async (list) => listRecords(await toRecords(await store.all()), list, fields),
    get,
    cartridges: createCartridgeService({ ...deps, devices, mounts }),
    copies: createTapeCopyService({
      ...deps,
      mounts,
      lists: createTapeFileLists(deps),
      spoolFolder: join(deps.dataDir, 'tape-spool'),
    }),
    create: create.create,
    update: async (id, change) => {
      if (change.robot_unloads !== undefined) {
        const changed = await store.saveUnloading(id, change.robot_unloads);
        if (changed > 0) deps.announce({ kind: 'library', action: 'changed', id });
      }
      return get(id);
    },
    sync: sync.run,

    candidates: async (query) => {
      const server = await store.mediaServerByName(query.media_server);
      if (!server) {
        throw namedNotFound('media_server', `media server named ${query.media_server}`);
      }
      const free = (await scanOn(server)).filter(({ libraryId }) => libraryId === null);
      const drives = free.filter(({ kind }) => kind === 'drive');
      return {
        medium_changers: free.filter(({ kind }) => kind === 'changer').map(toChangerRecord),
        tape_drives: drives.map((drive) => ({
          id: drive.id,
          vendor: drive.vendor,
          model: drive.model,
          serial: drive.serial,
          sg_path: drive.sgPath,
          st_path: drive.stPath,
          medium_changer_id: query.adding_type === 'auto' ? drive.changerId : null,
        })),
      };
    },

    candidateInfo: async (request) => {
      const server = await store.mediaServerByName(request.media_server);
      if (!server) {
        throw unknownReference('media_server', `media server named \`${request.media_server}\``);
      }
      const path = request.medium_changer_sg_path;
      const changer = (await scanOn(server)).find((one) => one.kind === 'changer' && one.sgPath === path);
      if (!changer) {
        throw namedNotFound('medium_changer_sg_path', `medium changer at ${path}`);
      }
      try {
        const slots = slotsOf(await devices.readElements(path));
        const storage = slots.filter(({ type }) => type === 'storage').length;
        const drives = slots.filter(({ type }) => type === 'drive').length;
        const counted = { ...changer, slotsCount: storage, drivesCount: drives };
        return { medium_changer: toChangerRecord(counted), slots };
      } catch (error) {
        throw describeDeviceProblem(error, 'medium_changer_sg_path', deps.log);
      }
    },

    tree: async (request) => {
      const page = request.pools?.page ?? 1;
      const limit = request.pools?.limit ?? usualTreeLimit;
      const [libraries, pools] = await Promise.all([
        store.all().then(toRecords),
        store.tapePools({ offset: (page - 1) * limit, limit }),
      ]);
      return {
        libraries: libraries.map((library) => ({
          library,
          medium_changers: library.medium_changers,
          tape_drives: library.tape_drives,
          slots: [],
        })),
        pools: { items: [...pools.items], total: pools.total, page, limit },
      };
    },

    start: async () => {
      const { unload_tape_cartriges_whes_media_server_starts: isWished } = await deps.configuration.read();
      if (isWished !== 'yes') return;
      for (const library of (await store.all()).filter(({ isLocal }) => isLocal)) {
        // A robot takes minutes, and the API does not wait for it; tasks wait for the drives.
        void mounts.emptyDrives(library.id);
      }
    },

    cleanDrives: async () => {
      if (cleaning !== null || deps.stopping.aborted) return;
      const local = (await store.all()).filter(({ isLocal }) => isLocal);
      // It takes minutes, and other regular work does not wait for it.
      cleaning = Promise.all(local.map(({ id }) => mounts.cleanDue(id))).finally(() => {
        cleaning = null;
      });
    },

    remove: async (given) => {
      const ids = distinctIds(given);
      await deps.db.transaction().execute(async (tx) => {
        const inside = createTapeLibraryStore(tx);
        const uses = await inside.uses(ids);
        requireAllFound(
          'Tape library',
          ids,
          uses.map(({ id }) => id),
        );
        const running = uses.map(({ id, pool }) =>
          sync.isRunning(id) || mounts.isBusy(id)
            ? `the library of pool \`${pool}\` is at work; wait for the end`
            : null,
        );
        refuseIfAny([...uses.map(whyLibraryStays), ...running], 'object.inUse');
        await createTapeDeviceStore(tx).release(ids);
        await inside.remove(ids);
      });
      for (const id of ids) deps.announce({ kind: 'library', action: 'removed', id });
      deps.announce({ kind: 'pool', action: 'changed', id: null });
      return { ids: [...ids] };
    },
  };
}
