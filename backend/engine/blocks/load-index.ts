import type { BlockDeviceFile } from './block-device-file.ts';
import type { EntryLookup } from './entry-lookup.ts';
import { segmentStart } from './geometry.ts';
import { HashIndex, type HashIndexOptions } from './hash-index.ts';
import { openIndexFile, type SavedIndex } from './index-file.ts';
import type { Layout } from './layout.ts';
import { ENTRY_HASH_AT, encodeFooter, encodeSegmentHeader, entryBytes, footerSum } from './segment-format.ts';
import { peekTrailer, readFooter, readSegment, type SegmentSummary } from './segment-reader.ts';
import type { SegmentTable } from './segment-table.ts';
import type { SegmentWriter } from './segment-writer.ts';
import type { Superblock } from './superblock.ts';

export interface LoadParts {
  readonly device: BlockDeviceFile;
  readonly layout: Layout;
  /** With the number of this opening. */
  readonly superblock: Superblock;
  readonly table: SegmentTable;
  readonly writer: SegmentWriter;
  readonly lookup: EntryLookup;
}

/**
 * Fills the index: from the saved file as far as the segments are the same as then, from the footers of all others, and from
 * the records themselves where a footer is missing. Writes missing footers, so that this is done once.
 */
export function loadIndex(parts: LoadParts, options: HashIndexOptions, indexFile: string | null): HashIndex {
  const nothing = new Uint8Array(parts.table.size);
  const saved =
    indexFile === null
      ? null
      : openIndexFile(indexFile, parts.superblock.uuid, parts.layout.geometry.segmentCount);
  if (saved === null) return build(parts, new HashIndex(options), nothing);
  try {
    const index = new HashIndex(options, saved.mostEntries);
    const kept = nothing.map((_, segment) => (isKept(parts, saved, segment) ? 1 : 0));
    const isWhole = saved.load((tag, key, place) => {
      if (kept[parts.lookup.segmentOf(place)] === 1) index.restore(tag, key, place);
    });
    const isClosed = saved.generation === parts.superblock.generation - 1;
    if (isWhole) return build(parts, index, kept, isClosed);
    index.close();
    return build(parts, new HashIndex(options), nothing);
  } finally {
    saved.close();
  }
}

/**
 * Adds what `kept` does not say to be there. The oldest first: of two records of one block the newer one counts, since cleaning
 * copies forward. `isClosed`: nothing was written to the store since the saved index, so there is nothing behind a footer that it knows.
 */
function build(parts: LoadParts, index: HashIndex, kept: Uint8Array, isClosed = false): HashIndex {
  const { device, layout, table, writer } = parts;
  for (const segment of table.inOrder()) {
    const isNewest = segment === table.newest;
    const sequence = table.sequence(segment);
    const trailer = peekTrailer(device, layout, segment, sequence);
    const known = kept[segment] === 1 ? (trailer?.count ?? 0) : 0;
    table.setFooterSum(segment, trailer?.sum ?? 0);
    table.setCount(segment, known);
    if (kept[segment] === 1 && !isNewest) continue;
    const isSearched = isNewest && !(isClosed && kept[segment] === 1);
    const footer = isSearched ? null : readFooter(device, layout, segment, sequence);
    const summary = footer ?? readSegment(device, layout, segment, sequence, isNewest);
    if (isNewest) writer.resume(segment, summary);
    else if (footer === null)
      table.setFooterSum(segment, writeMissingFooter(device, layout, segment, summary));
    table.setCount(segment, summary.count);
    addEntries(parts, index, segment, summary, known);
  }
  return index;
}

/**
 * Whether the footer is the one that the saved index was made from. Numbers alone do not tell: the device may have been put back
 * to an earlier state and gone on from there.
 */
function isKept({ device, layout, table }: LoadParts, saved: SavedIndex, segment: number): boolean {
  const then = saved.segment(segment);
  if (!table.isUsed(segment) || then.sequence !== table.sequence(segment)) return false;
  const now = peekTrailer(device, layout, segment, then.sequence);
  if (now === null || now.count !== then.count || now.sum !== then.footerSum) return false;
  // Records of the newest are counted from the beginning when its footer is damaged; a damaged one among them moves the others.
  return segment !== table.newest || readFooter(device, layout, segment, then.sequence) !== null;
}

export function addEntries(
  { layout, lookup }: Pick<LoadParts, 'layout' | 'lookup'>,
  index: HashIndex,
  segment: number,
  { entries, count }: SegmentSummary,
  from: number,
): void {
  const size = entryBytes(layout.hashBytes);
  for (let number = from; number < count; number += 1) {
    const at = number * size + ENTRY_HASH_AT;
    index.set(entries, at, lookup.placeOf(segment, number), (place) => lookup.isSame(entries, at, place));
  }
}

export function writeMissingFooter(
  device: BlockDeviceFile,
  { geometry, seed }: Layout,
  segment: number,
  summary: SegmentSummary,
): number {
  const start = segmentStart(geometry, segment);
  const footer = encodeFooter(summary.entries, summary.count, summary.sequence, seed);
  device.write(footer, start + geometry.segmentBytes - footer.length);
  device.write(encodeSegmentHeader({ state: 'used', sequence: summary.sequence }, seed), start);
  device.sync();
  return footerSum(footer);
}
