import { File, FileSymlink, Folder } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import type { Copy, CopyFile } from '../../../contract/repository/copy.ts';
import { call, problemOf } from '../../bridge.ts';
import { ServerTime } from '../../shell/server-time.tsx';
import { t, textsOf } from '../../texts/index.ts';
import { formatBytes, SearchBox, showHidden, Tree, type TreeNode } from '../../ui/index.ts';
import {
  checkOf,
  createFilesStore,
  type FilesState,
  type FilesStore,
  filesPerPage,
  topFolder,
} from './files-store.ts';

const words = textsOf('copies').files;

export function useFiles(connectionId: string, copyId: number): FilesStore {
  const files = useMemo(
    () =>
      createFilesStore({
        list: (request, signal) => {
          const { page, ...where } = request;
          const query = { page, limit: filesPerPage, ...where };
          return call(connectionId, 'repository.files', { params: { id: copyId }, query }, signal);
        },
        reasonOf: (error) => problemOf(error).message,
      }),
    [connectionId, copyId],
  );
  useEffect(() => {
    void files.load(topFolder);
    return () => files.close();
  }, [files]);
  return files;
}

/** The files of a copy, to look at. */
export function FileTree(props: { readonly connectionId: string; readonly copy: Copy }) {
  const files = useFiles(props.connectionId, props.copy.id);
  return <FilesView files={files} hasChecks={false} />;
}

/** With `hasChecks`, items can be ticked; nothing ticked means everything. */
export function FilesView(props: {
  readonly files: FilesStore;
  readonly hasChecks: boolean;
  readonly heightPx?: number;
}) {
  const { files, hasChecks } = props;
  const state = useStore(files.store);
  const nodes = state.found === null ? treeNodes(state, hasChecks) : foundNodes(state, hasChecks);
  return (
    <div style={{ display: 'flex', flexDirection: 'column', gap: 8, flex: 1, minHeight: 0 }}>
      <SearchBox label={words.search} value={state.search} onChange={files.search} />
      <Tree
        label={words.label}
        nodes={nodes}
        onToggle={files.toggle}
        onCheck={(id, isOn) => void files.select(id, isOn)}
        onSelect={(id) => {
          if (id.startsWith(moreMark)) void files.load(id.slice(moreMark.length));
        }}
        {...(props.heightPx === undefined ? {} : { heightPx: props.heightPx })}
      />
      {state.problem !== null && (
        <p className="field-error" role="alert">
          {showHidden(state.problem)}
        </p>
      )}
    </div>
  );
}

const moreMark = 'more:';

function treeNodes(state: FilesState, hasChecks: boolean): readonly TreeNode[] {
  const nodes: TreeNode[] = [];
  const add = (folder: string, level: number) => {
    const contents = state.folders.get(folder);
    if (contents === undefined) return;
    for (const file of contents.files) {
      nodes.push(nodeOf(file, level, state, hasChecks));
      if (file.type === 'folder' && state.expanded.has(file.path)) add(file.path, level + 1);
    }
    if (contents.problem !== null) {
      const name = t('copies.files.tryAgain', { reason: showHidden(contents.problem) });
      nodes.push({ ...note(`${moreMark}${folder}`, level, name), isNote: false, isWrapped: true });
      return;
    }
    if (contents.isLoading) nodes.push(note(`loading:${folder}`, level, words.loading));
    else if (contents.files.length < contents.total) {
      const rest = contents.total - contents.files.length;
      nodes.push({ ...note(`${moreMark}${folder}`, level, t('copies.files.more', { rest })), isNote: false });
    } else if (contents.total === 0) nodes.push(note(`empty:${folder}`, level, words.isEmpty));
  };
  add(topFolder, 1);
  return nodes;
}

function foundNodes(state: FilesState, hasChecks: boolean): readonly TreeNode[] {
  const { found } = state;
  if (found === null) return [];
  const nodes = found.files.map((file) => ({
    ...nodeOf(file, 1, state, hasChecks),
    name: showHidden(file.path),
    isExpanded: null,
  }));
  if (found.problem !== null) return [{ ...note('problem', 1, found.problem), isWrapped: true }];
  if (found.isLoading) return [note('loading', 1, words.searching)];
  if (nodes.length === 0) return [note('none', 1, words.noMatch)];
  const rest = found.total - nodes.length;
  return rest > 0 ? [...nodes, note('rest', 1, t('copies.files.narrow', { rest }))] : nodes;
}

function nodeOf(file: CopyFile, level: number, state: FilesState, hasChecks: boolean): TreeNode {
  return {
    id: file.path,
    name: showHidden(file.name),
    level,
    isExpanded: file.type === 'folder' ? state.expanded.has(file.path) : null,
    icon: iconOf(file.type),
    after: (
      <span className="caption" style={{ display: 'flex', flex: 'none', gap: 16 }}>
        {file.type === 'file' && <span>{formatBytes(file.size)}</span>}
        <span>
          <ServerTime text={file.mtime} />
        </span>
      </span>
    ),
    ...(hasChecks ? { check: checkOf(file.path, state.selected) } : {}),
  };
}

function iconOf(type: string) {
  if (type === 'folder') return <Folder size={14} aria-hidden />;
  return type === 'symlink' ? <FileSymlink size={14} aria-hidden /> : <File size={14} aria-hidden />;
}

function note(id: string, level: number, name: string): TreeNode {
  return { id, name, level, isExpanded: null, isNote: true };
}
