import { type ByteString, fromDisplay } from '../../platform/byte-path.ts';
import type { Entry, SkippedItem } from '../archive/entry.ts';
import type { SegmentInfo } from '../archive/manifest-format.ts';
import { type BlockLine, checkedNumber, damagedList, isSafeName } from '../archive/manifest-lines.ts';
import type { CopySecret } from '../crypto/copy-secret.ts';
import { DeviceError } from '../device-error.ts';
import { FrameTable, remember } from './frame-table.ts';
import { ManifestFile } from './manifest-file.ts';
import { SegmentRows } from './segment-rows.ts';

export interface FolderFacts {
  readonly firstOrdinal: number;
  readonly count: number;
  readonly parentId: number;
  /** Ordinal of the folder's own row; 0 for the top, which has none. */
  readonly ownOrdinal: number;
}

/** A row with the path that leads to it, relative to the top (`resource/sub/name`). */
export interface WalkedEntry {
  readonly entry: Entry;
  readonly path: ByteString;
}

export type WalkStep =
  | { readonly kind: 'block'; readonly block: BlockLine; readonly path: ByteString }
  | ({ readonly kind: 'entry' } & WalkedEntry)
  /** A row whose name could lead out of its folder: damage or an attack, never a file. */
  | { readonly kind: 'refused'; readonly path: ByteString }
  /** A segment of rows, or the place of a block, that cannot be read; what follows goes on after it. */
  | { readonly kind: 'lost'; readonly firstOrdinal: number; readonly count: number };

/** From the first ordinal to the one after the last. */
export type OrdinalRange = readonly [first: number, end: number];

const TOP = 0;

interface DecodedRows {
  readonly entries: readonly Entry[];
  readonly steps: readonly RowStep[];
}

export type RowStep = BlockLine | Entry;
type Lost = Extract<WalkStep, { readonly kind: 'lost' }>;

/** Questions to a manifest: rows by ordinal, children of a folder, frames, and everything in a stream. */
export class ManifestReader {
  readonly file: ManifestFile;
  readonly frames: FrameTable;
  readonly #rows = new Map<SegmentInfo, DecodedRows>();
  readonly #folders = new Map<SegmentInfo, readonly FolderFacts[]>();

  constructor(copyPath: string, secret: CopySecret | null = null) {
    this.file = new ManifestFile(copyPath, secret);
    this.frames = new FrameTable(this.file);
  }

  close(): void {
    this.file.close();
  }

  entry(ordinal: number): Entry {
    const info = this.file.segmentOf('rows', ordinal);
    const entry = info === null ? undefined : this.#decodedRows(info).entries[ordinal - info.first];
    if (entry === undefined || !isSafeName(entry.name)) throw damagedList();
    return entry;
  }

  /** The resource itself: the first row, for which no others are decoded. */
  top(): Entry {
    const info = this.file.segmentOf('rows', 0);
    if (info === null) throw damagedList();
    const rows = new SegmentRows(this.file, info);
    try {
      const entry = rows.next();
      if (!isSafeName(entry.name)) throw damagedList();
      return entry;
    } finally {
      rows.close();
    }
  }

  folder(id: number): FolderFacts {
    const info = this.file.segmentOf('folders', id);
    const facts = info === null ? undefined : this.#decodedFolders(info)[id - info.first];
    if (facts === undefined) throw damagedList();
    return facts;
  }

  /** The line that begins a folder's block; it says where the folder's own header is. */
  block(folderId: number): BlockLine {
    const { firstOrdinal } = this.folder(folderId);
    // An empty folder has no rows: its line stands where its first row would be, maybe at the end of a segment.
    for (const info of this.file.segments('rows')) {
      if (info.first + info.count < firstOrdinal) continue;
      if (info.first > firstOrdinal) break;
      const found = this.#decodedRows(info).steps.find((step) => isBlock(step) && step.folderId === folderId);
      if (found !== undefined && isBlock(found)) return found;
    }
    throw damagedList();
  }

  children(folderId: number, offset: number, limit: number): readonly Entry[] {
    const { firstOrdinal, count } = this.folder(folderId);
    const from = firstOrdinal + Math.min(offset, count);
    const to = Math.min(firstOrdinal + count, from + limit);
    const entries: Entry[] = [];
    for (let ordinal = from; ordinal < to; ordinal += 1) entries.push(this.entry(ordinal));
    return entries;
  }

