import { createStore } from 'zustand/vanilla';
import type { CopyFile } from '../../../contract/repository/copy.ts';
import { t } from '../../texts/index.ts';

export interface FolderContents {
  readonly files: readonly CopyFile[];
  readonly total: number;
  readonly isLoading: boolean;
  readonly problem: string | null;
}

export interface FilesState {
  /** By the folder's path; the top is the empty path. A folder opened once stays known. */
  readonly folders: ReadonlyMap<string, FolderContents>;
  readonly expanded: ReadonlySet<string>;
  readonly selected: ReadonlySet<string>;
  readonly search: string;
  readonly found: FolderContents | null;
  /** Why the last tick could not be taken back. */
  readonly problem: string | null;
}

export interface FilesDeps {
  readonly list: (
    request: { readonly folder?: string; readonly search?: string; readonly page: number },
    signal: AbortSignal,
  ) => Promise<{ readonly items: readonly CopyFile[]; readonly total: number }>;
  readonly reasonOf: (error: unknown) => string;
  /** How long typing into the search must pause before the server is asked. */
  readonly typingMs?: number;
}

export const topFolder = '';
const nothing: FolderContents = { files: [], total: 0, isLoading: true, problem: null };

export type FilesStore = ReturnType<typeof createFilesStore>;

/** The files of one copy, read folder by folder as they are opened. */
export function createFilesStore(deps: FilesDeps) {
  const store = createStore<FilesState>(() => ({
    folders: new Map(),
    expanded: new Set(),
    selected: new Set(),
    search: '',
    found: null,
    problem: null,
  }));
  const stop = new AbortController();
  let searching = new AbortController();

  const put = (folder: string, contents: FolderContents) =>
    store.setState((state) => ({ folders: new Map(state.folders).set(folder, contents) }));

  const load = async (folder: string): Promise<void> => {
    const before = store.getState().folders.get(folder) ?? nothing;
    const page = Math.floor(before.files.length / filesPerPage) + 1;
    put(folder, { ...before, isLoading: true, problem: null });
    try {
      const answer = await deps.list({ ...(folder === topFolder ? {} : { folder }), page }, stop.signal);
      const files = [...before.files.slice(0, (page - 1) * filesPerPage), ...answer.items];
      put(folder, { files, total: answer.total, isLoading: false, problem: null });
    } catch (error) {
      if (!stop.signal.aborted) put(folder, { ...before, isLoading: false, problem: deps.reasonOf(error) });
    }
  };

  /** All items of a folder, however many pages they are; an error when they are too many to be ticked one by one. */
  const loadWhole = async (folder: string): Promise<readonly CopyFile[]> => {
    for (let page = 0; page < wholeMostPages; page += 1) {
      const known = store.getState().folders.get(folder);
      if (known !== undefined && known.problem === null && known.files.length >= known.total)
        return known.files;
      await load(folder);
      const problem = store.getState().folders.get(folder)?.problem ?? null;
      if (problem !== null) throw new Error(problem);
    }
    throw new Error(t('copies.files.tooMany', { folder }));
  };

  /** Takes one item out of a ticked folder: everything beside it on the way down is ticked in the folder's place. */
  const takeOut = async (path: string, ticked: string): Promise<void> => {
    try {
      const beside: string[] = [];
      const way = [...foldersBetween(path, ticked), path];
      for (const [index, folder] of way.slice(0, -1).entries()) {
        const files = await loadWhole(folder);
        for (const file of files) if (file.path !== way[index + 1]) beside.push(file.path);
      }
      store.setState(({ selected }) => {
        if (!selected.has(ticked)) return {};
        const kept = [...selected].filter((one) => one !== ticked);
        return { selected: new Set([...kept, ...beside]) };
      });
    } catch (error) {
      if (!stop.signal.aborted) store.setState({ problem: deps.reasonOf(error) });
    }
  };

  return {
    store,
    load,
    toggle: (folder: string): void => {
      const { expanded, folders } = store.getState();
      const next = new Set(expanded);
      if (!next.delete(folder)) {
        next.add(folder);
        const known = folders.get(folder);
        if (known === undefined || known.problem !== null) void load(folder);
      }
      store.setState({ expanded: next });
    },
    /** An item that is chosen covers all below it; one below it can be taken out again. */
    select: async (path: string, isOn: boolean): Promise<void> => {
      const { selected } = store.getState();
      store.setState({ problem: null });
      const above = [...selected].find((one) => isBelow(path, one));
      if (above !== undefined) {
        if (!isOn) await takeOut(path, above);
        return;
      }
      const kept = [...selected].filter((one) => one !== path && !isBelow(one, path));
      store.setState({ selected: new Set(isOn ? [...kept, path] : kept) });
    },
    search: (text: string): void => {
      searching.abort();
      searching = new AbortController();
      const { signal } = searching;
      if (text === '') {
        store.setState({ search: text, found: null });
        return;
      }
      store.setState({ search: text, found: nothing });
      const ask = async () => {
        if (signal.aborted) return;
        try {
          const { items, total } = await deps.list({ search: text, page: 1 }, signal);
          if (!signal.aborted)
            store.setState({ found: { files: items, total, isLoading: false, problem: null } });
        } catch (error) {
          if (!signal.aborted)
            store.setState({ found: { ...nothing, isLoading: false, problem: deps.reasonOf(error) } });
        }
      };
      setTimeout(() => void ask(), deps.typingMs ?? 150);
    },
    close: (): void => {
      stop.abort();
      searching.abort();
    },
  };
}

export const filesPerPage = 500;
const wholeMostPages = 20;

/** The folders from `top`, with it, down to the one that holds `path`. */
export function foldersBetween(path: string, top: string): readonly string[] {
  const folders: string[] = [];
  let folder = path;
  while (folder.length > top.length) {
    const cut = folder.lastIndexOf('/');
    folder = cut > top.length ? folder.slice(0, cut) : top;
    folders.unshift(folder);
  }
  return folders;
}

export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

export function checkOf(path: string, selected: ReadonlySet<string>): 'on' | 'off' | 'mixed' {
  if (selected.has(path)) return 'on';
  for (const one of selected) if (isBelow(path, one)) return 'on';
  for (const one of selected) if (isBelow(one, path)) return 'mixed';
  return 'off';
}
