import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Db } from '../../db/index.ts';
import type { Log } from '../../platform/log.ts';
import { tapeListsFolder } from '../tape-lists.ts';
import { createTapeCopyStore } from './tape-copy-store.ts';

export interface TapeFileLists {
  /** Keeps all of the copy in `folder` but its archive. Never rejects: without a list the copy is whole all the same. */
  keep(folder: string, copyUuid: string): Promise<void>;
  /** The folder above the one of the copy; null when none is kept. */
  find(copyUuid: string): Promise<string | null>;
  /** Whether what is kept is what the copy in `folder` has. */
  isSame(folder: string, copyUuid: string): Promise<boolean>;
  forget(copyUuid: string): Promise<void>;
  /** Forgets those of copies that are gone, and what was cut off. */
  sweep(): Promise<void>;
}

/** File lists of copies on tape, each a folder with the name of its copy. */
export function createTapeFileLists(deps: {
  readonly db: Db;
  readonly log: Log;
  readonly dataDir: string;
}): TapeFileLists {
  const root = tapeListsFolder(deps.dataDir);
  const isThere = async (path: string): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    );
  const forget = (name: string): Promise<void> =>
    rm(join(root, name), { recursive: true, force: true, maxRetries: 3 });
  return {
    keep: async (folder, copyUuid) => {
      const making = join(root, `.${randomUUID()}`);
      try {
        if (await isThere(join(root, copyUuid))) return;
        await mkdir(making, { recursive: true, mode: 0o700 });
        const names = await namesIn(folder);
        for (const name of names) await copyFile(join(folder, name), join(making, name));
        await rename(making, join(root, copyUuid));
      } catch (error) {
        deps.log.warn('the file list of a copy on tape was not kept', { copy: copyUuid, error });
        await rm(making, { recursive: true, force: true });
      }
    },
    find: async (copyUuid) => ((await isThere(join(root, copyUuid))) ? root : null),
    isSame: async (folder, copyUuid) => {
      const names = await namesIn(folder);
      const kept = await namesIn(join(root, copyUuid));
      if (names.sort().join('/') !== kept.sort().join('/')) return false;
      for (const name of names) {
        const both = [join(folder, name), join(root, copyUuid, name)].map(hashOf);
        const [here, there] = await Promise.all(both);
        if (here !== there) return false;
      }
      return true;
    },
    forget,
    sweep: async () => {
      const catalogue = createTapeCopyStore(deps.db);
      const names = (await isThere(root)) ? await readdir(root) : [];
      for (const name of names) {
        if (name.startsWith('.') || !(await catalogue.isCopy(name))) await forget(name);
      }
    },
  };
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => !name.startsWith('archive.'));

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
