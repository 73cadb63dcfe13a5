import type { ByteString } from '../../platform/byte-path.ts';
import type { Entry } from '../archive/entry.ts';
import { beginTop, type FolderTable, type RowOutput, TOP } from './row-output.ts';

/** A member that has been written: its row, but for the places among other rows. */
export type ArrivedRow = Omit<Entry, 'ordinal' | 'folderId' | 'childFolderId'>;

interface Folder {
  readonly row: ArrivedRow;
  readonly children: Map<ByteString, ArrivedRow | Folder>;
}

interface Pending {
  readonly folder: Folder;
  readonly id: number;
  readonly parentId: number;
}

/**
 * The rows of members that come in an order of their own. They are kept until the end, since the manifest names the
 * children of a folder one after the other: memory follows the number of members here.
 */
export class ArrivalRows {
  readonly #root: Folder;

  constructor(root: ArrivedRow) {
    this.#root = { row: root, children: new Map() };
  }

  hasFolder(path: ByteString): boolean {
    return this.#folderAt(path) !== null;
  }

  /** `path`: from the resource on; its folder must have come before. */
  add(path: ByteString, row: ArrivedRow): void {
    const slash = path.lastIndexOf('/');
    const parent = this.#folderAt(slash < 0 ? '' : path.slice(0, slash));
    if (parent === null) throw new Error('a member came before its folder');
    // A folder that is named twice keeps what is in it.
    if (row.type === 'd' && this.hasFolder(path)) return;
    parent.children.set(row.name, row.type === 'd' ? { row, children: new Map() } : row);
  }

  writeTo(rows: RowOutput, folders: FolderTable): void {
    beginTop(rows, folders);
    const pending: Pending[] = [this.#folderRow(this.#root, TOP, rows, folders)];
    folders.setChildren(TOP, 0, rows.nextOrdinal);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      pending.push(...this.#block(next, rows, folders).reverse());
    }
  }

  #block({ folder, id, parentId }: Pending, rows: RowOutput, folders: FolderTable): Pending[] {
    const { name, headerOffset, headerLength } = folder.row;
    const place = { headerOffset: headerOffset ?? 0, headerLength };
    rows.beginBlock({ folderId: id, parentId, name, ...place, continued: false });
    const first = rows.nextOrdinal;
    const below: Pending[] = [];
    for (const child of [...folder.children.values()].sort(byName)) {
      if ('children' in child) below.push(this.#folderRow(child, id, rows, folders));
      else rows.row({ ...child, folderId: id, childFolderId: null });
    }
    folders.setChildren(id, first, rows.nextOrdinal - first);
    return below;
  }

  #folderRow(folder: Folder, parentId: number, rows: RowOutput, folders: FolderTable): Pending {
    const id = folders.add(parentId, rows.nextOrdinal);
    // Where a folder's header is stands in the line of its block.
    rows.row({ ...folder.row, headerOffset: null, headerLength: 0, folderId: parentId, childFolderId: id });
    return { folder, id, parentId };
  }

  #folderAt(path: ByteString): Folder | null {
    let folder = this.#root;
    for (const name of path === '' ? [] : path.split('/')) {
      const child = folder.children.get(name);
      if (child === undefined || !('children' in child)) return null;
      folder = child;
    }
    return folder;
  }
}

function byName(left: ArrivedRow | Folder, right: ArrivedRow | Folder): number {
  const [one, other] = [nameOf(left), nameOf(right)];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function nameOf(node: ArrivedRow | Folder): ByteString {
  return 'children' in node ? node.row.name : node.name;
}
