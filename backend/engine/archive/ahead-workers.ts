import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { errorCode } from '../../platform/native.ts';
import { workerUrl } from '../../platform/worker-url.ts';
import { type CopySecret, storedName } from '../crypto/copy-secret.ts';
import { toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type MemoryLimit, planReading } from '../job/memory-plan.ts';
import { Ring } from '../job/ring.ts';
import type { WorkerSpec } from '../job/worker-group.ts';
import { MOST_FRAME_BYTES } from '../manifest/manifest-file.ts';
import type { ArrivingArchive } from './arriving-archive.ts';
import { archiveName, COMPRESSIONS, type Compression } from './codec.ts';
import type { CodecInput } from './codec-worker.ts';
import type { AheadInput } from './decode-ahead.ts';

/** One frame is read, two wait, one is being decoded. */
const SLOTS = 4;
/** A thread more takes longer to start than a smaller archive takes to decode. */
export const LEAST_ARCHIVE_BYTES = 16_777_216;

/** A name each: what is written with `Best` is read like what is written with `Optimal`. */
const KINDS: readonly Compression[] = ['Optimal', 'Fast', 'None'];

export interface AheadWorkers {
  readonly ahead: AheadInput | null;
  readonly workers: readonly WorkerSpec[];
  /** For the heap of the thread that reads; null: as the system has it. */
  readonly heapMegabytes: number | null;
}

/** An archive that is on its way, and what its header says of it. */
export interface ArchiveToCome {
  readonly archive: ArrivingArchive;
  readonly compression: string;
}

/** What reads a copy alone, within the limit. */
export function noAhead(limit: MemoryLimit | null): AheadWorkers {
  return {
    ahead: null,
    workers: [],
    heapMegabytes: planReading(limit, Number.POSITIVE_INFINITY).heapMegabytes,
  };
}

/**
 * The thread that decodes the archive of a copy ahead of the one that reads it from beginning to end; none where it would
 * not help, or not fit into the limit. An age file can only be read as a whole, and the blocks of a store lie elsewhere.
 */
export async function aheadWorkers(
  control: Control,
  copyPath: string,
  secret: CopySecret | null,
  options: { readonly limit?: MemoryLimit | null; readonly arriving?: ArchiveToCome | null } = {},
): Promise<AheadWorkers> {
  const { limit = null, arriving = null } = options;
  const { isAhead, heapMegabytes } = planReading(limit, Ring.bytesFor(SLOTS, MOST_FRAME_BYTES));
  if (secret?.cipher === 'age' || availableParallelism() < 2 || !isAhead) return noAhead(limit);
  // The name of an archive that comes is not in its folder yet, but stands in the header.
  const kinds = arriving === null ? KINDS : KINDS.filter((kind) => isNamed(kind, arriving.compression));
  for (const compression of kinds) {
    const name = archiveName(compression);
    const folder = arriving?.archive.folder ?? copyPath;
    const archivePath = path.join(folder, storedName(name, secret?.cipher ?? null));
    const bytes = arriving?.archive.bytes ?? (await sizeOf(archivePath));
    if (bytes < LEAST_ARCHIVE_BYTES) continue;
    // Memory is only taken for what is really used of it.
    const shared = { ring: Ring.memoryFor(SLOTS, MOST_FRAME_BYTES), slotCount: SLOTS };
    const input: CodecInput = {
      ...shared,
      control: control.memory,
      compression,
      archivePath,
      arriving: arriving?.archive ?? null,
      secret,
    };
    const url = workerUrl(import.meta.url, 'codec-worker');
    return {
      ahead: { ...shared, archiveName: name },
      workers: [{ name: 'decoder', url, input, heapMegabytes }],
      heapMegabytes,
    };
  }
  return noAhead(limit);
}

const isNamed = (kind: Compression, compression: string): boolean =>
  COMPRESSIONS.some((one) => one === compression && archiveName(one) === archiveName(kind));

/** 0 when it is not there: whoever reads the copy says so. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw toDeviceError(error, 'The archive of this copy cannot be read');
  }
}