  /** Children are in the order of their names as bytes, so a name is found by halving. */
  child(folderId: number, name: ByteString): Entry | null {
    const { firstOrdinal, count } = this.folder(folderId);
    let low = firstOrdinal;
    let high = firstOrdinal + count;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = this.entry(middle);
      if (entry.name === name) return entry;
      if (entry.name < name) low = middle + 1;
      else high = middle;
    }
    return null;
  }

  /** By its path from the top (`resource/sub/name`); null when there is no such item. */
  find(path: ByteString): Entry | null {
    let folderId = TOP;
    let entry: Entry | null = null;
    for (const name of path.split('/')) {
      if (folderId < 0) return null;
      entry = this.child(folderId, name);
      if (entry === null) return null;
      folderId = entry.childFolderId ?? -1;
    }
    return entry;
  }

  /** The path of an item from the top, by the chain of its folders. */
  pathOf(entry: Entry): ByteString {
    const names = [entry.name];
    for (let id = entry.folderId; id !== TOP; ) {
      const { ownOrdinal, parentId } = this.folder(id);
      names.push(this.entry(ownOrdinal).name);
      if (names.length > 1_000_000 || parentId >= id) throw damagedList();
      id = parentId;
    }
    return names.reverse().join('/');
  }

  /** Ordinals of all that is below a folder; they stand together, since blocks follow each other depth first. */
  rangeBelow(folderId: number): OrdinalRange {
    const { firstOrdinal } = this.folder(folderId);
    const folders = this.file.segments('folders').reduce((sum, info) => sum + info.count, 0);
    // Folders of one block are numbered one after the other, so the next one ends what is below this one.
    for (let id = folderId; id !== TOP; ) {
      const { parentId } = this.folder(id);
      if (parentId >= id) throw damagedList();
      const next = id + 1 < folders ? this.folder(id + 1) : null;
      if (next !== null && next.parentId === parentId) return [firstOrdinal, next.firstOrdinal];
      id = parentId;
    }
    return [firstOrdinal, this.file.header.totals.entries];
  }

  /** Where the rows and the block lines of an item and of all below it stand. */
  rangeOf(entry: Entry): OrdinalRange {
    if (entry.childFolderId === null) return [entry.ordinal, entry.ordinal + 1];
    const [first, end] = this.rangeBelow(entry.childFolderId);
    // The line of a block can stand at the end of the segment before its first row.
    return [Math.max(0, first - 1), Math.max(end, first + 1)];
  }

  /**
   * Everything in the order of the archive, or only the segments with these ordinals. Blocks come with the path of
   * their folder; after a gap the block that goes on comes again. Segments that cannot be read are told as lost.
   * `takes`: is asked for each segment by its number; those that are not taken are passed over as a gap. `isUsualLeftOut`: files
   * of which the rows say no more than those of nearly all (no further names, no attributes) do not come, and are not decoded.
   */
  *walk(
    ranges: readonly OrdinalRange[] | null = null,
    {
      takes = () => true,
      isUsualLeftOut = false,
    }: { readonly takes?: (segment: number) => boolean; readonly isUsualLeftOut?: boolean } = {},
  ): Generator<WalkStep> {
    let ancestors: Ancestor[] = [];
    let prefix: ByteString | null = '';
    let isAfterGap = false;
    for (const [number, info] of this.file.segments('rows').entries()) {
      if (!isWithin(info, ranges) || !takes(number)) {
        isAfterGap = true;
        continue;
      }
      for (const step of this.#steps(info, isUsualLeftOut)) {
        if ('kind' in step) {
          isAfterGap = true;
          yield step;
          continue;
        }
        if (!isBlock(step)) {
          if (prefix === null) continue;
          const path = joined(prefix, step.name);
          yield isSafeName(step.name) ? { kind: 'entry', entry: step, path } : { kind: 'refused', path };
          continue;
        }
        if (step.continued && !isAfterGap) continue;
        const found: Ancestor[] | null = this.#wayTo(step, ancestors, isAfterGap);
        isAfterGap = found === null;
        prefix = found === null ? null : (found.at(-1)?.path ?? '');
        if (found === null || prefix === null) {
          yield { kind: 'lost', ...this.#childrenOf(step.folderId) };
          continue;
        }
        ancestors = found;
        yield { kind: 'block', block: step, path: prefix };
      }
    }
  }

  /** Null when it cannot be told where the block belongs, or its name could lead elsewhere. */
  #wayTo(block: BlockLine, open: Ancestor[], isAfterGap: boolean): Ancestor[] | null {
    if (block.folderId !== TOP && !isSafeName(block.name)) return null;
    return isAfterGap ? this.#ancestorsOf(block) : ancestorsOnTheWay(open, block);
  }

  /** Of one segment, and nothing of it is kept. What is damaged, or what the disk refuses to read, is told as lost. */
  *#steps(info: SegmentInfo, isUsualLeftOut: boolean): Generator<RowStep | Lost> {
    const known = this.#rows.get(info);
    if (known !== undefined) {
      yield* known.steps;
      return;
    }
    let done = 0;
    try {
      for (const step of isUsualLeftOut ? this.#unusual(info) : this.decode(info)) {
        if (!isBlock(step)) done = step.ordinal + 1 - info.first;
        yield step;
      }
    } catch (error) {
      if (!(error instanceof DeviceError) || (error.kind !== 'corrupt' && error.kind !== 'permanent'))
        throw error;
      yield { kind: 'lost', firstOrdinal: info.first + done, count: info.count - done };
    }
  }

  /** The way to a block by the table of folders; null when a part of it cannot be read. */
  #ancestorsOf(block: BlockLine): Ancestor[] | null {
    try {
      const parents: number[] = [];
      for (let id = block.folderId; id !== TOP; ) {
        const { parentId } = this.folder(id);
        if (parentId >= id) throw damagedList();
        if (parentId !== TOP) parents.push(parentId);
        id = parentId;
      }
      const found: Ancestor[] = [{ id: TOP, path: '' }];
      for (const id of parents.reverse()) {
        const { name } = this.entry(this.folder(id).ownOrdinal);
        found.push({ id, path: joined(found.at(-1)?.path ?? '', name) });
      }
      if (block.folderId === TOP) return found;
      return [...found, { id: block.folderId, path: joined(found.at(-1)?.path ?? '', block.name) }];
    } catch (error) {
      if (error instanceof DeviceError && error.kind === 'corrupt') return null;
      throw error;
    }
  }

  #childrenOf(folderId: number): { readonly firstOrdinal: number; readonly count: number } {
    try {
      return this.folder(folderId);
    } catch {
      // The table of folders is damaged too: how much is lost cannot be said.
      return { firstOrdinal: 0, count: 0 };
    }
  }

  skipped(offset: number, limit: number): readonly SkippedItem[] {
    const items: SkippedItem[] = [];
    for (const info of this.file.segments('skipped')) {
      if (info.first + info.count <= offset || items.length >= limit) continue;
      this.file.lines(info).forEach((line, index) => {
        if (info.first + index >= offset && items.length < limit) items.push(skippedItem(line));
      });
    }
    return items;
  }

  #decodedRows(info: SegmentInfo): DecodedRows {
    const known = this.#rows.get(info);
    if (known !== undefined) return known;
    const steps = [...this.decode(info)];
    const decoded = { entries: steps.filter((step): step is Entry => !isBlock(step)), steps };
    remember(this.#rows, info, decoded);
    return decoded;
  }

  /** Of one segment, one by one, and nothing of it is kept. Throws `corrupt` where it is not what the writer makes. */
  *decode(info: SegmentInfo): Generator<RowStep> {
    const rows = new SegmentRows(this.file, info);
    try {
      yield* rows.all();
    } finally {
      rows.close();
    }
  }

  *#unusual(info: SegmentInfo): Generator<RowStep> {
    const rows = new SegmentRows(this.file, info);
    try {
      yield* rows.unusual();
    } finally {
      rows.close();
    }
  }

  #decodedFolders(info: SegmentInfo): readonly FolderFacts[] {
    const known = this.#folders.get(info);
    if (known !== undefined) return known;
    const facts = this.file.lines(info).map((line) => {
      if (!Array.isArray(line) || line.length !== 4) throw damagedList();
      const [firstOrdinal, count, parentId, ownOrdinal] = line.map(checkedNumber);
      return {
        firstOrdinal: firstOrdinal ?? 0,
        count: count ?? 0,
        parentId: parentId ?? 0,
        ownOrdinal: ownOrdinal ?? 0,
      };
    });
    remember(this.#folders, info, facts);
    return facts;
  }
}

