import { createStore } from 'zustand/vanilla';
import type { CopyFile } from '../../../contract/repository/copy.ts';

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
}

export interface FilesDeps {
  readonly list: (
    request: { readonly folder?: string; readonly search?: string; readonly page: number },
    signal: AbortSignal,
  ) => Promise<{ readonly items: readonly CopyFile[]; readonly total: number }>;
  readonly reasonOf: (error: unknown) => string;
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

  return {
    store,
    load,
    toggle: (folder: string): void => {
      const { expanded, folders } = store.getState();
      const next = new Set(expanded);
      if (!next.delete(folder)) {
        next.add(folder);
        if (!folders.has(folder)) void load(folder);
      }
      store.setState({ expanded: next });
    },
    /** An item that is chosen covers all below it. */
    select: (path: string, isOn: boolean): void => {
      const { selected } = store.getState();
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
      deps.list({ search: text, page: 1 }, signal).then(
        (answer) => {
          if (signal.aborted) return;
          store.setState({
            found: { files: answer.items, total: answer.total, isLoading: false, problem: null },
          });
        },
        (error: unknown) => {
          if (!signal.aborted)
            store.setState({ found: { ...nothing, isLoading: false, problem: deps.reasonOf(error) } });
        },
      );
    },
    close: (): void => {
      stop.abort();
      searching.abort();
    },
  };
}

export const filesPerPage = 500;

export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

export function checkOf(path: string, selected: ReadonlySet<string>): 'on' | 'off' | 'mixed' {
  if (selected.has(path)) return 'on';
  for (const one of selected) if (isBelow(path, one)) return 'on';
  for (const one of selected) if (isBelow(one, path)) return 'mixed';
  return 'off';
}
