import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db, Tx } from '../../db/index.ts';
import {
  type ArrivingArchive,
  type CatalogueEntry,
  type CopyFacts,
  type CopyRest,
  DeviceError,
  type FedArchive,
  releasedBytes,
  type TapeCopies,
  type TapeCopyWriter,
  type WrittenPart,
} from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { errorCode } from '../../platform/native.ts';
import { CartridgeMissing, CartridgeNotMoved } from './cartridge-errors.ts';
import {
  type Candidate,
  candidates,
  type Hindrance,
  isInside,
  longSet,
  whatSetTakes,
  whatToBring,
  whatToMend,
  whereIs,
} from './cartridge-rules.ts';
import { prepareCartridge } from './prepare-cartridge.ts';
import { readTapeCopy } from './read-tape-copy.ts';
import type { TapeFileLists } from './tape-file-lists.ts';
import type { TapeMounts } from './tape-mounts.ts';
import { type Cartridge, createTapeStore, type PlacedPart } from './tape-store.ts';

/** Who is told how it goes on. */
export interface TapeWork {
  readonly signal: AbortSignal;
  /** After each block; what it gives back is waited for. */
  readonly onBytes: (bytes: number) => Promise<void> | void;
  readonly log: (level: 'info' | 'warning', message: string) => void;
  /** A cartridge is in a drive and is read from now on; told for each. */
  readonly onReading?: () => void;
}

/** No cartridge takes the rest; a person has to bring one. */
export class NoCartridge extends DeviceError {
  constructor(message: string) {
    super('noSpace', message);
    this.name = 'NoCartridge';
  }
}

/** A person has to do something, or others have to end: the task waits. */
export function isWorthWaiting(error: unknown): boolean {
  if (error instanceof NoCartridge || error instanceof CartridgeMissing) return true;
  return error instanceof DeviceError && error.kind === 'busy';
}

/** A cartridge failed with what it had taken of a copy that is made meanwhile and was kept nowhere else: it has to be made anew. */
export class TakenAndLost extends DeviceError {
  readonly cartridgeId: number;

  constructor(cartridge: Cartridge, cause: DeviceError) {
    super('permanent', `The cartridge ${cartridge.barcode} failed: ${cause.message}`, { cause });
    this.name = 'TakenAndLost';
    this.cartridgeId = cartridge.id;
  }
}

export interface CopyToWrite {
  readonly uuid: string;
  readonly poolId: number;
  readonly facts: CopyFacts;
  /** The folder of a copy that is whole, or one that is made while it is written. */
  readonly from: string | MadeMeanwhile;
  /** Cartridges that are not taken. */
  readonly without?: ReadonlySet<number>;
}

/** `rest` resolves once the archive was made. When that fails, the work has to be stopped by its signal. */
export interface MadeMeanwhile extends FedArchive {
  readonly rest: Promise<CopyRest>;
}

