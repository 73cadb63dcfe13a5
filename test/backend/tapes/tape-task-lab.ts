import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import type { Copy } from '../../../contract/repository/copy.ts';
import { openTapeLab, type TapeLab } from './tape-lab.ts';

export const mib = 1_048_576;

/** One server with tapes for each test, closed after it, and what is done with its backups. */
export function tapeTasks() {
  let lab: TapeLab;
  afterEach(() => lab.close());

  const hashes = async (folder: string): Promise<Readonly<Record<string, string>>> => {
    const found: Record<string, string> = {};
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      found[path.slice(folder.length)] = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
    }
    return found;
  };
  return {
    get lab() {
      return lab;
    },
    start: async (...options: Parameters<typeof openTapeLab>): Promise<void> => {
      lab = await openTapeLab(...options);
    },
    /** Something that needs `bytes` on tape too. */
    fill: async (bytes: number): Promise<void> => {
      await mkdir(lab.source, { recursive: true });
      await writeFile(join(lab.source, 'random.bin'), randomBytes(bytes));
    },
    done: async (task: number): Promise<Copy> => {
      const ended = await lab.queue.ended(task);
      expect([ended.status, ended.error_message]).toEqual(['done', null]);
      return lab.queue.copy(Number(ended.repository_id));
    },
    hashes,
    restoresEqual: async (copy: Copy): Promise<void> => {
      const destination = join(lab.folder.path, `restored-${copy.id}`);
      await mkdir(destination);
      const ended = await lab.queue.ended(await lab.queue.restore(copy.id, destination));
      expect([ended.status, ended.error_message]).toEqual(['done', null]);
      const all = await hashes(destination);
      const own = await hashes(lab.source);
      expect(Object.values(all).sort()).toEqual(Object.values(own).sort());
    },
    spoolIsEmpty: async (): Promise<void> => {
      const folder = join(lab.app.dataDir, 'tape-spool');
      await expect.poll(async () => (existsSync(folder) ? readdir(folder) : [])).toEqual([]);
    },
    toTape: () => lab.queue.backup(lab.source, { pool: 'Tapes' }),
  };
}
