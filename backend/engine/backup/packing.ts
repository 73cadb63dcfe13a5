import { mkdir, statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { workerUrl } from '../../platform/worker-url.ts';
import type { ArchiveFeed } from '../archive/archive-feed.ts';
import { archiveName, type Compression, codecBytesOf } from '../archive/codec.ts';
import type { CodecInput } from '../archive/codec-worker.ts';
import { KIND_ARCHIVE, KIND_BLOCKS } from '../archive/stream.ts';
import type { StoreLink, StoreThread } from '../blocks/index.ts';
import { storedName } from '../crypto/copy-secret.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type MemoryLimit, planMemory } from '../job/memory-plan.ts';
import { FRAME_BYTES, Ring } from '../job/ring.ts';
import type { WorkerSpec } from '../job/worker-group.ts';
import type { WriterInput } from './archive-writer-worker.ts';
import type { SenderInput } from './sender-worker.ts';

/** A new copy on its way: how its frames are made and where they go. */
export interface PackingRequest {
  readonly compression: Compression;
  readonly workerParallelism?: number | undefined;
  /** Frames that are written to the archive at the same time; 1 unless told. Not for blocks, nor for age. */
  readonly sendParallelism?: number | undefined;
  readonly memory?: MemoryLimit | null | undefined;
  readonly frameBytes?: number | undefined;
  readonly partialPath: string;
  readonly finalPath: string;
  readonly lock: WriterInput['lock'];
  /** The store that the frames go to as blocks; null: they go to the copy's archive. */
  readonly store: StoreThread | null;
  /** See `WriterInput`; missing: begins anew. Only for an archive that age does not encrypt and that nobody sends. */
  readonly journal?: WriterInput['journal'];
  /** Little is expected: no codec begins but the writer (one of its own where there may be no other), and the filler asks for the others (`LateCodecs`). */
  readonly isLittle?: boolean | undefined;
  /** See `BackupRequest`. */
  readonly isPassing?: boolean | undefined;
  readonly feed?: ArchiveFeed | null | undefined;
}

/** What the worker that fills the ring is given. */
export interface PackingInput {
  readonly control: SharedArrayBuffer;
  readonly ring: SharedArrayBuffer;
  readonly slotCount: number;
  readonly frameBytes: number;
  /** Codecs that are started when they are asked for. */
  readonly lateCodecs: number;
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
  /** Bytes of content that were read and wait to be stored. */
  readonly heldBytes: () => number;
  /** What the limit of memory took away, for the log; null when nothing. */
  readonly note: string | null;
  /** For the heap of each thread; null: as the system has it. */
  readonly heapMegabytes: number | null;
}

const USUAL_COMPRESSORS = 8;
/** Where nothing is encoded there is no codec, but as many frames as for so many: the reader goes on while the disk takes some. */
const PLAIN_CODECS = 2;
/** Threads of a job that neither compress nor send: reader, counter, writer. */
const OTHER_THREADS = 3;
const LEAST_FREE_BYTES = 1_048_576;

/** The workers behind the one that reads: some compress, one writes. */
export function packing(request: PackingRequest, control: Control): Packing {
  const { compression, store, partialPath, finalPath, lock } = request;
  const archivePath = `${partialPath}/${storedName(archiveName(compression), lock?.secret.cipher ?? null)}`;
  // The writer does the little that is left: to bring a frame into the cache of another processor takes longer than its hash.
  const isPlain = compression === 'None' && lock === null && store === null;
  const frameBytes = Math.min(store?.facts.blockBytes ?? request.frameBytes ?? FRAME_BYTES, FRAME_BYTES);
  const { codecs, senders, slotCount, heapMegabytes, note } = planMemory({
    frameBytes,
    codecs: codecsOf(request, isPlain),
    codecBytes: codecBytesOf(compression, frameBytes),
    senders: sendersOf(request),
    // Of the codecs that are reckoned with, none is there.
    others: isPlain ? OTHER_THREADS - 1 : OTHER_THREADS,
    limit: request.memory ?? null,
  });
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
  // It takes the place of the codec that would begin; where that is the only one, all of a large copy would wait for the writer.
  const isEncoding = isPlain || ((request.isLittle ?? false) && codecs > 1);
  const writer: Omit<WriterInput, 'blocks'> = {
    ...shared,
    compression,
    partialPath,
    finalPath,
    archiveName: archiveName(compression),
    frameBytes,
    isEncoding,
    isSent: senders > 0,
    lock,
    journal: request.journal ?? null,
    isPassing: request.isPassing ?? false,
    feed: request.feed ?? null,
  };
  const sender: SenderInput = { ...shared, archivePath, storagePath: dirname(finalPath) };
  const lateCodecs = request.isLittle && !isPlain ? codecs - 1 : 0;
  const ring = new Ring(shared.ring, slotCount, control);
  return {
    shared,
    heldBytes: () => ring.heldBytes(store === null ? KIND_ARCHIVE : KIND_BLOCKS),
    note,
    heapMegabytes,
    filler: (name, url, input, transfer) => ({
      name,
      url,
      heapMegabytes,
      ...linked({ ...input, ...shared, frameBytes, lateCodecs }, transfer),
    }),
    workers: [
      ...Array.from({ length: isEncoding ? lateCodecs : codecs }, (_, index) => ({
        name: `codec ${index + 1}`,
        isOnCall: isEncoding || index >= codecs - lateCodecs,
        heapMegabytes,
        url: workerUrl(codecModule, 'codec-worker'),
        ...linked(codec),
      })),
      ...Array.from({ length: senders }, (_, index) => ({
        name: `sender ${index + 1}`,
        url: workerUrl(import.meta.url, 'sender-worker'),
        heapMegabytes,
        input: sender,
      })),
      {
        name: 'writer',
        heapMegabytes,
        url: workerUrl(import.meta.url, 'archive-writer-worker'),
        ...linked(writer),
      },
    ],
  };
}

function codecsOf({ workerParallelism = USUAL_COMPRESSORS }: PackingRequest, isPlain: boolean): number {
  const most = Math.min(workerParallelism, availableParallelism());
  return Math.max(1, isPlain ? Math.min(most, PLAIN_CODECS) : most);
}

/** One thread writes by itself; the frames of age, or of a feed, are one stream, and a block store has a thread of its own. */
function sendersOf({ sendParallelism = 1, store, lock, feed = null }: PackingRequest): number {
  return sendParallelism < 2 || store !== null || feed !== null || lock?.secret.cipher === 'age'
    ? 0
    : sendParallelism;
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
