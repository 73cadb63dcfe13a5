import { mkdir, statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { workerUrl } from '../../platform/worker-url.ts';
import { archiveName, type Compression } from '../archive/codec.ts';
import type { CodecInput } from '../archive/codec-worker.ts';
import type { StoreLink, StoreThread } from '../blocks/index.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { FRAME_BYTES, Ring, slotsFor } from '../job/ring.ts';
import type { WorkerSpec } from '../job/worker-group.ts';
import type { WriterInput } from './archive-writer-worker.ts';

/** A new copy on its way: how its frames are made and where they go. */
export interface PackingRequest {
  readonly compression: Compression;
  readonly workerParallelism?: number | undefined;
  readonly frameBytes?: number | undefined;
  readonly partialPath: string;
  readonly finalPath: string;
  readonly lock: WriterInput['lock'];
  /** The store that the frames go to as blocks; null: they go to the copy's archive. */
  readonly store: StoreThread | null;
}

/** What the worker that fills the ring is given. */
export interface PackingInput {
  readonly control: SharedArrayBuffer;
  readonly ring: SharedArrayBuffer;
  readonly slotCount: number;
  readonly frameBytes: number;
  /** A way to the store for itself. */
  readonly blocks: StoreLink | null;
}

export interface Packing {
  /** For workers that only look at the ring. */
  readonly shared: Pick<PackingInput, 'control' | 'ring' | 'slotCount'>;
  /** A worker that fills the ring. */
  readonly filler: (name: string, url: URL, input: object, transfer?: WorkerSpec['transfer']) => WorkerSpec;
  /** Those that compress and write what comes; the writer is called `writer`. */
  readonly workers: readonly WorkerSpec[];
}

const MOST_COMPRESSORS = 8;
const LEAST_FREE_BYTES = 1_048_576;

/** The workers behind the one that reads: some compress, one writes. */
export function packing(request: PackingRequest, control: Control): Packing {
  const { compression, store, partialPath, finalPath, lock } = request;
  const codecs = Math.min(
    request.workerParallelism ?? MOST_COMPRESSORS,
    availableParallelism(),
    MOST_COMPRESSORS,
  );
  const slotCount = slotsFor(codecs);
  const frameBytes = Math.min(store?.facts.blockBytes ?? request.frameBytes ?? FRAME_BYTES, FRAME_BYTES);
  const shared = { control: control.memory, ring: Ring.memoryFor(slotCount, frameBytes), slotCount };
  /** Each worker has a way to the store of its own. */
  const linked = <I extends object>(input: I, transfer: WorkerSpec['transfer'] = []) => {
    const blocks = store?.connect() ?? null;
    return { input: { ...input, blocks }, transfer: blocks === null ? transfer : [...transfer, blocks.port] };
  };
  const codec: Omit<CodecInput, 'blocks'> = {
    ...shared,
    compression,
    archivePath: null,
    secret: lock?.secret ?? null,
  };
  const writer: Omit<WriterInput, 'blocks'> = {
    ...shared,
    compression,
    partialPath,
    finalPath,
    archiveName: archiveName(compression),
    frameBytes,
    lock,
  };
  return {
    shared,
    filler: (name, url, input, transfer) => ({
      name,
      url,
      ...linked({ ...input, ...shared, frameBytes }, transfer),
    }),
    workers: [
      ...Array.from({ length: Math.max(1, codecs) }, (_, index) => ({
        name: `codec ${index + 1}`,
        url: workerUrl(codecModule, 'codec-worker'),
        ...linked(codec),
      })),
      { name: 'writer', url: workerUrl(import.meta.url, 'archive-writer-worker'), ...linked(writer) },
    ],
  };
}

/** The codec's source lies in another folder than this module; bundled, all workers lie beside each other. */
const codecModule = import.meta.url.endsWith('.ts')
  ? new URL('../archive/codec.ts', import.meta.url).href
  : import.meta.url;

/** Makes the folder of a new copy, when its storage has any room. */
export async function preparePartial(storagePath: string, partialPath: string): Promise<void> {
  try {
    const room = await statfs(storagePath);
    if (room.bavail * room.bsize < LEAST_FREE_BYTES) {
      throw new DeviceError(
        'noSpace',
        `The storage ${storagePath} is full; free space or choose another storage.`,
        {
          bytesNeeded: LEAST_FREE_BYTES,
        },
      );
    }
    await mkdir(partialPath, { mode: 0o700 });
  } catch (error) {
    throw toDeviceError(error, `The storage ${storagePath} cannot be written`);
  }
}
