import type { LockedBy } from '../client-keys.ts';

/** One entry of a copy's file list; texts in display form. */
export interface ListedFile {
  readonly name: string;
  /** Absolute, as the resource was named when it was backed up. */
  readonly path: string;
  readonly type: 'file' | 'folder' | 'symlink' | 'fifo' | 'char_device' | 'block_device';
  readonly sizeBytes: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeMs: number;
  readonly linkTarget: string | null;
  readonly flags: readonly string[];
  /** Why its content is not in the copy, or not completely; null when it is. */
  readonly skipped: string | null;
}

export interface ListedPage {
  readonly rows: readonly ListedFile[];
  readonly total: number;
}

/** `folder`: display path, absolute or relative to the resource; empty = what the resource holds. */
export interface FilesWish {
  readonly folder: string;
  /** Text in the names, anywhere below the folder; empty = the children of the folder. */
  readonly search: string;
  readonly offset: number;
  readonly limit: number;
}

/** The file list of one copy, open for reading. */
export interface OpenCopy {
  /** Null when there is no such folder in the copy. */
  page(wish: FilesWish): Promise<ListedPage | null>;
  close(): void;
}

interface Kept {
  readonly opening: Promise<OpenCopy>;
  users: number;
  isWanted: boolean;
  isClosed: boolean;
}

export type OpenCopies = ReturnType<typeof createOpenCopies>;

/** Keeps the file lists that were read last open, so that the next page costs nothing; at most `most` of them. */
export function createOpenCopies(deps: {
  readonly open: (copyPath: string, lock: LockedBy | null) => Promise<OpenCopy>;
  readonly most: number;
}) {
  const kept = new Map<number, Kept>();

  const closeIfUnused = async (copy: Kept): Promise<void> => {
    if (copy.users > 0 || copy.isWanted || copy.isClosed) return;
    copy.isClosed = true;
    // One that could not be opened has nothing to close; whoever asked for it was told.
    const opened = await copy.opening.catch(() => null);
    opened?.close();
  };
  const drop = async (id: number, copy: Kept): Promise<void> => {
    if (kept.get(id) === copy) kept.delete(id);
    if (!copy.isWanted) return;
    copy.isWanted = false;
    await closeIfUnused(copy);
  };
  const hold = (id: number, path: string, lock: LockedBy | null): Kept => {
    const known = kept.get(id);
    const copy = known ?? { opening: deps.open(path, lock), users: 0, isWanted: true, isClosed: false };
    copy.users += 1;
    // The one used last stands at the end.
    kept.delete(id);
    kept.set(id, copy);
    return copy;
  };

  return {
    /** Runs `read` on the file list of a copy, which stays open at least until `read` has ended. */
    use: async <R>(
      copy: { readonly id: number; readonly path: string; readonly lock?: LockedBy },
      read: (opened: OpenCopy) => Promise<R>,
    ): Promise<R> => {
      const held = hold(copy.id, copy.path, copy.lock ?? null);
      try {
        return await read(await held.opening);
      } catch (error) {
        // What failed once is opened anew the next time.
        await drop(copy.id, held);
        throw error;
      } finally {
        held.users -= 1;
        const [oldest] = kept;
        if (kept.size > deps.most && oldest) await drop(...oldest);
        await closeIfUnused(held);
      }
    },

    close: async (id: number): Promise<void> => {
      const copy = kept.get(id);
      if (copy) await drop(id, copy);
    },

    closeAll: async (): Promise<void> => {
      for (const [id, copy] of [...kept]) await drop(id, copy);
    },
  };
}
