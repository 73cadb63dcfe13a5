import { workerData } from 'node:worker_threads';
import { type ByteString, toDisplay } from '../../platform/byte-path.ts';
import type { ChainLink } from '../chain/links.ts';
import { DeviceError } from '../device-error.ts';
import { Control } from '../job/control.ts';
import { Ring } from '../job/ring.ts';
import { askForOneMore, finishWorker, runWorkerAsync } from '../job/worker-side.ts';
import { ChildrenAhead } from './children.ts';
import { KnownBlocks } from './known-blocks.ts';
import { LateCodecs } from './late-codecs.ts';
import { LookReader } from './look-ring.ts';
import { MemberOutput } from './member-output.ts';
import { OwnerNames } from './owner-names.ts';
import type { PackingInput } from './packing.ts';
import { PreviousCopy, unusableBase } from './previous-copy.ts';
import { endCopy } from './reader-end.ts';
import type { ReaderResult } from './reader-totals.ts';
import { resourceName } from './resource-name.ts';
import { FolderTable, RowOutput, SkippedOutput } from './row-output.ts';
import { type DeviceAlias, lstatItem, takeDevicesAs } from './source-item.ts';
import { TarOutput } from './tar-output.ts';
import { TreeReader } from './tree-reader.ts';

/** Reads the resource and turns it into a tar stream and the manifest's rows. */
export interface ReaderInput extends PackingInput {
  /** What is read. */
  readonly source: ByteString;
  /** What it is called in messages: of a snapshot, that of which it is one. */
  readonly full: ByteString;
  /** Null: the files themselves are read. */
  readonly snapshot: DeviceAlias | null;
  /** The path as it was asked for, which gives the copy its name. */
  readonly asked: ByteString;
  /** Device and inode of what is left out. */
  readonly excludedKeys: readonly string[];
  readonly numericOwner: boolean;
  readonly createdAtMs: number;
  /** The copies that are built on, oldest first; none for a full copy. */
  readonly links: readonly ChainLink[];
  /** What another thread tells of the resource ahead; null: nobody does. */
  readonly looks: SharedArrayBuffer | null;
}

const input = workerData as ReaderInput;
const control = new Control(input.control);

runWorkerAsync(control, async () => {
  const ring = new Ring(input.ring, input.slotCount, control);
  const codecs = new LateCodecs(input.lateCodecs, askForOneMore);
  const output = new TarOutput(ring, input.frameBytes, input.blocks !== null, (bytes) => codecs.note(bytes));
  const users = new OwnerNames('/etc/passwd', input.numericOwner);
  const groups = new OwnerNames('/etc/group', input.numericOwner);
  takeDevicesAs(input.snapshot);
  const { device } = lstatItem(input.source);
  const rows = new RowOutput(output, device);
  const folders = new FolderTable();
  const skipped = new SkippedOutput(output);
  const members = new MemberOutput(output, control, users, groups);
  const previous = input.links.length === 0 ? null : new PreviousCopy(input.links);
  if (previous !== null) {
    // Near enough for a start: counting would take as long as the rest when hardly anything is new.
    control.set('bytesTotal', previous.totals.sourceBytes);
    control.set('filesTotal', previous.totals.files);
  }
  const blocks =
    previous === null || input.blocks === null
      ? null
      : new KnownBlocks(previous, input.blocks, control, output);
  const outputs = { control, members, rows, folders, skipped, previous, blocks };
  const ahead =
    input.looks === null ? null : new ChildrenAhead(new LookReader(input.looks, control), control);
  const reader = new TreeReader(outputs, input.excludedKeys, input.snapshot !== null, ahead);
  try {
    await reader.read(input.source, input.full, resourceName(input.asked));
  } catch (error) {
    throw error instanceof DeviceError && error.kind === 'corrupt' ? unusableBase(error) : error;
  } finally {
    ahead?.close();
    previous?.close();
  }
  const read = reader.totals;
  // Known exactly now, whether somebody was counting or not: what was read may take long to be sent.
  control.set('bytesTotal', read.sourceBytes);
  control.set('filesTotal', read.files);
  const { files, sourceBytes, changed, reuse } = read;
  endCopy(
    { output, rows, folders, skipped, users, groups },
    {
      source: toDisplay(input.asked),
      createdAtMs: input.createdAtMs,
      device: device.toString(),
      chain: blocks === null ? (previous?.chain ?? []) : [],
      reuse,
      files,
      sourceBytes,
      changed,
    },
  );
  const result: ReaderResult = { skipped: skipped.kept, changed: reader.changed };
  finishWorker(result);
});
