import type { BlockDeviceFile } from './block-device-file.ts';
import type { EntryLookup } from './entry-lookup.ts';
import { segmentStart } from './geometry.ts';
import { HashIndex, type HashIndexOptions } from './hash-index.ts';
import { openIndexFile, type SavedIndex } from './index-file.ts';
import type { Layout } from './layout.ts';
import { ENTRY_HASH_AT, encodeFooter, encodeSegmentHeader, entryBytes } from './segment-format.ts';
import { readFooter, readFooterCount, readSegment, type SegmentSummary } from './segment-reader.ts';
import type { SegmentTable } from './segment-table.ts';
import type { SegmentWriter } from './segment-writer.ts';

export interface LoadParts {
  readonly device: BlockDeviceFile;
  readonly layout: Layout;
  readonly uuid: Buffer;
  readonly table: SegmentTable;
  readonly writer: SegmentWriter;
  readonly lookup: EntryLookup;
}

/**
 * Fills the index: from the saved file as far as the segments are the same as then, from the footers of all others, and from
 * the records themselves where a footer is missing. Writes missing footers, so that this is done once.
 */
export function loadIndex(parts: LoadParts, options: HashIndexOptions, indexFile: string | null): HashIndex {
  const saved =
    indexFile === null ? null : openIndexFile(indexFile, parts.uuid, parts.layout.geometry.segmentCount);
  if (saved === null) return build(parts, new HashIndex(options), null);
  try {
    const index = new HashIndex(options);
    if (loadSaved(parts, index, saved)) return build(parts, index, saved);
    index.close();
    return build(parts, new HashIndex(options), null);
  } finally {
    saved.close();
  }
}

/** Takes over what still lies where it lay; false when the file is damaged. */
function loadSaved(parts: LoadParts, index: HashIndex, saved: SavedIndex): boolean {
  const { table, lookup, layout } = parts;
  const kept = new Uint8Array(table.size);
  for (let segment = 0; segment < table.size; segment += 1) {
    kept[segment] = isKept(parts, saved, segment) ? 1 : 0;
  }
  return saved.load((tag, key, place) => {
    const segment = lookup.segmentOf(place);
    const number = place % layout.geometry.recordsPerSegment;
    if (kept[segment] === 1 && number < saved.segment(segment).count) index.restore(tag, key, place);
  });
}

function isKept(parts: LoadParts, saved: SavedIndex, segment: number): boolean {
  const { sequence } = saved.segment(segment);
  return parts.table.isUsed(segment) && sequence > 0 && sequence === parts.table.sequence(segment);
}

/** The oldest first: of two records of one block the newer one counts, since cleaning copies forward. */
function build(parts: LoadParts, index: HashIndex, saved: SavedIndex | null): HashIndex {
  const { device, layout, table, writer } = parts;
  for (const segment of table.inOrder()) {
    const isNewest = segment === table.newest;
    const known = saved !== null && isKept(parts, saved, segment) ? saved.segment(segment).count : 0;
    const sequence = table.sequence(segment);
    if (!isNewest && known > 0 && readFooterCount(device, layout, segment, sequence) === known) {
      table.setCount(segment, known);
      continue;
    }
    const footer = isNewest ? null : readFooter(device, layout, segment, sequence);
    const summary = footer ?? readSegment(device, layout, segment, sequence, isNewest);
    if (footer === null && !isNewest) writeMissingFooter(device, layout, segment, summary);
    if (isNewest) writer.resume(segment, summary);
    table.setCount(segment, summary.count);
    addEntries(parts, index, segment, summary, known);
  }
  return index;
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
): void {
  const start = segmentStart(geometry, segment);
  const footer = encodeFooter(summary.entries, summary.count, summary.sequence, seed);
  device.write(footer, start + geometry.segmentBytes - footer.length);
  device.write(encodeSegmentHeader({ state: 'used', sequence: summary.sequence }, seed), start);
  device.sync();
}
