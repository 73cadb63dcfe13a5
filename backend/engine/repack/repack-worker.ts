import { workerData } from 'node:worker_threads';
import type { BlocksInput } from '../archive/blocks-input.ts';
import { FrameStream } from '../archive/frame-stream.ts';
import type { SegmentKind } from '../archive/manifest-format.ts';
import { KIND_END, KIND_FOLDERS, KIND_ROWS, KIND_SKIPPED } from '../archive/stream.ts';
import type { PackingInput } from '../backup/packing.ts';
import type { ReaderTotals } from '../backup/reader-totals.ts';
import { TarOutput } from '../backup/tar-output.ts';
import type { CopySecret } from '../crypto/copy-secret.ts';
import { DeviceError } from '../device-error.ts';
import { Control } from '../job/control.ts';
import { Ring } from '../job/ring.ts';
import { finishWorker, runWorkerAsync } from '../job/worker-side.ts';
import { shownPath } from '../manifest/display.ts';
import { ManifestReader, type WalkedEntry } from '../manifest/manifest-reader.ts';
import { damaged, Passing } from './passing.ts';

/** Reads the tar stream and the manifest of a copy, for them to be packed anew. */
export interface RepackInput extends PackingInput {
  readonly copyPath: string;
  /** Opens an encrypted copy. */
  readonly secret: CopySecret | null;
  /** What opens the blocks of a copy that has some. */
  readonly source: BlocksInput | null;
  /** Frames of the new archive that are there. */
  readonly begunFrames: number;
}

const input = workerData as RepackInput;
const control = new Control(input.control);

const KINDS: readonly (readonly [SegmentKind, number])[] = [
  ['rows', KIND_ROWS],
  ['folders', KIND_FOLDERS],
  ['skipped', KIND_SKIPPED],
];

runWorkerAsync(control, async () => {
  const reader = new ManifestReader(input.copyPath, input.secret);
  const { header } = reader.file;
  if ((header.chain ?? []).length > 0) {
    throw new DeviceError('permanent', 'The copy builds on others; only full copies can be packed anew.');
  }
  const stream = new FrameStream(reader, control, input.source);
  try {
    control.set('bytesTotal', header.tarBytes);
    control.set('filesTotal', header.totals.files);
    const ring = new Ring(input.ring, input.slotCount, control);
    const output = new TarOutput(ring, input.frameBytes, input.blocks !== null);
    // All frames of an archive but the last one have the same length.
    const begunBytes = Math.min(input.begunFrames * input.frameBytes, header.tarBytes);
    output.startAt(input.begunFrames, begunBytes);
    control.add('bytesDone', begunBytes);
    await passData(reader, new Passing(stream, output, control));
    passManifest(reader, output);
  } finally {
    stream.close();
    reader.close();
  }
  finishWorker(null);
});

async function passData(reader: ManifestReader, passing: Passing): Promise<void> {
  const { header } = reader.file;
  for (const { entry, path } of members(reader)) {
    control.setPath(path);
    control.add('filesDone', 1);
    if (entry.headerOffset === null || entry.storedBytes === 0) continue;
    const what = shownPath(header.source, path);
    const start = entry.headerOffset + entry.headerLength;
    await passing.to(start, what);
    passing.cut();
    if (entry.sparse && input.blocks !== null) await passing.map(entry, start, what);
    await passing.to(start + entry.storedBytes, what);
    passing.cut();
  }
  await passing.to(header.tarBytes, 'the end of the archive');
  passing.end();
}

/** All but folders, in the order in which they stand in the tar stream. */
function* members(reader: ManifestReader): Generator<WalkedEntry> {
  const isInOrder = reader.file.header.order === undefined;
  // For the others only places and numbers are kept; a row is read again when its turn has come.
  const places: [offset: number, ordinal: number][] = [];
  for (const step of reader.walk()) {
    if (step.kind === 'lost' || step.kind === 'refused') throw damaged('the file list');
    if (step.kind !== 'entry' || step.entry.childFolderId !== null) continue;
    if (isInOrder) yield step;
    else places.push([step.entry.headerOffset ?? 0, step.entry.ordinal]);
  }
  places.sort(([left], [right]) => left - right);
  for (const [, ordinal] of places) {
    const entry = reader.entry(ordinal);
    yield { entry, path: reader.pathOf(entry) };
  }
}

/** Rows name places in the tar stream, which is the same; so they stay as they are. */
function passManifest(reader: ManifestReader, output: TarOutput): void {
  const { file } = reader;
  for (const [kind, slotKind] of KINDS) {
    for (const info of file.segments(kind)) {
      control.check();
      output.segment(slotKind, info.first, info.count, file.text(info));
    }
  }
  const { header } = file;
  const totals: ReaderTotals = {
    tarBytes: header.tarBytes,
    source: header.source,
    createdAtMs: header.createdAtMs,
    totals: header.totals,
    users: header.users,
    groups: header.groups,
    device: header.device ?? '0',
    chain: [],
    reuse: { files: 0, bytes: 0, unread: 0 },
    ...(header.headerBytes === undefined ? {} : { headerBytes: header.headerBytes }),
    ...(header.order === undefined ? {} : { order: header.order }),
  };
  output.end(KIND_END, JSON.stringify(totals));
}
