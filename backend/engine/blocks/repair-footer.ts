import type { BlockDeviceFile } from './block-device-file.ts';
import type { EntryLookup } from './entry-lookup.ts';
import { segmentStart } from './geometry.ts';
import type { Layout } from './layout.ts';
import { writeMissingFooter } from './load-index.ts';
import { ENTRY_HASH_AT, entryBytes, readEntry, TRAILER_BYTES } from './segment-format.ts';
import { readFooter, readSegment, type SegmentSummary } from './segment-reader.ts';
import type { SegmentTable } from './segment-table.ts';
import type { SegmentWriter } from './segment-writer.ts';

interface Parts {
  readonly device: BlockDeviceFile;
  readonly layout: Layout;
  readonly table: SegmentTable;
  readonly writer: SegmentWriter;
  readonly lookup: EntryLookup;
}

/**
 * Proves the footer of one segment and makes it anew from the records when it is damaged; true when it did. Each record
 * keeps its number, since the index and the marks of a cleaning know it by that.
 */
export function repairFooter(parts: Parts, segment: number): boolean {
  const { device, layout, table, writer, lookup } = parts;
  const sequence = table.sequence(segment);
  if (segment === writer.segment || !table.isUsed(segment)) return false;
  if (readFooter(device, layout, segment, sequence) !== null) return false;
  const found = readSegment(device, layout, segment, sequence, false);
  const count = Math.max(table.count(segment), found.count);
  const entries = withNumbers(layout, readEntries(parts, segment, count), found);
  const summary = { ...found, entries, count };
  table.setFooterSum(segment, writeMissingFooter(device, layout, segment, summary));
  table.setCount(segment, count);
  lookup.forget();
  return true;
}

/** What the damaged footer says, right or wrong. */
function readEntries({ device, layout, table }: Parts, segment: number, count: number): Buffer {
  const { geometry, hashBytes } = layout;
  const size = entryBytes(hashBytes);
  const known = Buffer.alloc(table.count(segment) * size);
  const end = segmentStart(geometry, segment) + geometry.segmentBytes - TRAILER_BYTES;
  device.read(known, end - known.length);
  return Buffer.concat([known, Buffer.alloc(count * size - known.length)]);
}

/**
 * Puts the records that are whole where they stood: by their offset, or else by their hash, or else in the order of the places
 * that are left. An entry whose record is damaged stays as it is.
 */
function withNumbers({ hashBytes }: Layout, old: Buffer, found: SegmentSummary): Buffer {
  const size = entryBytes(hashBytes);
  const entryOf = (entries: Buffer, number: number) => entries.subarray(number * size, (number + 1) * size);
  const numbers = Array.from({ length: old.length / size }, (_, number) => number);
  const byOffset = new Map(numbers.map((number) => [readEntry(old, number * size).offset, number]));
  const byHash = new Map(
    numbers.map((number) => [entryOf(old, number).toString('latin1', ENTRY_HASH_AT), number]),
  );
  const entries = Buffer.from(old);
  const free = new Set(numbers);
  const homeless: Buffer[] = [];
  for (let index = 0; index < found.count; index += 1) {
    const entry = entryOf(found.entries, index);
    const number =
      byOffset.get(readEntry(entry, 0).offset) ?? byHash.get(entry.toString('latin1', ENTRY_HASH_AT));
    if (number === undefined || !free.delete(number)) homeless.push(entry);
    else entry.copy(entries, number * size);
  }
  const left = [...free];
  for (const [index, entry] of homeless.entries()) entry.copy(entries, (left[index] ?? 0) * size);
  return entries;
}
