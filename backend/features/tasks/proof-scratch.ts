import { createHash } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isFolderThere } from '../../platform/disk-space.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { errorCode } from '../../platform/native.ts';
import { removeTree } from '../../platform/remove-tree.ts';

export type ProofScratch = ReturnType<typeof createProofScratch>;

/**
 * Folders for samples that are restored to be compared: one for each proof, readable for the user of this server only,
 * below a folder that belongs to this data directory alone, so that two servers can share a scratch space.
 */
export function createProofScratch(deps: {
  readonly scratchDir: string;
  readonly dataDir: string;
  readonly log: Log;
}) {
  const { log } = deps;
  const owner = createHash('sha256').update(deps.dataDir).digest('hex').slice(0, 16);
  const own = join(deps.scratchDir, `strongroom-${owner}`);

  const remove = async (folder: string): Promise<void> => {
    try {
      await removeTree(folder);
    } catch (error) {
      // It goes at the next start, before anything runs.
      log.warn('scratch space could not be removed yet', { folder, error });
    }
  };

  return {
    /** Where they lie. */
    folder: own,

    /** The same while it is there. */
    there: async (): Promise<readonly string[]> => ((await isFolderThere(own)) ? [own] : []),

    /** Gives `work` an empty folder that goes whatever becomes of it. Throws the system's error when there can be none. */
    within: async <R>(work: (folder: string) => Promise<R>): Promise<R> => {
      await mkdir(own, { recursive: true, mode: 0o700 });
      await requirePrivate(own);
      const folder = await mkdtemp(join(own, 'proof-'));
      try {
        return await work(folder);
      } finally {
        await remove(folder);
      }
    },

    /** What an earlier process left; while no proof runs. */
    clean: async (): Promise<void> => {
      let names: string[];
      try {
        names = await readdir(own);
        await requirePrivate(own);
      } catch (error) {
        if (errorCode(error) !== 'ENOENT')
          log.warn('the scratch space cannot be read', { own, reason: messageOf(error) });
        return;
      }
      for (const name of names) await remove(join(own, name));
      if (names.length > 0)
        log.info('scratch space of cut-off proofs was removed', { own, folders: names.length });
    },
  };
}

/** In a scratch space that others use too, somebody may have made the folder before: what it leads to is not ours then. */
async function requirePrivate(folder: string): Promise<void> {
  const facts = await lstat(folder);
  const own = process.getuid?.();
  // Without users of this kind the rights of the folder above are all there is.
  const isOurs = own === undefined || (facts.uid === own && (facts.mode & 0o022) === 0);
  if (facts.isDirectory() && isOurs) return;
  throw Object.assign(
    new Error(`${folder} is no folder of this server's user, or others may write to it; remove it`),
    { code: 'EPERM' },
  );
}
