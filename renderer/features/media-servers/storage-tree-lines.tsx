import { t, textsOf, wordFor } from '../../texts/index.ts';
import { formatBytes, MeaningIcon, showHidden, type TreeNode } from '../../ui/index.ts';
import {
  type Place,
  type PoolBranch,
  placeId,
  placeName,
  type ServerBranch,
  spaceOf,
} from './storage-tree.ts';
import { type Kind, kindWords, type Loaded } from './storage-tree-load.ts';

const words = textsOf('mediaServers');

/** The tree as its visible lines; last what may be loaded, and what is not shown. */
export function treeLines(loaded: Loaded, turned: ReadonlySet<string>): readonly TreeNode[] {
  return [...linesOf(loaded.branches, turned), ...loaded.more.map(moreLine), ...loaded.notes.map(noteLine)];
}

/** Of the line that loads more of a list. */
export const moreId = (kind: Kind): string => `more/${kind}`;

const moreLine = ({ kind, rest }: Loaded['more'][number]): TreeNode => ({
  id: moreId(kind),
  name: t('mediaServers.tree.more', { what: kindWords[kind], count: rest }),
  level: 1,
  isExpanded: null,
});

const noteLine = (name: string, index: number): TreeNode => ({
  id: `note/${index}`,
  name,
  level: 1,
  isExpanded: null,
  isNote: true,
  isWrapped: true,
});

function linesOf(branches: readonly ServerBranch[], turned: ReadonlySet<string>): readonly TreeNode[] {
  return branches.flatMap((branch) => {
    const isExpanded = branch.pools.length === 0 ? null : !turned.has(branch.id);
    const line: TreeNode = {
      id: branch.id,
      name: branch.name,
      level: 1,
      isExpanded,
      isOpenable: true,
      ...(branch.server === null
        ? {}
        : { icon: <MeaningIcon meaning={branch.server.online ? 'ok' : 'error'} /> }),
      after: <span className="caption">{serverNote(branch)}</span>,
    };
    if (!isExpanded) return [line];
    return [line, ...branch.pools.flatMap((pool) => poolLines(pool, turned))];
  });
}

function serverNote({ server, pools }: ServerBranch): string {
  const count = t('mediaServers.tree.poolCount', { count: pools.length });
  return server === null ? count : `${server.online ? words.online : words.offline}, ${count}`;
}

function poolLines(branch: PoolBranch, turned: ReadonlySet<string>): readonly TreeNode[] {
  const isExpanded = branch.places.length === 0 ? null : turned.has(branch.id);
  const line: TreeNode = {
    id: branch.id,
    name: branch.name,
    level: 2,
    isExpanded,
    isOpenable: true,
    after: <span className="caption">{poolNote(branch)}</span>,
  };
  if (!isExpanded) return [line];
  return [line, ...branch.places.map(placeLine)];
}

function poolNote({ pool, places }: PoolBranch): string {
  const offline = places.filter((place) => !isOnline(place)).length;
  return [
    pool === null ? null : showHidden(wordFor(textsOf('pools').types, pool.pool_type)),
    pool === null || pool.total_space === 0
      ? null
      : t('mediaServers.tree.free', { size: formatBytes(pool.free_space) }),
    places.length === 0 ? words.tree.noStorage : null,
    offline === 0 ? null : t('mediaServers.tree.offlineCount', { count: offline }),
  ]
    .filter((text) => text !== null)
    .join(', ');
}

const isOnline = ({ record }: Place): boolean => record.status === 'Online' || record.status === 'Sync';

function placeLine(place: Place): TreeNode {
  const space = spaceOf(place);
  const state = showHidden(wordFor(textsOf('tapeLibraries').statuses, place.record.status));
  const used =
    space === null
      ? null
      : t('mediaServers.tree.used', { used: formatBytes(space.used), total: formatBytes(space.total) });
  return {
    id: placeId(place),
    name: placeName(place),
    level: 3,
    isExpanded: null,
    icon: <MeaningIcon meaning={isOnline(place) ? 'ok' : 'error'} />,
    after: <span className="caption">{[state, used].filter((text) => text !== null).join(', ')}</span>,
  };
}
