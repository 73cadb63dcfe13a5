import { type Base, startBackup } from '../../../backend/engine/index.ts';

/**
 * Makes a copy in a process of its own, so that it can be killed or run with fewer rights. Its only argument is the
 * request as JSON; prints the result as JSON. Says `begun` when the first bytes are written.
 */
interface Wish {
  readonly source: string;
  readonly storagePath: string;
  readonly copyId: string;
  readonly base: Base | null;
}

const wish = JSON.parse(process.argv[2] ?? '{}') as Wish;
const job = startBackup({ ...wish, compression: 'Optimal' });
const watch = setInterval(() => {
  if (job.progress().transferredBytes === 0) return;
  clearInterval(watch);
  process.stderr.write('begun');
}, 1);
const result = await job.result;
clearInterval(watch);
process.stdout.write(JSON.stringify(result));
