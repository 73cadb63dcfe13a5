import fs from 'node:fs';
import path from 'node:path';
import { readFullySync } from '../../platform/files.ts';
import { errorCode } from '../../platform/native.ts';
import { archiveName, type Compression } from '../archive/codec.ts';
import { ContentHash } from '../archive/hash.ts';
import { MANIFEST_NAME } from '../archive/manifest-format.ts';
import { openFileSource } from '../crypto/byte-source.ts';
import { readSums, SUMS_CHUNK_BYTES, SUMS_NAME, type SummedFile } from '../crypto/stored-sums.ts';
import { DeviceError } from '../device-error.ts';
import { FrameTable } from '../manifest/frame-table.ts';
import { listState } from '../manifest/list-state.ts';
import { ManifestFile } from '../manifest/manifest-file.ts';

/** Bytes from the beginning of each file that need not be sent again; a file that is not named has none. */
export type KeptBytes = ReadonlyMap<string, number>;

interface Piece {
  readonly length: number;
  readonly hash: string;
}

/**
 * What of a copy has arrived in `folder` already, and is what was recorded when the copy was first made. Only the target is
 * read. The file list, or the sums of an encrypted copy, tell what the rest has to be, so those go first on the way.
 * `tick` is called with the bytes read, and may throw.
 */
export async function keptBytes(folder: string, tick: (bytes: number) => void): Promise<KeptBytes> {
  const sums = readSums(folder);
  if (sums === null) return new Map();
  return sums === 'missing' ? keptOfPlain(folder, tick) : keptOfSealed(folder, sums, tick);
}

/** In the order in which `keptBytes` can make use of them after a cut. */
export function inOrderOfSending<F extends { readonly name: string }>(files: readonly F[]): readonly F[] {
  const rank = ({ name }: F): number => {
    if (name === SUMS_NAME) return 0;
    return name.startsWith('archive.') ? 2 : 1;
  };
  return files.toSorted((one, other) => rank(one) - rank(other));
}

function keptOfSealed(folder: string, sums: readonly SummedFile[], tick: (bytes: number) => void): KeptBytes {
  const kept = new Map([[SUMS_NAME, fs.statSync(path.join(folder, SUMS_NAME)).size]]);
  for (const { name, bytes, hashes } of sums) {
    const pieces = hashes.map((hash, index) => ({
      hash,
      length: Math.min(SUMS_CHUNK_BYTES, bytes - index * SUMS_CHUNK_BYTES),
    }));
    kept.set(name, goodPrefix(path.join(folder, name), pieces, tick));
  }
  return kept;
}

async function keptOfPlain(folder: string, tick: (bytes: number) => void): Promise<KeptBytes> {
  const size = await wholeListBytes(path.join(folder, MANIFEST_NAME), tick);
  if (size === null) return new Map();
  const file = new ManifestFile(folder);
  try {
    const { header } = file;
    const name = archiveName(header.compression as Compression);
    const archive = goodPrefix(path.join(folder, name), framesOf(new FrameTable(file), header.frames), tick);
    return new Map([
      [MANIFEST_NAME, size],
      [name, archive],
    ]);
  } finally {
    file.close();
  }
}

function* framesOf(table: FrameTable, count: number): Generator<Piece> {
  for (let index = 0; index < count; index += 1) yield table.at(index);
}

/** Size of the file list; null when it has not arrived whole. */
async function wholeListBytes(file: string, tick: (bytes: number) => void): Promise<number | null> {
  if (!fs.existsSync(file)) return null;
  const source = openFileSource(file);
  try {
    const state = await listState(source, () => tick(0));
    tick(source.size);
    return state === 'good' ? source.size : null;
  } finally {
    source.close();
  }
}

/** Bytes up to the first piece that is missing or is not what it has to be. `look` sees those before. */
export function goodPrefix(
  file: string,
  pieces: Iterable<Piece>,
  tick: (bytes: number) => void,
  look: (bytes: Buffer) => void = () => undefined,
): number {
  let fd: number;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
  let good = 0;
  try {
    const hash = new ContentHash();
    let bytes = Buffer.alloc(SUMS_CHUNK_BYTES);
    for (const { length, hash: expected } of pieces) {
      if (bytes.length < length) bytes = Buffer.alloc(length);
      const part = bytes.subarray(0, length);
      if (readFullySync(fd, part, good) !== length || hash.of(part) !== expected) break;
      good += length;
      look(part);
      tick(length);
    }
  } catch (error) {
    // A damaged table or sector: what comes before it is good, the rest is sent again.
    if (!isDamage(error)) throw error;
  } finally {
    fs.closeSync(fd);
  }
  return good;
}

function isDamage(error: unknown): boolean {
  return error instanceof DeviceError ? error.kind === 'corrupt' : errorCode(error) === 'EIO';
}
