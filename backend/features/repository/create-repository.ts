import type { Db, Dialect } from '../../db/index.ts';
import { removeCopy } from '../../engine/index.ts';
import { whileAnswering } from '../../platform/answering.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import { createClientKeys } from '../client-keys.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import { tapeListsFolder } from '../tape-lists.ts';
import { createCopyAnnouncements } from './copy-announcements.ts';
import { createCopyProofService } from './copy-proof-service.ts';
import { createCopyRemoval } from './copy-removal.ts';
import { type CopyService, createCopyService } from './copy-service.ts';
import { openEngineFiles } from './engine-files.ts';
import { createExpiryHold } from './expiry-hold.ts';
import { createOpenCopies } from './open-copies.ts';
import { createRepositoryHandlers } from './repository-handlers.ts';
import { type CopyTask, createRepositoryService } from './repository-service.ts';
import { createRetentionPreview } from './retention-preview.ts';

export interface RepositoryDeps {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  /** Absolute path of the data directory. */
  readonly dataDir: string;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  readonly announce: Announce;
}

/** File lists kept open. */
const mostOpenCopies = 8;

/**
 * The repository, put together in two steps, since the task queue works with copies and the handlers make tasks:
 * first the copies, then `handlers` with the queue's `createTask`.
 */
export function createRepository(deps: RepositoryDeps) {
  const tell = createCopyAnnouncements(deps.announce);
  const keys = createClientKeys(deps.dataDir);
  const openCopies = createOpenCopies({
    open: (path, lock) => openEngineFiles(keys, path, lock),
    most: mostOpenCopies,
  });
  const hold = createExpiryHold(deps);
  const removal = createCopyRemoval({
    ...deps,
    hold,
    tell,
    tapeLists: tapeListsFolder(deps.dataDir),
    removeFolder: async (folder) => {
      await whileAnswering(folder.storagePath, () => removeCopy(folder));
    },
    closeFiles: openCopies.close,
  });
  const copies: CopyService = createCopyService({ ...deps, tell, removal, closeFiles: openCopies.close });
  return {
    copies,
    proofs: createCopyProofService({ ...deps, tell }),
    handlers: (createTask: (task: CopyTask) => Promise<number>) =>
      createRepositoryHandlers(
        copies,
        createRepositoryService({ ...deps, createTask, openCopies }),
        createRetentionPreview({ ...deps, hold }),
        hold,
      ),
    /** Closes what is open. */
    stop: openCopies.closeAll,
  };
}
