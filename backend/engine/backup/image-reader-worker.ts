import fs from 'node:fs';
import { workerData } from 'node:worker_threads';
import { atCalls } from '../../platform/at-calls.ts';
import { type ByteString, fsPath, toDisplay } from '../../platform/byte-path.ts';
import { deviceSizeSync } from '../blocks/device-size.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { Control } from '../job/control.ts';
import { Ring } from '../job/ring.ts';
import { finishWorker, runWorker, sendLog } from '../job/worker-side.ts';
import { endedEarly, findDataExtents } from './data-extents.ts';
import { MemberOutput } from './member-output.ts';
import { OwnerNames } from './owner-names.ts';
import type { PackingInput } from './packing.ts';
import { endCopy } from './reader-end.ts';
import type { ReaderResult } from './reader-totals.ts';
import { beginTop, FolderTable, RowOutput, SkippedOutput, TOP } from './row-output.ts';
import { itemStat } from './source-item.ts';
import { bareRow } from './source-rows.ts';
import { TarOutput } from './tar-output.ts';

/** Reads a block device, or a plain file as if it were one, and turns it into the one member of a tar stream. */
export interface ImageReaderInput extends PackingInput {
  readonly source: ByteString;
  /** The path as it was asked for. */
  readonly asked: ByteString;
  /** What the image is called in the copy. */
  readonly name: ByteString;
  readonly createdAtMs: number;
}

/** Runs of zeros shorter than this are data. */
const GRAIN_BYTES = 65_536;

const input = workerData as ImageReaderInput;
const control = new Control(input.control);

runWorker(control, () => {
  const shown = toDisplay(input.source);
  const fd = openImage(shown);
  try {
    const sizeBytes = deviceSizeSync(shownPath());
    const ring = new Ring(input.ring, input.slotCount, control);
    const isOfBlocks = input.blocks !== null;
    const output = new TarOutput(ring, input.frameBytes, isOfBlocks);
    const users = new OwnerNames('/etc/passwd', false);
    const groups = new OwnerNames('/etc/group', false);
    const members = new MemberOutput(output, control, users, groups);
    control.setPath(input.source);
    control.set('filesTotal', 1);
    control.set('bytesTotal', sizeBytes);
    // Of equal images equal blocks are made: each begins at a multiple of the block size then.
    const grainBytes = isOfBlocks ? input.frameBytes : GRAIN_BYTES;
    const extents = findDataExtents(fd, sizeBytes, { grainBytes, control, shown });
    const dataBytes = extents === null ? sizeBytes : extents.reduce((sum, { length }) => sum + length, 0);
    const zeroBytes = sizeBytes - dataBytes;
    sendLog(
      'info',
      `${dataBytes} of ${sizeBytes} bytes hold data; the other ${zeroBytes} are zeros and are left out.`,
    );
    control.set('bytesDone', 0);
    control.set('bytesTotal', dataBytes);
    const stat = { ...itemStat(atCalls().lookAtOpen(fd)), type: 'f' as const, sizeBytes };
    const { written } = members.large({ tarPath: input.name, stat, xattrs: [] }, fd, extents, (code, at) => {
      throw code === ''
        ? endedEarly(shown, at)
        : toDeviceError(systemError(code), `${shown} cannot be read at byte ${at}`);
    });
    control.add('filesDone', 1);
    const rows = new RowOutput(output, stat.device);
    const folders = new FolderTable();
    beginTop(rows, folders);
    rows.row({ ...bareRow(input.name, TOP, 'f', stat, []), ...written });
    folders.setChildren(TOP, 0, rows.nextOrdinal);
    endCopy(
      { output, rows, folders, skipped: new SkippedOutput(output), users, groups },
      {
        source: toDisplay(input.asked),
        createdAtMs: input.createdAtMs,
        device: stat.device.toString(),
        chain: [],
        reuse: { files: 0, bytes: 0, unread: 0 },
        files: 1,
        sourceBytes: sizeBytes,
        changed: 0,
      },
    );
  } finally {
    fs.closeSync(fd);
  }
  const result: ReaderResult = { skipped: [], changed: [] };
  finishWorker(result);
});

function openImage(shown: string): number {
  const { O_RDONLY, O_NONBLOCK } = fs.constants;
  try {
    return fs.openSync(fsPath(input.source), O_RDONLY | O_NONBLOCK);
  } catch (error) {
    throw toDeviceError(error, `${shown} cannot be read`);
  }
}

/** The size is asked by the path, which must be a text for that. */
function shownPath(): string {
  const text = Buffer.from(input.source, 'latin1').toString('utf8');
  if (Buffer.from(text, 'utf8').toString('latin1') === input.source) return text;
  throw new DeviceError('permanent', 'The path of the device is no valid text. Give it another name.');
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
