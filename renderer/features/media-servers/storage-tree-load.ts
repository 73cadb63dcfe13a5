import type { BlockDevice } from '../../../contract/block-devices/block-device.ts';
import type { MediaServer } from '../../../contract/media-servers/media-server.ts';
import type { Pool } from '../../../contract/pools/pool.ts';
import type { Storage } from '../../../contract/storages/storage.ts';
import type { TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';
import { call, isWithoutAnswer, problemOf } from '../../bridge.ts';
import { type AskPage, pagesOf } from '../../shell/list-pages.ts';
import { t, textsOf } from '../../texts/index.ts';
import { showHidden } from '../../ui/index.ts';
import { branchesOf, type Place, type ServerBranch } from './storage-tree.ts';

const words = textsOf('mediaServers');

/** The lists that the tree is made of. */
export const kindWords = {
  servers: words.title,
  pools: words.pools,
  storages: words.tree.folders,
  devices: words.tree.devices,
  libraries: words.tree.libraries,
} as const;
export type Kind = keyof typeof kindWords;

/** Why a list may not be seen; null: it may. */
export type WhyNot = Readonly<Record<Kind, string | null>>;
/** How many pages of a list a person wants to see; one unless told. */
export type PagesShown = Readonly<Partial<Record<Kind, number>>>;

export interface Loaded {
  readonly branches: readonly ServerBranch[];
  /** Lists that go on, with the pages that are there of each. */
  readonly more: readonly { readonly kind: Kind; readonly rest: number; readonly shown: number }[];
  /** What could not be listed, in sentences. */
  readonly notes: readonly string[];
}

interface Part<R> {
  readonly items: readonly R[];
  readonly more: Loaded['more'];
  readonly notes: readonly string[];
}

/** All lists at once; each as far as it is wanted. */
export async function loadTree(
  connectionId: string,
  wish: { readonly whyNo: WhyNot; readonly pages: PagesShown },
  signal: AbortSignal,
): Promise<Loaded> {
  const part = async <R>(kind: Kind, ask: AskPage<R>): Promise<Part<R>> => {
    const whyNot = wish.whyNo[kind];
    if (whyNot !== null) return missing(kind, whyNot);
    try {
      const { items, rest, shown } = await pagesOf(wish.pages[kind] ?? 1, ask);
      return { items, more: rest > 0 ? [{ kind, rest, shown }] : [], notes: [] };
    } catch (error) {
      // A server that cannot be reached has no tree at all; one that refuses a list has the others.
      const problem = problemOf(error);
      if (kind === 'servers' || !isWithoutAnswer(problem)) throw error;
      return missing(kind, showHidden(problem.message));
    }
  };
  const [servers, pools, storages, devices, libraries] = await Promise.all([
    part<MediaServer>('servers', (query) => call(connectionId, 'mediaServers.list', { query }, signal)),
    part<Pool>('pools', (query) => call(connectionId, 'pools.list', { query }, signal)),
    part<Storage>('storages', (query) => call(connectionId, 'storages.list', { query }, signal)),
    part<BlockDevice>('devices', (query) => call(connectionId, 'blockDevices.list', { query }, signal)),
    part<TapeLibrary>('libraries', (query) => call(connectionId, 'tapeLibraries.list', { query }, signal)),
  ]);
  const places: readonly Place[] = [
    ...storages.items.map((record) => ({ kind: 'folder' as const, record })),
    ...devices.items.map((record) => ({ kind: 'device' as const, record })),
    ...libraries.items.map((record) => ({ kind: 'library' as const, record })),
  ];
  const parts = [servers, pools, storages, devices, libraries];
  return {
    branches: branchesOf({ servers: servers.items, pools: pools.items, places }),
    more: parts.flatMap(({ more }) => more),
    notes: parts.flatMap(({ notes }) => notes),
  };
}

function missing<R>(kind: Kind, reason: string): Part<R> {
  const note = t('mediaServers.tree.missing', { what: kindWords[kind], reason });
  return { items: [], more: [], notes: [note] };
}
