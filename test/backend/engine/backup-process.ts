import { statSync } from 'node:fs';
import { type Base, startBackup, startStoreThread } from '../../../backend/engine/index.ts';

/**
 * Makes a copy in a process of its own, so that it can be killed or run with fewer rights. Its only argument is the
 * request as JSON; prints the result as JSON. Says `begun` when the first bytes are written.
 */
interface Wish {
  readonly source: string;
  readonly storagePath: string;
  readonly copyId: string;
  readonly base: Base | null;
  /** A file that gets a block store unless it has one: the data go there, and only the list to the storage. */
  readonly device?: string;
}

const wish = JSON.parse(process.argv[2] ?? '{}') as Wish;
const create = { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 } as const;
const blocks =
  wish.device === undefined
    ? null
    : await startStoreThread(wish.device, {
        indexFile: `${wish.device}.index`,
        ...(statSync(wish.device).blocks === 0 ? { create } : {}),
      });
const session = await blocks?.call('openSession', null);
const job = startBackup({ ...wish, compression: 'Optimal', blocks });
const watch = setInterval(() => {
  if (job.progress().transferredBytes === 0) return;
  clearInterval(watch);
  process.stderr.write('begun');
}, 1);
try {
  const result = await job.result;
  process.stdout.write(JSON.stringify(result));
} finally {
  clearInterval(watch);
  if (session !== undefined) await blocks?.call('endSession', session);
  await blocks?.close();
}
