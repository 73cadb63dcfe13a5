import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { workerUrl } from '../platform/worker-url.ts';
import type { CatalogueCopyInput, CatalogueCopyResult } from './catalogue-copy-worker.ts';
import type { Db } from './database.ts';

/** The file that holds the database; null where it is none of ours, or in memory only. */
export async function databaseFile(db: Db): Promise<string | null> {
  const { rows } = await sql<{
    file: string;
  }>`select file from pragma_database_list where name = 'main'`.execute(db);
  return rows[0]?.file || null;
}

/**
 * Copies the database of `source` as it is at one moment to the new file `target`, in a thread of its own: whoever reads or
 * writes meanwhile waits for nothing. The copy is checked and on the disk when this resolves to its bytes; on a failure
 * nothing is left of it.
 */
export function copyDatabaseFile(source: string, target: string): Promise<number> {
  const input: CatalogueCopyInput = { source, target };
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerUrl(import.meta.url, 'catalogue-copy-worker'), { workerData: input });
    worker.once('message', ({ bytes }: CatalogueCopyResult) => resolve(bytes));
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the thread that copies the catalogue ended (${code})`)));
  });
}
