import fs from 'node:fs';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';
import type { Entry } from '../archive/entry.ts';
import type { FrameStream } from '../archive/frame-stream.ts';
import type { ContentHash } from '../archive/hash.ts';
import { type Extent, SparseMapParser } from '../archive/tar-parse.ts';
import { DeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';

const CHUNK_BYTES = 1_048_576;
/** Compared at once: byte by byte a hole of a gigabyte would take seconds. */
const zeros = Buffer.alloc(CHUNK_BYTES);

export interface ContentTools {
  readonly hash: ContentHash;
  readonly control: Control;
  readonly buffer: Buffer;
}

export const contentBuffer = (): Buffer => Buffer.alloc(CHUNK_BYTES);

/** Why the bytes of a restored file are not those of the copy's file list, or null. `stream` gives the map of a sparse one. */
export async function contentDifference(
  file: ByteString,
  entry: Entry,
  stream: () => FrameStream,
  tools: ContentTools,
): Promise<string | null> {
  const fd = openItself(file);
  try {
    const { size } = fs.fstatSync(fd);
    if (size !== entry.sizeBytes) return `it has ${size} bytes where ${entry.sizeBytes} were backed up`;
    tools.hash.start();
    const gaps = entry.sparse
      ? await hashSparse(fd, entry, stream(), tools)
      : hashStretch(fd, { offset: 0, length: size }, tools);
    if (gaps !== null) return gaps;
    if (entry.storedBytes > 0 && tools.hash.digest() !== entry.hash) {
      return 'its content has another hash than the file list of the copy';
    }
    return null;
  } finally {
    fs.closeSync(fd);
  }
}

/** What a file without the right to read it shows to its owner only after a change of its mode, which is compared before. */
function openItself(file: ByteString): number {
  const flags = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW;
  try {
    return fs.openSync(fsPath(file), flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    fs.chmodSync(fsPath(file), 0o600);
    return fs.openSync(fsPath(file), flags);
  }
}

function hashStretch(fd: number, { offset, length }: Extent, tools: ContentTools): string | null {
  const end = offset + length;
  for (let at = offset; at < end; ) {
    const bytes = readAt(fd, at, end, tools);
    if (bytes === null) return `it ends after ${at} bytes`;
    tools.hash.update(bytes);
    at += bytes.length;
  }
  return null;
}

/** The hash is that of what the archive holds: the map, then the data. All else of the file has to be empty. */
async function hashSparse(
  fd: number,
  entry: Entry,
  stream: FrameStream,
  tools: ContentTools,
): Promise<string | null> {
  const extents = await hashMap(entry, stream, tools);
  let at = 0;
  for (const extent of extents) {
    const problem = emptyUntil(fd, at, extent.offset, tools) ?? hashStretch(fd, extent, tools);
    if (problem !== null) return problem;
    at = extent.offset + extent.length;
  }
  return emptyUntil(fd, at, entry.sizeBytes, tools);
}

async function hashMap(entry: Entry, stream: FrameStream, tools: ContentTools): Promise<readonly Extent[]> {
  const parser = new SparseMapParser(entry.sizeBytes);
  const start = (entry.headerOffset ?? 0) + entry.headerLength;
  for await (const piece of stream.pieces(start, entry.storedBytes)) {
    tools.control.check();
    if (piece.bytes === null) break;
    const taken = parser.push(piece.bytes);
    tools.hash.update(piece.bytes.subarray(0, taken));
    if (parser.extents !== null) return parser.extents;
  }
  throw new DeviceError('corrupt', 'the map of its holes in the copy is damaged');
}

function emptyUntil(fd: number, from: number, end: number, tools: ContentTools): string | null {
  for (let at = from; at < end; ) {
    const bytes = readAt(fd, at, end, tools);
    if (bytes === null) return `it ends after ${at} bytes`;
    if (bytes.compare(zeros, 0, bytes.length) !== 0)
      return `it has data where a hole of the original was, near byte ${at}`;
    at += bytes.length;
  }
  return null;
}

function readAt(fd: number, at: number, end: number, { control, buffer }: ContentTools): Buffer | null {
  control.check();
  const count = fs.readSync(fd, buffer, 0, Math.min(buffer.length, end - at), at);
  return count === 0 ? null : buffer.subarray(0, count);
}
