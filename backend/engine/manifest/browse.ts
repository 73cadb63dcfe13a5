import { setImmediate as turn } from 'node:timers/promises';
import { type ByteString, fromDisplay, toDisplay } from '../../platform/byte-path.ts';
import type { CopyTotals, Entry, SkippedItem } from '../archive/entry.ts';
import { damagedList } from '../archive/manifest-lines.ts';
import type { ClientKey } from '../crypto/client-key.ts';
import { unlockCopy } from '../crypto/copy-lock.ts';
import { DeviceError } from '../device-error.ts';
import { shownPath } from './display.ts';
import { ManifestReader, pathFromTop } from './manifest-reader.ts';

/** One item of a copy, for people. */
export interface ListedItem {
  readonly name: string;
  /** Absolute, display form; a restore's selection takes it. */
  readonly path: string;
  readonly entry: Entry;
}

export interface ListedPage {
  readonly items: readonly ListedItem[];
  readonly total: number;
}

export interface Manifest {
  /** Display form of what was backed up. */
  readonly source: string;
  readonly totals: CopyTotals;
  /** Children of a folder in the order of their names; without a folder, the resource itself. */
  list(request: { readonly folder?: string; readonly offset: number; readonly limit: number }): ListedPage;
  /** Items below a folder whose names contain the text, in any case. Lets other work go on meanwhile. */
  search(request: {
    readonly text: string;
    readonly folder?: string;
    readonly offset: number;
    readonly limit: number;
    readonly signal?: AbortSignal;
  }): Promise<ListedPage>;
  skipped(offset: number, limit: number): readonly SkippedItem[];
  close(): void;
}

/** Rows looked at before other work gets its turn. */
const ROWS_PER_TURN = 5000;

/** Opens the file list of a copy, an encrypted one with its client's key. Cheap; pages are read when they are asked for. Throws DeviceError. */
export async function openManifest(copyPath: string, key: ClientKey | null = null): Promise<Manifest> {
  const reader = new ManifestReader(copyPath, await unlockCopy(copyPath, key));
  const { header } = reader.file;
  const source = fromDisplay(header.source);
  const listed = (entry: Entry, path: ByteString): ListedItem => ({
    name: toDisplay(entry.name),
    path: shownPath(header.source, path),
    entry,
  });
  const folderPath = (folder: string): ByteString => {
    const top = reader.entry(0);
    const path = pathFromTop(folder, source, top.name);
    const entry = reader.find(path);
    if (entry === null) throw new DeviceError('notFound', `${folder} is not in this copy.`);
    if (entry.childFolderId === null) throw new DeviceError('notFound', `${folder} is not a folder.`);
    return path;
  };
  return {
    source: header.source,
    totals: header.totals,
    list: ({ folder, offset, limit }) => {
      if (header.totals.entries === 0) return { items: [], total: 0 };
      if (folder === undefined) {
        const top = reader.entry(0);
        return { items: offset === 0 && limit > 0 ? [listed(top, top.name)] : [], total: 1 };
      }
      const path = folderPath(folder);
      const id = reader.find(path)?.childFolderId ?? 0;
      const entries = reader.children(id, offset, limit);
      return {
        items: entries.map((entry) => listed(entry, `${path}/${entry.name}`)),
        total: reader.folder(id).count,
      };
    },
    search: async ({ text, folder, offset, limit, signal }) => {
      const wanted = text.toLowerCase();
      const path = folder === undefined ? null : folderPath(folder);
      const below = path === null ? '' : `${path}/`;
      const top = path === null ? null : reader.find(path);
      const items: ListedItem[] = [];
      let total = 0;
      let seen = 0;
      for (const step of reader.walk(top === null ? null : [reader.rangeOf(top)])) {
        if (step.kind === 'block' || step.kind === 'refused') continue;
        // An answer without what is there would be a wrong answer.
        if (step.kind === 'lost') throw damagedList();
        seen += 1;
        if (seen % ROWS_PER_TURN === 0) {
          await turn();
          signal?.throwIfAborted();
        }
        if (!step.path.startsWith(below) || !toDisplay(step.entry.name).toLowerCase().includes(wanted))
          continue;
        if (total >= offset && items.length < limit) items.push(listed(step.entry, step.path));
        total += 1;
      }
      return { items, total };
    },
    skipped: (offset, limit) => reader.skipped(offset, limit),
    close: () => reader.close(),
  };
}
