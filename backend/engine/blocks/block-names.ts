import fs from 'node:fs';
import path from 'node:path';
import { readFullySync, writeAllSync } from '../../platform/files.ts';
import { errorCode } from '../../platform/native.ts';
import { ContentHash } from '../archive/hash.ts';
import { FileSums } from '../crypto/stored-sums.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';

/**
 * The names of all blocks of an encrypted copy, beside its sealed file list: so cleaning and a verification without the
 * key know what the copy needs. The names are keyed hashes; the device shows them too.
 */
export const BLOCK_NAMES = 'blocks.ndjson';
const FORMAT = 'strongroom-blocks';
const VERSION = 1;
const BUFFER_CHARS = 65_536;
const HEAD_BYTES = 4096;

/** What a copy says of the store in which its blocks lie. */
export interface NamesHead {
  /** The uuid of the store, 32 hexadecimal digits. */
  readonly store: string;
  readonly hashBytes: number;
}

/** Writes the names of a copy's blocks in the order of its tar stream. Throws the errors of the system. */
export class BlockNamesOutput {
  readonly sums = new FileSums(BLOCK_NAMES);
  readonly #fd: number;
  readonly #hash = new ContentHash();
  #text: string;
  #count = 0;
  #storedBytes = 0;

  constructor(folder: string, head: NamesHead) {
    this.#fd = fs.openSync(path.join(folder, BLOCK_NAMES), 'wx', 0o600);
    this.#hash.start();
    this.#text = `${JSON.stringify({ format: FORMAT, version: VERSION, ...head })}\n`;
  }

  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** `name` in base64. */
  add(name: string): void {
    this.#text += `"${name}"\n`;
    this.#count += 1;
    if (this.#text.length >= BUFFER_CHARS) this.#flush();
  }

  /** Those in the lines `[length,"name"]` of a table of frames. */
  addRun(lines: Buffer): void {
    for (const line of lines.toString('latin1').split('\n')) {
      if (line !== '') this.add(line.slice(line.indexOf('"') + 1, line.lastIndexOf('"')));
    }
  }

  /** Nothing follows; all of it is on the disk when this returns. */
  end(): void {
    this.#flush();
    this.#text = `${JSON.stringify({ blocks: this.#count, list: this.#hash.digest() })}\n`;
    this.#flush();
    fs.fsyncSync(this.#fd);
    fs.closeSync(this.#fd);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#text, 'utf8');
    this.#text = '';
    writeAllSync(this.#fd, bytes);
    this.sums.add(bytes);
    this.#hash.update(bytes);
    this.#storedBytes += bytes.length;
  }
}

/** Null when the copy has no such list. Throws DeviceError: `corrupt` when its beginning is not what was written. */
export function readNamesHead(copyPath: string): NamesHead | null {
  const fd = openNames(copyPath);
  if (fd === null) return null;
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const [line = ''] = bytes.toString('utf8', 0, readFullySync(fd, bytes, 0)).split('\n');
    return checkedHead(parsed(line));
  } catch (error) {
    throw toDeviceError(error, 'The list of the blocks of this copy cannot be read');
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * The names of all blocks of a copy in base64, many at once. Throws `corrupt` at the latest at the end when the list is not what was
 * written, and `notFound` when there is none.
 */
export function* readBlockNames(copyPath: string): Generator<readonly string[]> {
  const fd = openNames(copyPath);
  if (fd === null) throw new DeviceError('notFound', `The file ${BLOCK_NAMES} of this copy is missing.`);
  try {
    yield* namesIn(fd);
  } catch (error) {
    throw toDeviceError(error, 'The list of the blocks of this copy cannot be read');
  } finally {
    fs.closeSync(fd);
  }
}

function* namesIn(fd: number): Generator<readonly string[]> {
  const hash = new ContentHash();
  hash.start();
  const chunk = Buffer.alloc(BUFFER_CHARS);
  let rest = '';
  let at = 0;
  let count = 0;
  let isHead = true;
  for (;;) {
    const length = readFullySync(fd, chunk, at);
    at += length;
    const lines = (rest + chunk.toString('latin1', 0, length)).split('\n');
    rest = lines.pop() ?? '';
    // The last line tells of those before it.
    const isEnd = length < chunk.length;
    const last = isEnd ? lines.pop() : undefined;
    if (lines.length > 0) hash.update(Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
    const names = (isHead ? lines.slice(1) : lines).map((line) => line.slice(1, -1));
    if (isHead && lines[0] !== undefined) checkedHead(parsed(lines[0]));
    isHead &&= lines.length === 0;
    count += names.length;
    if (isEnd && !isRightEnd(last, rest, count, hash.digest())) throw damagedNames();
    if (names.length > 0) yield names;
    if (isEnd) return;
  }
}

function isRightEnd(last: string | undefined, rest: string, count: number, list: string): boolean {
  return rest === '' && last === JSON.stringify({ blocks: count, list });
}

function openNames(copyPath: string): number | null {
  try {
    return fs.openSync(path.join(copyPath, BLOCK_NAMES), 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw toDeviceError(error, 'The list of the blocks of this copy cannot be read');
  }
}

function checkedHead(value: unknown): NamesHead {
  if (value === null || typeof value !== 'object') throw damagedNames();
  const { format, version, store, hashBytes } = value as Readonly<Record<string, unknown>>;
  if (format !== FORMAT || version !== VERSION) throw damagedNames();
  if (typeof store !== 'string' || !/^[0-9a-f]{32}$/.test(store)) throw damagedNames();
  if (typeof hashBytes !== 'number' || ![20, 32, 64].includes(hashBytes)) throw damagedNames();
  return { store, hashBytes };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw damagedNames();
  }
}

function damagedNames(): DeviceError {
  return new DeviceError('corrupt', `The file ${BLOCK_NAMES} of this copy is not what was written.`);
}
