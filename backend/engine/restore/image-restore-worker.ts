import fs from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { BlocksInput } from '../archive/blocks-input.ts';
import type { Entry } from '../archive/entry.ts';
import { FrameStream } from '../archive/frame-stream.ts';
import { ContentHash } from '../archive/hash.ts';
import { deviceSizeSync } from '../blocks/device-size.ts';
import type { CopySecret } from '../crypto/copy-secret.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { Control, Throttle } from '../job/control.ts';
import { finishWorker, runWorkerAsync } from '../job/worker-side.ts';
import { ManifestReader } from '../manifest/manifest-reader.ts';
import type { ImageRestoreResult } from './image-restore.ts';
import { ImageSink } from './image-sink.ts';

export interface ImageRestoreInput {
  readonly control: SharedArrayBuffer;
  readonly copyPath: string;
  /** Opens an encrypted copy; null for one that is not. */
  readonly secret: CopySecret | null;
  readonly target: string;
  /** What opens the blocks of a copy that has some. */
  readonly blocks: BlocksInput | null;
}

const input = workerData as ImageRestoreInput;
const control = new Control(input.control);

runWorkerAsync(control, async () => finishWorker(await restore()));

async function restore(): Promise<ImageRestoreResult> {
  const reader = new ManifestReader(input.copyPath, input.secret);
  const stream = new FrameStream(reader, control, input.blocks);
  try {
    const image = reader.entry(0);
    if (image.type !== 'f') throw new DeviceError('permanent', 'The copy holds no image of a device.');
    const leftBytes = roomBeyond(image.sizeBytes);
    control.set('bytesTotal', image.sizeBytes);
    control.set('filesTotal', 1);
    const fd = openTarget();
    try {
      const sink = new ImageSink(fd, image.sizeBytes, image.sparse, control);
      await writeImage(image, stream, sink);
      control.add('filesDone', 1);
      return { sizeBytes: image.sizeBytes, writtenBytes: sink.writtenBytes, leftBytes };
    } finally {
      fs.closeSync(fd);
    }
  } finally {
    stream.close();
    reader.close();
  }
}

function roomBeyond(imageBytes: number): number {
  const targetBytes = deviceSizeSync(input.target);
  if (targetBytes >= imageBytes) return targetBytes - imageBytes;
  throw new DeviceError(
    'noSpace',
    `${input.target} is too small: it has ${targetBytes} bytes and the image ${imageBytes}. Nothing was written; choose a larger device.`,
  );
}

/** With O_EXCL the kernel lets nothing mount or claim a device meanwhile. */
function openTarget(): number {
  const { O_RDWR, O_EXCL, O_NOFOLLOW } = fs.constants;
  const real = fs.realpathSync(input.target);
  const isDevice = fs.statSync(real).isBlockDevice();
  try {
    return fs.openSync(real, O_RDWR | O_NOFOLLOW | (isDevice ? O_EXCL : 0));
  } catch (error) {
    throw toDeviceError(error, `${input.target} cannot be written`);
  }
}

async function writeImage(image: Entry, stream: FrameStream, sink: ImageSink): Promise<void> {
  const hash = new ContentHash();
  const throttle = new Throttle(control);
  const start = (image.headerOffset ?? 0) + image.headerLength;
  hash.start();
  try {
    for await (const piece of stream.pieces(start, image.storedBytes)) {
      control.check();
      if (piece.bytes === null) throw damaged();
      throttle.spend(piece.length);
      hash.update(piece.bytes);
      sink.write(piece.bytes);
    }
    if (image.storedBytes > 0 && hash.digest() !== image.hash) throw damaged();
    sink.end();
  } catch (error) {
    throw toDeviceError(
      error,
      `${input.target} could not be written to the end and holds a part of the image only`,
    );
  }
}

function damaged(): DeviceError {
  return new DeviceError(
    'corrupt',
    `The data in the copy are damaged. ${input.target} holds a part of the image only and must not be used; restore another copy.`,
  );
}
