import type { BlockDeviceFile } from './block-device-file.ts';
import type { EntryLookup } from './entry-lookup.ts';
import type { HashIndex } from './hash-index.ts';
import type { Layout } from './layout.ts';
import { addEntries, writeMissingFooter } from './load-index.ts';
import { readFooter, readSegment } from './segment-reader.ts';
import type { SegmentTable } from './segment-table.ts';
import type { SegmentWriter } from './segment-writer.ts';

interface Parts {
  readonly device: BlockDeviceFile;
  readonly layout: Layout;
  readonly table: SegmentTable;
  readonly writer: SegmentWriter;
  readonly lookup: EntryLookup;
  readonly index: HashIndex;
}

/** Proves the footers of all segments and makes damaged ones anew from the records; gives how many there were. */
export function repairFooters(parts: Parts): number {
  const { device, layout, table, writer } = parts;
  let repaired = 0;
  for (const segment of table.inOrder()) {
    const sequence = table.sequence(segment);
    if (segment === writer.segment || readFooter(device, layout, segment, sequence) !== null) continue;
    const summary = readSegment(device, layout, segment, sequence, false);
    table.setFooterSum(segment, writeMissingFooter(device, layout, segment, summary));
    table.setCount(segment, summary.count);
    addEntries(parts, parts.index, segment, summary, 0);
    repaired += 1;
  }
  return repaired;
}
