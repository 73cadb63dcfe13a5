import { toDisplay } from '../../platform/byte-path.ts';
import type { CopyTotals } from '../archive/entry.ts';
import { USUAL_HEADER_BYTES } from '../archive/manifest-format.ts';
import { KIND_END } from '../archive/stream.ts';
import { TAR_END } from '../archive/tar-header.ts';
import type { OwnerNames } from './owner-names.ts';
import type { ReaderTotals } from './reader-totals.ts';
import type { FolderTable, RowOutput, SkippedOutput } from './row-output.ts';
import type { TarOutput } from './tar-output.ts';

export interface ReaderOutputs {
  readonly output: TarOutput;
  readonly rows: RowOutput;
  readonly folders: FolderTable;
  readonly skipped: SkippedOutput;
  readonly users: Pick<OwnerNames, 'used'>;
  readonly groups: Pick<OwnerNames, 'used'>;
}

/** What a reader has to say of what it read, beside what its outputs know. */
export type ReadFacts = Pick<ReaderTotals, 'source' | 'createdAtMs' | 'device' | 'chain' | 'reuse'> &
  Pick<CopyTotals, 'files' | 'sourceBytes' | 'changed'> &
  Pick<ReaderTotals, 'order'>;

/** The end of a copy: the rest of its manifest, the end of the tar stream, the totals. Nothing can follow. */
export function endCopy(to: ReaderOutputs, facts: ReadFacts): void {
  const { output, rows, folders, skipped } = to;
  rows.flush();
  folders.writeTo(output);
  skipped.flush();
  output.write(TAR_END);
  output.flush();
  const { files, sourceBytes, changed, source, createdAtMs, device, chain, reuse, order } = facts;
  const totals: ReaderTotals = {
    tarBytes: output.position,
    source,
    createdAtMs,
    totals: {
      entries: rows.nextOrdinal,
      files,
      folders: folders.count - 1,
      sourceBytes,
      skipped: skipped.count,
      changed,
    },
    users: shownNames(to.users),
    groups: shownNames(to.groups),
    device,
    chain,
    reuse,
    headerBytes: USUAL_HEADER_BYTES,
    ...(order === undefined ? {} : { order }),
  };
  output.end(KIND_END, JSON.stringify(totals));
}

function shownNames(names: Pick<OwnerNames, 'used'>): Readonly<Record<string, string>> {
  return Object.fromEntries([...names.used].map(([id, name]) => [String(id), toDisplay(name)]));
}
