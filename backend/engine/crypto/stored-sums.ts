import fs from 'node:fs';
import path from 'node:path';
import { readFullySync } from '../../platform/files.ts';
import { errorCode } from '../../platform/native.ts';
import { ContentHash } from '../archive/hash.ts';

/** Hashes of the stored bytes of an encrypted copy, so that whoever has no key can still find damage. */
export const SUMS_NAME = 'sums.ndjson';
export const SUMS_CHUNK_BYTES = 1_048_576;
const FORMAT = 'strongroom-sums';

/** Hashes one file's bytes as they are written, in pieces of one length. */
export class FileSums {
  readonly #name: string;
  readonly #hash = new ContentHash();
  readonly #hashes: string[];
  #filled = 0;
  #bytes: number;

  /** `whole`: of the pieces at the beginning of the file that are there already. */
  constructor(name: string, whole: readonly string[] = []) {
    this.#name = name;
    this.#hashes = [...whole];
    this.#bytes = whole.length * SUMS_CHUNK_BYTES;
    this.#hash.start();
  }

  /** Of the pieces that are full. */
  get whole(): readonly string[] {
    return this.#hashes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + SUMS_CHUNK_BYTES - this.#filled);
      this.#hash.update(part);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === SUMS_CHUNK_BYTES) this.#next();
    }
    this.#bytes += bytes.length;
  }

  text(): string {
    if (this.#filled > 0) this.#next();
    return `${JSON.stringify([this.#name, this.#bytes])}\n${this.#hashes.map((hash) => `"${hash}"\n`).join('')}`;
  }

  #next(): void {
    this.#hashes.push(this.#hash.digest());
    this.#hash.start();
    this.#filled = 0;
  }
}

/** The whole file; its last line is the hash of all lines before. */
export function sumsText(files: readonly FileSums[]): string {
  const head = JSON.stringify({ format: FORMAT, version: 1, chunkBytes: SUMS_CHUNK_BYTES });
  const text = `${head}\n${files.map((file) => file.text()).join('')}`;
  return `${text}${JSON.stringify({ sums: new ContentHash().of(Buffer.from(text, 'utf8')) })}\n`;
}

export interface SummedFile {
  readonly name: string;
  readonly bytes: number;
  readonly hashes: readonly string[];
}

/** Null when the file is not what was written; `missing` when it is not there. */
export function readSums(copyPath: string): readonly SummedFile[] | 'missing' | null {
  try {
    return parseSums(fs.readFileSync(path.join(copyPath, SUMS_NAME), 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'missing';
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function parseSums(text: string): readonly SummedFile[] | null {
  const lastLine = text.lastIndexOf('\n', text.length - 2) + 1;
  const body = text.slice(0, lastLine);
  const own: unknown = JSON.parse(text.slice(lastLine));
  const sums = own !== null && typeof own === 'object' && 'sums' in own ? own.sums : null;
  if (sums !== new ContentHash().of(Buffer.from(body, 'utf8'))) return null;
  const files: { name: string; bytes: number; hashes: string[] }[] = [];
  for (const line of body.trimEnd().split('\n').slice(1)) {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'string') files.at(-1)?.hashes.push(value);
    else if (Array.isArray(value))
      files.push({ name: String(value[0]), bytes: Number(value[1]), hashes: [] });
  }
  // A name leads to a file of this copy and to nothing else.
  return files.every(({ name }) => name === path.basename(name)) ? files : null;
}

export interface SumsFault {
  readonly from: number;
  readonly to: number;
  readonly isMissing: boolean;
}

/** Stretches of a stored file that are not what was written. `tick` is called with the bytes read, and may throw. */
export function sumFaults(copyPath: string, file: SummedFile, tick: (bytes: number) => void): SumsFault[] {
  const faults: SumsFault[] = [];
  const fd = fs.openSync(path.join(copyPath, file.name), 'r');
  try {
    const chunk = Buffer.alloc(SUMS_CHUNK_BYTES);
    const hash = new ContentHash();
    file.hashes.forEach((expected, index) => {
      const from = index * SUMS_CHUNK_BYTES;
      const part = chunk.subarray(0, Math.min(SUMS_CHUNK_BYTES, file.bytes - from));
      const isMissing = readFullySync(fd, part, from) !== part.length;
      tick(part.length);
      if (isMissing || hash.of(part) !== expected) faults.push({ from, to: from + part.length, isMissing });
    });
    const { size } = fs.fstatSync(fd);
    if (size > file.bytes) faults.push({ from: file.bytes, to: size, isMissing: false });
  } finally {
    fs.closeSync(fd);
  }
  return faults;
}