export interface TapeCopyService {
  /**
   * Writes a copy to cartridges of a pool. When it returns all of it was written, the drives have said so, and the
   * ends were read back. Belongs to no copy until `settle`. Rejects with `NoCartridge`, `TakenAndLost` or another `DeviceError`.
   */
  write(copy: CopyToWrite, work: TapeWork): Promise<{ readonly bytes: number }>;
  /** What a tape has to say of a copy of the catalogue. */
  factsOf(copyId: number): Promise<CopyFacts>;
  /** Reads all of a copy and compares it with the hashes on the tape. */
  check(copyUuid: string, work: TapeWork): Promise<void>;
  /** What was written is that of a copy, in the transaction that makes its row. */
  settle(tx: Tx, copyUuid: string): Promise<void>;
  /** What was written will not be used: its room comes back where nothing was written behind it. */
  giveUp(copyUuid: string): Promise<void>;
  /** The copy lies elsewhere now: its file list goes, what is on tape stays there. */
  forgetList(copyUuid: string): Promise<void>;
  /** Brings a copy, or what of it is not there yet, from its cartridges into `folder`/`copyUuid`. `CartridgeMissing` names what a person has to bring. */
  recall(copyUuid: string, folder: string, work: TapeWork): Promise<void>;
  /**
   * The folder in which the file list of a copy lies below its uuid, when all its cartridges are in their library: then it can be restored while
   * it is read. Null otherwise.
   */
  listToFollow(copyUuid: string): Promise<string | null>;
  /** As `recall`, with the archive going through `arriving`, from where it is read meanwhile. */
  recallInto(arriving: ArrivingArchive, copyUuid: string, folder: string, work: TapeWork): Promise<void>;
  /** Whether the kept file list is that of the recalled copy in `folder`/`copyUuid`. */
  isListRight(copyUuid: string, folder: string): Promise<boolean>;
  /** The kept file list is not right; the next `recall` keeps that of the tape. */
  dropList(copyUuid: string): Promise<void>;
  /**
   * A folder of its own for what is on its way, below the data directory; `remove` it after. `taskId`: that of the task, with what
   * an earlier attempt of it has left there.
   */
  spool(taskId?: number): Promise<{ readonly path: string; remove(): Promise<void> }>;
  /** Removes the folders of tasks, unless `mayGoOn` names them and, where it is not null, the folder of a copy that is in them. */
  sweepSpools(
    mayGoOn: (taskIds: readonly number[]) => Promise<ReadonlyMap<number, string | null>>,
  ): Promise<void>;
  /** The server stops; what runs is stopped by its signal. */
  stop(): void;
  /** Removes what a process that ended has left. Before anything runs. */
  cleanUp(): Promise<void>;
}

/** Cartridges that the robot could not bring after which it is not asked for another one. */
const MOST_UNMOVED = 3;

const LONG_SET_WARNING = `This copy has come to its cartridge ${longSet} and goes on: each restore needs all of them, in order, and one that is lost ends the copy there. Larger cartridges, or several clients' resources in place of one, make shorter sets.`;

