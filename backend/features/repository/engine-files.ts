import {
  DeviceError,
  type Entry,
  type EntryType,
  type ListedItem,
  type Manifest,
  openManifest,
} from '../../engine/index.ts';
import { toDisplay } from '../../platform/byte-path.ts';
import { Refusal } from '../../platform/errors.ts';
import type { ClientKeys, LockedBy } from '../client-keys.ts';
import type { FilesWish, ListedFile, ListedPage, OpenCopy } from './open-copies.ts';

/** The file list of a copy in its folder. A copy whose list cannot be read is refused with the reason. */
export async function openEngineFiles(
  keys: Pick<ClientKeys, 'demand'>,
  copyPath: string,
  lock: LockedBy | null,
): Promise<OpenCopy> {
  const manifest = await refusing(async () =>
    openManifest(copyPath, lock === null ? null : await keys.demand(lock)),
  );
  let reasons: ReadonlyMap<string, string> | null = null;
  return {
    page: async (wish) => {
      try {
        reasons ??= skippedReasons(manifest);
        return await pageOf(manifest, wish, reasons);
      } catch (error) {
        if (error instanceof DeviceError && error.kind === 'notFound') return null;
        throw asRefusal(error);
      }
    },
    close: () => manifest.close(),
  };
}

/** Beyond this many a row does not say why it is incomplete; the copy and the task's log list all of them. */
const mostReasons = 10_000;

function skippedReasons(manifest: Manifest): ReadonlyMap<string, string> {
  return new Map(manifest.skipped(0, mostReasons).map(({ path, reason }) => [path, reason]));
}

async function pageOf(
  manifest: Manifest,
  wish: FilesWish,
  reasons: ReadonlyMap<string, string>,
): Promise<ListedPage> {
  const { folder, search, offset, limit } = wish;
  const place = folder === '' ? {} : { folder };
  const page =
    search === '' ? listed(manifest, wish) : await manifest.search({ text: search, ...place, offset, limit });
  return {
    rows: page.items.map((item) => ({ ...toFile(item), skipped: reasons.get(item.path) ?? null })),
    total: page.total,
  };
}

/** Without a folder: what the resource holds; a resource that is no folder is listed itself. */
function listed(manifest: Manifest, { folder, offset, limit }: FilesWish) {
  const [top] = manifest.list({ offset: 0, limit: 1 }).items;
  const isSingle = folder === '' && (top === undefined || top.entry.childFolderId === null);
  return manifest.list(isSingle ? { offset, limit } : { folder, offset, limit });
}

async function refusing<R>(read: () => Promise<R>): Promise<R> {
  try {
    return await read();
  } catch (error) {
    throw asRefusal(error);
  }
}

function asRefusal(error: unknown): unknown {
  if (!(error instanceof DeviceError)) return error;
  if (error.kind === 'permission') {
    // A key that is not there, or a right that this server lacks: no fault of the copy.
    const errors = { id: 'its file list cannot be opened' };
    return new Refusal('state.notAllowed', { message: error.message, errors, cause: error });
  }
  const isPassing = error.kind === 'transient' || error.kind === 'busy';
  return new Refusal(isPassing ? 'server.busy' : 'state.notAllowed', {
    message: isPassing ? `${error.message} Try again in a while.` : `${error.message} Verify the copy.`,
    errors: { id: 'its file list cannot be read' },
    cause: error,
  });
}

const types: { readonly [T in EntryType]: ListedFile['type'] } = {
  f: 'file',
  h: 'file',
  d: 'folder',
  l: 'symlink',
  p: 'fifo',
  c: 'char_device',
  b: 'block_device',
};

/** A date can hold no more; a file may claim any time. */
const mostDateMs = 8.64e15;

function toFile({ name, path, entry }: ListedItem): Omit<ListedFile, 'skipped'> {
  const mtimeMs = Number(entry.mtimeNs / 1_000_000n);
  return {
    name,
    path,
    type: types[entry.type],
    sizeBytes: entry.sizeBytes,
    mode: entry.mode,
    uid: entry.uid,
    gid: entry.gid,
    mtimeMs: Math.max(-mostDateMs, Math.min(mostDateMs, mtimeMs)),
    linkTarget: entry.type === 'l' ? toDisplay(entry.linkTarget) : null,
    flags: flagsOf(entry),
  };
}

function flagsOf(entry: Entry): readonly string[] {
  return [
    ...(entry.changed ? ['changed'] : []),
    ...(entry.sparse ? ['sparse'] : []),
    ...(entry.hasLinks || entry.type === 'h' ? ['hard_link'] : []),
  ];
}
