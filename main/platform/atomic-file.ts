import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './problem-error.ts';

/** The file calls that can fail in ways a test wants to choose. */
export interface FileCalls {
  readonly open: (path: string, flags: string, mode?: number) => Promise<FileHandle>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly rm: (path: string, options: { readonly force: true }) => Promise<void>;
  readonly readText: (path: string) => Promise<string>;
  readonly makeFolder: (path: string) => Promise<void>;
  readonly wait: (ms: number) => Promise<void>;
}

export const realFileCalls: FileCalls = {
  open,
  rename,
  rm,
  readText: (path) => readFile(path, 'utf8'),
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** What a virus scanner or indexer that has the file open makes of a rename on Windows. */
const passingRefusals = new Set(['EPERM', 'EBUSY', 'EACCES']);
const mostRenameTries = 12;
let counter = 0;

/**
 * Replaces the file's whole content or changes nothing: a cut at any moment leaves the old or the new text. Done when
 * the bytes and the name are on the disk. Only its owner may read the file.
 */
export async function writeAtomically(path: string, text: string, files = realFileCalls): Promise<void> {
  const folder = dirname(path);
  await files.makeFolder(folder);
  const temporary = join(folder, `.${basename(path)}.${process.pid}-${counter++}.tmp`);
  try {
    const handle = await files.open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text, 'utf8');
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renamePatiently(temporary, path, files);
  } catch (error) {
    // The first failure is the one to tell; a left-over temporary file does no harm.
    await files.rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder, files);
}

async function renamePatiently(from: string, to: string, files: FileCalls): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await files.rename(from, to);
      return;
    } catch (error) {
      if (!passingRefusals.has(codeOf(error) ?? '') || attempt >= mostRenameTries) throw error;
      await files.wait(Math.min(400, 10 * 2 ** attempt));
    }
  }
}

/** Without it the rename itself may be lost in a power cut. Windows cannot open folders, and does not need it. */
async function syncFolder(folder: string, files: FileCalls): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await files.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