export function createTapeCopyService(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly mounts: TapeMounts;
  /** Where tape blocks go through. */
  readonly tapeCopies: TapeCopies;
  readonly lists: TapeFileLists;
  /** Folder of what is on its way. */
  readonly spoolFolder: string;
}): TapeCopyService {
  const { db, mounts } = deps;
  const store = createTapeStore(db);

  const writeOn = async (
    writer: TapeCopyWriter,
    cartridge: Cartridge,
    copyUuid: string,
    work: TapeWork,
  ): Promise<WrittenPart | null> => {
    const { id, barcode } = cartridge;
    return mounts.withCartridge(
      cartridge,
      work.signal,
      async (drive, signal) => {
        const inside = { ...work, signal };
        const prepared = await prepareCartridge(deps, drive, id, inside);
        if (prepared === null) return null;
        const { label, cartridge: now } = prepared;
        const entries = (await store.partsOn(id)).map(toEntry);
        work.log('info', `Writing to the cartridge ${barcode}.`);
        const part = await writer.writePart({ drive, label, file: now.nextFile, entries }, signal);
        await db.transaction().execute(async (tx) => {
          const stored = createTapeStore(tx);
          const { number, bytes, isLast, nextFile, isTapeFull } = part;
          const row = { cartridgeId: id, copyUuid, number, file: now.nextFile, bytes, isLast };
          await stored.addPart({ ...row, state: 'writing', facts: null });
          const written = now.written + bytes;
          const full = isTapeFull ? { state: 'full', capacity: written } : {};
          await stored.change(id, { written, nextFile, ...full });
        });
        const rest = part.isLast ? '' : '; the cartridge is full';
        work.log('info', `${part.bytes} bytes were written to the cartridge ${barcode}${rest}.`);
        if (part.number + 1 === longSet && !part.isLast) work.log('warning', LONG_SET_WARNING);
        return part;
      },
      work.log,
    );
  };

  /** Whether another cartridge may be tried after this failure; notes what it says of this one. */
  const mayGoOn = async (
    error: unknown,
    { cartridge, hindrances }: { readonly cartridge: Cartridge; readonly hindrances: Hindrance[] },
    work: TapeWork,
  ): Promise<boolean> => {
    if (!(error instanceof DeviceError) || work.signal.aborted) return false;
    const note = (what: string): void =>
      work.log('warning', `The cartridge ${cartridge.barcode} ${what}: ${error.message}`);
    if (error instanceof CartridgeMissing) {
      note('is not used');
      return true;
    }
    const hinder = async (why: Hindrance['why']): Promise<void> => {
      const [now = cartridge] = await store.some([cartridge.id]);
      hindrances.push({ barcode: cartridge.barcode, why, where: whereIs(now) });
    };
    // Before the kind is looked at: it is that of the robot's failure.
    if (error instanceof CartridgeNotMoved) {
      await hinder('unmoved');
      note('is not used');
      // A robot that brings none of three is itself what a person has to look at.
      return hindrances.filter(({ why }) => why === 'unmoved').length < MOST_UNMOVED;
    }
    if (error.kind === 'noSpace') {
      await store.change(cartridge.id, { state: 'full', capacity: cartridge.written });
      note('is full');
      return true;
    }
    if (error.kind === 'corrupt') {
      await store.change(cartridge.id, { state: 'suspect' });
      note('is suspect and is not written any more');
      return true;
    }
    if (!error.isWriteProtected) return false;
    await store.change(cartridge.id, { isWriteProtected: true });
    await hinder('protected');
    note(`(${hindrances.at(-1)?.where}) is write-protected and is not used`);
    return true;
  };

  const forgetList = async (copyUuid: string): Promise<void> => {
    if (!(await store.isCopy(copyUuid))) await deps.lists.forget(copyUuid);
  };
  const giveUp = async (copyUuid: string): Promise<void> => {
    await forgetList(copyUuid);
    await db.transaction().execute(async (tx) => {
      const inside = createTapeStore(tx);
      if (await inside.isCopy(copyUuid)) return;
      const parts = await inside.partsOf(copyUuid);
      // The tape keeps them until something is written over them.
      if (parts.length > 0) await inside.noteGivenUp(copyUuid, deps.clock.now());
      for (const part of parts) {
        const [cartridge] = await inside.some([part.cartridgeId]);
        const last = (await inside.partsOn(part.cartridgeId)).at(-1);
        if (!cartridge || last?.file !== part.file) continue;
        await inside.removePart(part.cartridgeId, part.file);
        const isOpen = cartridge.state === 'full' || cartridge.state === 'labelled';
        const written = cartridge.written - part.bytes;
        await inside.change(part.cartridgeId, {
          ...(isOpen ? { state: 'labelled' } : {}),
          written,
          nextFile: part.file,
        });
      }
      await inside.settleParts(copyUuid);
    });
  };

  const spooled = async (folder = ''): Promise<readonly string[]> => {
    try {
      return await readdir(join(deps.spoolFolder, folder));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  };
  const removeSpooled = (name: string): Promise<void> =>
    rm(join(deps.spoolFolder, name), { recursive: true, force: true });

  return {
    factsOf: async (copyId) => {
      const facts = await store.copyFacts(copyId);
      if (facts === null) throw new DeviceError('notFound', 'The copy is not there any more.');
      return facts;
    },

    write: async ({ from, uuid, facts, poolId, without }, given) => {
      const made = typeof from === 'string' ? null : from;
      const source = typeof from === 'string' ? from : { feed: from.feed, names: from.names };
      const writer = await deps.tapeCopies.openWriter({
        from: source,
        copyId: uuid,
        facts,
        onBytes: given.onBytes,
      });
      const broken = new AbortController();
      const signal = AbortSignal.any([given.signal, broken.signal]);
      const work = { ...given, signal };
      made?.rest.then(writer.complete).catch((error: unknown) => broken.abort(error));
      const tried = new Set(without);
      const hindrances: Hindrance[] = [];
      let bytes = 0;
      work.log(
        'info',
        'The copy is written to tape from its beginning; nothing of an earlier attempt counts.',
      );
      const expected =
        writer.totalBytes === null ? null : whatSetTakes(writer.totalBytes, await store.ofPool(poolId));
      if (expected !== null) work.log('warning', expected);
      try {
        for (;;) {
          work.signal.throwIfAborted();
          const drives = await mounts.countDrives();
          const cartridges = await store.ofPool(poolId);
          const left = candidates(cartridges).filter(({ cartridge }) => !tried.has(cartridge.id));
          // While another task writes to the best one a free drive takes another; nothing is waited for between this and its reservation.
          const isFree = ({ cartridge }: Candidate): boolean =>
            mounts.isFree(cartridge, drives.get(cartridge.libraryId) ?? 0);
          const next = left.find(isFree) ?? left[0];
          if (next === undefined) {
            const mend = whatToMend(hindrances);
            const bring = whatToBring(await poolName(db, poolId), cartridges);
            throw new NoCartridge(mend === '' ? bring : `${bring} ${mend}`);
          }
          tried.add(next.cartridge.id);
          try {
            const part = await writeOn(writer, next.cartridge, uuid, work);
            bytes += part?.bytes ?? 0;
            if (part?.isLast) {
              await deps.lists.keep(typeof from === 'string' ? from : (await from.rest).folder, uuid);
              return { bytes };
            }
          } catch (error) {
            if (await mayGoOn(error, { cartridge: next.cartridge, hindrances }, work)) {
              // What the parts before have does not count.
              if (made !== null && releasedBytes(made.feed) > bytes)
                throw new TakenAndLost(next.cartridge, error as DeviceError);
              continue;
            }
            if (error instanceof CartridgeNotMoved) throw new NoCartridge(whatToMend(hindrances));
            throw error;
          }
        }
      } catch (error) {
        await giveUp(uuid);
        throw broken.signal.aborted ? broken.signal.reason : error;
      } finally {
        await writer.close();
      }
    },

    settle: (tx, copyUuid) => createTapeStore(tx).settleParts(copyUuid),
    giveUp,
    forgetList,

    recall: async (copyUuid, folder, work) => {
      await readTapeCopy(deps, copyUuid, join(folder, copyUuid), work);
      // Of a copy that was found by a scan there is none yet.
      await deps.lists.keep(join(folder, copyUuid), copyUuid);
    },
    listToFollow: async (copyUuid) => {
      const parts = await store.partsOf(copyUuid);
      if (!parts.every(isInside)) return null;
      return deps.lists.find(copyUuid);
    },
    recallInto: ({ memory }, copyUuid, folder, work) =>
      readTapeCopy(deps, copyUuid, join(folder, copyUuid), work, memory),
    isListRight: (copyUuid, folder) => deps.lists.isSame(join(folder, copyUuid), copyUuid),
    dropList: (copyUuid) => deps.lists.forget(copyUuid),
    check: (copyUuid, work) => readTapeCopy(deps, copyUuid, null, work),

    spool: async (taskId) => {
      await mkdir(deps.spoolFolder, { recursive: true, mode: 0o700 });
      const path = join(deps.spoolFolder, taskId === undefined ? randomUUID() : `${TASK_PREFIX}${taskId}`);
      await mkdir(path, { mode: 0o700, recursive: taskId !== undefined });
      return { path, remove: () => rm(path, { recursive: true, force: true }) };
    },

    sweepSpools: async (mayGoOn) => {
      const ids = (await spooled()).flatMap((name) => taskIdOf(name) ?? []);
      const kept = ids.length === 0 ? new Map<number, string | null>() : await mayGoOn(ids);
      for (const id of ids) {
        const name = `${TASK_PREFIX}${id}`;
        const copy = kept.get(id);
        // A copy that was moved since has another name.
        const isOfUse = copy === null || (copy !== undefined && (await spooled(name)).includes(copy));
        if (!isOfUse) await removeSpooled(name);
      }
    },

    stop: mounts.stop,

    cleanUp: async () => {
      await store.forgetWriting();
      await deps.lists.sweep();
      for (const name of await spooled()) {
        if (taskIdOf(name) === null) await removeSpooled(name);
      }
    },
  };
}

/** Of a folder whose contents are of use to the next attempt of a task. */
const TASK_PREFIX = 'task-';

function taskIdOf(name: string): number | null {
  const id = /^task-(\d+)$/.exec(name)?.[1];
  return id === undefined ? null : Number(id);
}

const toEntry = (part: PlacedPart): CatalogueEntry => ({
  file: part.file,
  copy: part.copyUuid,
  number: part.number,
  isLast: part.isLast,
  bytes: part.bytes,
});

async function poolName(db: Db, poolId: number): Promise<string> {
  const [cartridge] = await createTapeStore(db).ofPool(poolId);
  return cartridge?.pool ?? String(poolId);
}
