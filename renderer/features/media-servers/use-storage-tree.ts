import { useEffect, useMemo, useState } from 'react';
import type { ShownObject } from '../../../contract/desktop/settings.ts';
import { keepTree, keptTree } from '../../shell/kept-tables.ts';
import { useRights } from '../../shell/rights.ts';
import { shell } from '../../shell/shell-store.ts';
import { type Answer, useAnswer, type Watch } from '../../shell/use-answer.ts';
import { type Branch, findBranch } from './storage-tree.ts';
import { moreId } from './storage-tree-lines.tsx';
import { type Kind, type Loaded, loadTree, type PagesShown, type WhyNot } from './storage-tree-load.ts';

const watch: Watch = { kinds: ['pool', 'repository'], pollMs: 30_000, settleMs: 400 };

export interface StorageTree extends Pick<Answer<Loaded>, 'problem' | 'reload'> {
  /** Null before the first answer. */
  readonly value: Loaded | null;
  /** What a person turned round: servers begin open, pools closed. */
  readonly turned: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
  readonly selectedId: string | null;
  readonly selected: Branch | null;
  readonly select: (id: string | null) => void;
  /** Whether what is selected may still lie in a page that is on its way. */
  readonly isSought: boolean;
}

/** The tree as it was left; `shownId` is the line whose details stand in its place. */
export function useStorageTree(connectionId: string, shownId: ShownObject['id'] | null): StorageTree {
  const [pages, setPages] = useState<PagesShown>({});
  const { value, problem, reload } = useLoaded(connectionId, pages);
  const key = `${connectionId}/Storage tree`;
  const [kept] = useState(() => keptTree(shell.getState().settings, key));
  const [turned, setTurned] = useState<ReadonlySet<string>>(() => new Set(kept.turned?.map(String)));
  const [chosenId, setChosen] = useState<string | null>(() => kept.selection?.map(String)[0] ?? null);
  const selectedId = shownId === null ? chosenId : String(shownId);
  const keep = (now: { readonly turned: ReadonlySet<string>; readonly selectedId: string | null }) =>
    keepTree(key, {
      turned: [...now.turned],
      selection: now.selectedId === null ? [] : [now.selectedId],
    });
  const morePages = ({ kind, shown }: Loaded['more'][number]) =>
    setPages((all) => ({ ...all, [kind]: shown + 1 }));
  const select = (id: string | null) => {
    const more = value?.more.find(({ kind }) => moreId(kind) === id);
    if (more !== undefined) {
      morePages(more);
      return;
    }
    setChosen(id);
    keep({ turned, selectedId: id });
  };
  const toggle = (id: string) => {
    const next = new Set(turned);
    if (!next.delete(id)) next.add(id);
    setTurned(next);
    keep({ turned: next, selectedId: chosenId });
  };
  const selected = selectedId === null ? null : findBranch(value?.branches ?? [], selectedId);
  // The page of a line that lies beyond the first pages of its list.
  const beyond =
    shownId === null || selected !== null
      ? undefined
      : value?.more.find(({ kind }) => kind === listOf(String(shownId)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page that came without it
  useEffect(() => {
    if (beyond !== undefined) morePages(beyond);
  }, [beyond?.kind, beyond?.shown]);
  // Who leaves the page finds its line selected.
  useEffect(() => {
    if (shownId !== null) setChosen(String(shownId));
  }, [shownId]);
  const isSought = problem === null && (value === null || beyond !== undefined);
  return { value, problem, reload, turned, toggle, selectedId, selected, select, isSought };
}

/** All of it as far as it is wanted; what is there stays while more of the same is on its way. */
function useLoaded(connectionId: string, pages: PagesShown): Answer<Loaded> {
  const reasonFor = useRights(connectionId);
  const whyNo: WhyNot = {
    servers: null,
    pools: reasonFor('pools.read'),
    storages: reasonFor('storages.read'),
    devices: reasonFor('block_devices.read'),
    libraries: reasonFor('tape_libraries.read'),
  };
  const rights = JSON.stringify(whyNo);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rights are compared by what they say
  const load = useMemo(
    () => (signal: AbortSignal) => loadTree(connectionId, { whyNo, pages }, signal),
    [connectionId, rights, pages],
  );
  const answer = useAnswer(connectionId, load, watch);
  const [before, setBefore] = useState(answer.value);
  if (answer.value !== null && answer.value !== before) setBefore(answer.value);
  return { ...answer, value: answer.value ?? before };
}

/** In which list the line with this id stands. */
function listOf(id: string): Kind | undefined {
  const kinds: Readonly<Partial<Record<string, Kind>>> = {
    server: 'servers',
    pool: 'pools',
    folder: 'storages',
    device: 'devices',
    library: 'libraries',
  };
  return kinds[id.split('/')[0] ?? ''];
}