interface Ancestor {
  readonly id: number;
  readonly path: ByteString;
}

/** Blocks come depth first: the parent of the next one is among those that are open. */
function ancestorsOnTheWay(open: Ancestor[], block: BlockLine): Ancestor[] | null {
  if (block.folderId === TOP) return [{ id: TOP, path: '' }];
  while (open.length > 0 && open.at(-1)?.id !== block.parentId) open.pop();
  const parent = open.at(-1);
  if (parent === undefined) return null;
  open.push({ id: block.folderId, path: joined(parent.path, block.name) });
  return open;
}

function joined(folder: ByteString, name: ByteString): ByteString {
  return folder === '' ? name : `${folder}/${name}`;
}

function isWithin(info: SegmentInfo, ranges: readonly OrdinalRange[] | null): boolean {
  return (
    ranges === null || ranges.some(([first, end]) => info.first < end && first <= info.first + info.count)
  );
}

export function isBlock(step: BlockLine | Entry): step is BlockLine {
  return !('ordinal' in step);
}

function skippedItem(line: unknown): SkippedItem {
  if (!Array.isArray(line) || line.length !== 4) throw damagedList();
  const [path, code, kind, reason] = line.map(String);
  return { path: path ?? '', code: code ?? '', class: kind ?? '', reason: reason ?? '' };
}

/**
 * A path as a person gives it (display form; absolute, or relative to the resource, with or without its name) to
 * the path from the top. `source` is the resource as it was backed up, `name` its name in the copy.
 */
export function pathFromTop(display: string, source: ByteString, name: ByteString): ByteString {
  const given = fromDisplay(display).replace(/\/+$/, '');
  const base = source === '/' ? '' : source;
  if (given === source || given === '' || given === '.') return name;
  if (given.startsWith(`${base}/`) && given.startsWith('/')) return `${name}/${given.slice(base.length + 1)}`;
  return `${name}/${given.replace(/^\.\//, '')}`;
}
