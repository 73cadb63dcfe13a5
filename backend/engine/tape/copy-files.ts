import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveFeed } from '../archive/archive-feed.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { type BlocksAhead, openBlocks } from './blocks-ahead.ts';
import { FeedBlocks } from './feed-blocks.ts';
import type { AnnouncedFile, CopyFacts, TapeFileFacts } from './tape-content.ts';

/** An archive that is made while it is written to tape. */
export interface FedArchive {
  readonly feed: ArchiveFeed;
  /** Of all files of the copy, whatever their order. None of them may turn out empty. */
  readonly names: readonly string[];
}

/** What is left of a copy once its archive was made. */
export interface CopyRest {
  /** Has all files but the archive. */
  readonly folder: string;
  /** What the catalogue will say of the copy. */
  readonly facts: CopyFacts;
}

/** The files of a copy in the order of the tape. */
export interface CopyFiles {
  readonly files: readonly AnnouncedFile[];
  /** Null until the copy is whole. */
  readonly facts: CopyFacts | null;
  /** Waits until the file is there; not behind the last one. */
  open(index: number, from: number, signal: AbortSignal): Promise<BlocksAhead>;
  /** The archive was made. Only for one that is fed. */
  complete(rest: CopyRest): Promise<void>;
}

/** A copy that is whole. */
export async function filesOfFolder(folder: string, facts: CopyFacts): Promise<CopyFiles> {
  const files = await filesOf(folder);
  if (files.length === 0) throw new DeviceError('notFound', `The folder ${folder} holds no copy.`);
  return {
    files,
    facts,
    open: (index, from) => {
      const about = files[index] as TapeFileFacts;
      return openBlocks(join(folder, about.name), about, from);
    },
    complete: async () => {
      throw new Error('a copy that is whole was completed once more');
    },
  };
}

/** A copy that is being made: its archive comes through a feed, the rest once that is over. */
export function filesOfFeed({ feed, names }: FedArchive): CopyFiles {
  const blocks = new FeedBlocks(feed);
  let files: readonly AnnouncedFile[] = archiveFirst(
    [...names].sort().map((name) => ({ name, bytes: null })),
  );
  let rest: CopyRest | null = null;
  let isThere = (): void => undefined;
  const coming = new Promise<void>((resolve) => {
    isThere = resolve;
  });
  return {
    get files() {
      return files;
    },
    get facts() {
      return rest?.facts ?? null;
    },
    open: async (index, from, signal) => {
      if (index === 0) return blocks.open(from);
      await orAborted(coming, signal);
      const about = files[index] as TapeFileFacts;
      return openBlocks(join((rest as CopyRest).folder, about.name), about, from);
    },
    complete: async (whole) => {
      const [archive, ...others] = files;
      const found = await filesOf(whole.folder);
      const isAsTold = found.map(({ name }) => name).join() === others.map(({ name }) => name).join();
      const sizes = [blocks.arrived, ...found.map(({ bytes }) => bytes)];
      if (archive === undefined || !isAsTold || sizes.includes(0))
        throw new Error(`the copy in ${whole.folder} has other files than its tape was told`);
      files = [{ name: archive.name, bytes: blocks.arrived }, ...found];
      rest = whole;
      isThere();
    },
  };
}

/** Rejects at once when it is aborted. */
async function orAborted(until: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<void>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    await Promise.race([until, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** `dd` finds it behind the header. */
function archiveFirst<F extends { readonly name: string }>(files: readonly F[]): readonly F[] {
  const isArchive = ({ name }: F): boolean => name.startsWith('archive.');
  return [...files.filter(isArchive), ...files.filter((file) => !isArchive(file))];
}

async function filesOf(folder: string): Promise<readonly TapeFileFacts[]> {
  try {
    const names = (await readdir(folder)).sort();
    const found = await Promise.all(
      names.map(async (name) => {
        const facts = await lstat(join(folder, name));
        if (!facts.isFile())
          throw new DeviceError('corrupt', `${folder} holds ${name}, which is no file of a copy.`);
        return { name, bytes: facts.size };
      }),
    );
    return archiveFirst(found);
  } catch (error) {
    throw toDeviceError(error, `The copy in ${folder} cannot be read`);
  }
}
