import { join } from 'node:path';
import type { Db, Tx } from '../../db/index.ts';
import { type ArrivingArchive, type CopyFacts, DeviceError, type TapeCopies } from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { isInside } from './cartridge-rules.ts';
import { readTapeCopy } from './read-tape-copy.ts';
import { createTapeCopyStore } from './tape-copy-store.ts';
import type { TapeFileLists } from './tape-file-lists.ts';
import type { TapeMounts } from './tape-mounts.ts';
import { createTapeSpools, type TapeSpools } from './tape-spools.ts';
import { createTapeStore } from './tape-store.ts';
import type { TapeWork } from './tape-work.ts';
import { type CopyToWrite, createTapeCopyWriting } from './write-tape-copy.ts';

export { isWorthWaiting, TakenAndLost } from './cartridge-errors.ts';
export type { TapeWork } from './tape-work.ts';

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
  spool: TapeSpools['make'];
  sweepSpools: TapeSpools['sweep'];
  /** The server stops; what runs is stopped by its signal. */
  stop(): void;
  /** Removes what a process that ended has left. Before anything runs. */
  cleanUp(): Promise<void>;
}

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
  const store = createTapeStore(deps.db);
  const writing = createTapeCopyWriting(deps);
  const spools = createTapeSpools(deps.spoolFolder);

  return {
    factsOf: async (copyId) => {
      const facts = await createTapeCopyStore(deps.db).copyFacts(copyId);
      if (facts === null) throw new DeviceError('notFound', 'The copy is not there any more.');
      return facts;
    },

    write: writing.write,
    settle: (tx, copyUuid) => createTapeStore(tx).settleParts(copyUuid),
    giveUp: writing.giveUp,
    forgetList: writing.forgetList,

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

    spool: spools.make,
    sweepSpools: spools.sweep,
    stop: deps.mounts.stop,

    cleanUp: async () => {
      await store.forgetWriting();
      await deps.lists.sweep();
      await spools.cleanUp();
    },
  };
}
