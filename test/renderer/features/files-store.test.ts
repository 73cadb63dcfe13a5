import { describe, expect, test, vi } from 'vitest';
import type { CopyFile } from '../../../contract/repository/copy.ts';
import {
  checkOf,
  createFilesStore,
  filesPerPage,
  foldersBetween,
  topFolder,
} from '../../../renderer/features/copies/files-store.ts';

function file(path: string, type = 'file'): CopyFile {
  const rest = { size: 1, mode: 0, uid: 0, gid: 0, mtime: '2026-01-01T00:00:00', link_target: null };
  return { name: path.split('/').at(-1) ?? path, path, type, flags: [], skipped: null, ...rest };
}

const folders: Readonly<Record<string, readonly CopyFile[]>> = {
  '': [file('a', 'folder'), file('b')],
  a: [file('a/[1]', 'folder'), file('a/two'), file('a/*')],
  'a/[1]': [file('a/[1]/x'), file('a/[1]/y')],
};

function setUp(contents: Readonly<Record<string, readonly CopyFile[]>> = folders) {
  const list = vi.fn(
    async (
      request: { readonly folder?: string; readonly search?: string; readonly page: number },
      _signal: AbortSignal,
    ) => {
      const all = contents[request.folder ?? ''];
      if (all === undefined) throw new Error('The storage is away.');
      const from = (request.page - 1) * filesPerPage;
      return { items: all.slice(from, from + filesPerPage), total: all.length };
    },
  );
  const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
  const files = createFilesStore({ list, reasonOf, typingMs: 0 });
  return { files, list, state: () => files.store.getState() };
}

describe('folders of a copy', () => {
  test('a folder opened again comes from what is known (case 48)', async () => {
    const { files, list, state } = setUp();
    await files.load(topFolder);
    files.toggle('a');
    await vi.waitFor(() => expect(state().folders.get('a')?.files).toHaveLength(3));
    files.toggle('a');
    files.toggle('a');
    expect(state().expanded.has('a')).toBe(true);
    expect(list).toHaveBeenCalledTimes(2);
  });

  test('a large folder comes page by page (case 47)', async () => {
    const many = Array.from({ length: 1200 }, (_, index) => file(`f${index}`));
    const { files, state } = setUp({ '': many });
    await files.load(topFolder);
    expect(state().folders.get('')).toMatchObject({ total: 1200 });
    expect(state().folders.get('')?.files).toHaveLength(500);
    await files.load(topFolder);
    await files.load(topFolder);
    expect(state().folders.get('')?.files).toEqual(many);
  });

  test('a folder that could not be read is asked for again when it is opened again', async () => {
    const { files, list, state } = setUp({ '': [file('gone', 'folder')] });
    files.toggle('gone');
    await vi.waitFor(() => expect(state().folders.get('gone')?.problem).toBe('The storage is away.'));
    files.toggle('gone');
    files.toggle('gone');
    expect(list).toHaveBeenCalledTimes(2);
  });
});

describe('ticks', () => {
  test('a ticked folder covers all below it, and what was ticked below it', async () => {
    const { files, state } = setUp();
    await files.select('a/two', true);
    expect(checkOf('a', state().selected)).toBe('mixed');
    await files.select('a', true);
    expect([...state().selected]).toEqual(['a']);
    expect(checkOf('a/[1]/x', state().selected)).toBe('on');
    expect(checkOf('ab', state().selected)).toBe('off');
  });

  test('one item taken out of a ticked folder leaves exactly the others (case 68)', async () => {
    const { files, state } = setUp();
    await files.select('a', true);
    await files.select('a/[1]/x', false);
    expect([...state().selected].sort()).toEqual(['a/*', 'a/[1]/y', 'a/two']);
    expect(checkOf('a/[1]/x', state().selected)).toBe('off');
    expect(checkOf('a', state().selected)).toBe('mixed');
  });

  test('an item is taken out of a folder of several pages without losing the further ones', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => file(`big/${index}`));
    const { files, state } = setUp({ big: many });
    await files.select('big', true);
    await files.select('big/7', false);
    expect(state().selected.size).toBe(1000);
    expect(state().selected.has('big/1000')).toBe(true);
  });

  test('where the others cannot be listed the tick stays and the reason is told', async () => {
    const { files, state } = setUp({});
    await files.select('a', true);
    await files.select('a/two', false);
    expect([...state().selected]).toEqual(['a']);
    expect(state().problem).toBe('The storage is away.');
  });

  test('the way down to an item names each folder once, from the root too', () => {
    expect(foldersBetween('a/b/c', 'a')).toEqual(['a', 'a/b']);
    expect(foldersBetween('/x/y', '/')).toEqual(['/', '/x']);
    expect(foldersBetween('a/b', 'a')).toEqual(['a']);
  });
});

describe('search', () => {
  test('only the last text that was typed is asked for', async () => {
    const { files, list, state } = setUp();
    files.search('t');
    files.search('tw');
    await vi.waitFor(() => expect(state().found?.isLoading).toBe(false));
    expect(list.mock.calls.map(([request]) => request.search)).toEqual(['tw']);
  });

  test('an emptied search shows the folders again', () => {
    const { files, state } = setUp();
    files.search('t');
    files.search('');
    expect(state().found).toBeNull();
  });
});
