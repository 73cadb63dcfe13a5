import { useMemo, useState } from 'react';
import { keepTree, keptTree } from '../../shell/kept-tables.ts';
import { DetailsPanel } from '../../shell/list-screen.tsx';
import { useRights } from '../../shell/rights.ts';
import { shell } from '../../shell/shell-store.ts';
import { useAnswer, type Watch } from '../../shell/use-answer.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import {
  EmptyState,
  FailedState,
  formatBytes,
  LoadingRows,
  MeaningIcon,
  StaleBar,
  showHidden,
  Tree,
  type TreeNode,
} from '../../ui/index.ts';
import { BranchDetails } from './branch-details.tsx';
import {
  type Place,
  type PoolBranch,
  placeId,
  placeName,
  type ServerBranch,
  spaceOf,
} from './storage-tree.ts';
import {
  type Kind,
  kindWords,
  type Loaded,
  loadTree,
  type PagesShown,
  type WhyNot,
} from './storage-tree-load.ts';

const words = textsOf('mediaServers');
const watch: Watch = { kinds: ['pool', 'repository'], pollMs: 30_000, settleMs: 400 };

/** Media servers, their pools and where these keep their copies. */
export function StorageTreeView(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const reasonFor = useRights(connectionId);
  const whyNo: WhyNot = {
    servers: null,
    pools: reasonFor('pools.read'),
    storages: reasonFor('storages.read'),
    devices: reasonFor('block_devices.read'),
    libraries: reasonFor('tape_libraries.read'),
  };
  const rights = JSON.stringify(whyNo);
  const [pages, setPages] = useState<PagesShown>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rights are compared by what they say
  const load = useMemo(
    () => (signal: AbortSignal) => loadTree(connectionId, { whyNo, pages }, signal),
    [connectionId, rights, pages],
  );
  const { value: now, problem, reload } = useAnswer(connectionId, load, watch);
  // More of the same is on its way: what is there stays meanwhile.
  const [before, setBefore] = useState(now);
  if (now !== null && now !== before) setBefore(now);
  const value = now ?? before;
  const select = (id: string) => {
    const more = value?.more.find(({ kind }) => moreId(kind) === id);
    if (more === undefined) setSelected(id);
    else setPages((all) => ({ ...all, [more.kind]: more.shown + 1 }));
  };
  /** What a person turned round: servers begin open, pools closed. */
  const key = `${connectionId}/Storage tree`;
  const [turned, setTurned] = useState<ReadonlySet<string>>(
    () => new Set(keptTree(shell.getState().settings, key).turned?.map(String)),
  );
  const [selectedId, setSelected] = useState<string | null>(null);
  const toggle = (id: string) => {
    const next = new Set(turned);
    if (!next.delete(id)) next.add(id);
    setTurned(next);
    keepTree(key, { turned: [...next] });
  };
  const branches = value?.branches ?? [];
  const selected = selectedId === null ? null : findBranch(branches, selectedId);
  return (
    <>
      <div className="toolbar">
        <h1>{words.title}</h1>
      </div>
      {problem !== null && value !== null && (
        <StaleBar since={problem.since} reason={problem.reason} onRetry={reload} />
      )}
      <div className="content">
        <div className="content-main">
          {value === null && problem === null && <LoadingRows />}
          {value === null && problem !== null && (
            <FailedState
              what={words.tree.notShown}
              reason={problem.reason}
              since={problem.since}
              onRetry={reload}
            />
          )}
          {value !== null && branches.length === 0 && <EmptyState text={words.none} />}
          {value !== null && branches.length > 0 && (
            <Tree
              label={words.tree.label}
              nodes={[
                ...linesOf(branches, turned),
                ...value.more.map(moreLine),
                ...value.notes.map(noteLine),
              ]}
              selectedId={selectedId}
              onSelect={select}
              onToggle={toggle}
            />
          )}
        </div>
        {selected !== null && (
          <DetailsPanel onClose={() => setSelected(null)}>
            <BranchDetails connectionId={connectionId} branch={selected} />
          </DetailsPanel>
        )}
      </div>
    </>
  );
}

const moreId = (kind: Kind): string => `more/${kind}`;

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

function findBranch(
  branches: readonly ServerBranch[],
  id: string,
): ServerBranch | PoolBranch | { readonly place: Place } | null {
  for (const server of branches) {
    if (server.id === id) return server;
    for (const pool of server.pools) {
      if (pool.id === id) return pool;
      const place = pool.places.find((one) => placeId(one) === id);
      if (place !== undefined) return { place };
    }
  }
  return null;
}
