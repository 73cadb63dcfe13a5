import fs from 'node:fs';
import path from 'node:path';
import { collectYoungObjects, releaseOwnBuffer } from '../../platform/collect-garbage.ts';
import { readFullySync, syncDirectorySync, writeAllSync } from '../../platform/files.ts';
import type { FeedInput } from '../archive/archive-feed.ts';
import { type AgeStart, AgeWriter } from '../crypto/age-stream.ts';
import { type CopyPart, type CopySecret, storedName } from '../crypto/copy-secret.ts';
import { LOCK_NAME } from '../crypto/lock-name.ts';
import { FileSums, SUMS_NAME, sumsText } from '../crypto/stored-sums.ts';
import { toDeviceError } from '../device-error.ts';

/** A cipher makes new buffers for each chunk; where they cannot be released one by one, they pile up without a collection now and then. */
const COLLECT_EVERY_BYTES = 4_194_304;

/** What an earlier attempt has written of a file. */
export interface KeptPart {
  readonly bytes: number;
  /** Of its full pieces, see `FileSums`; empty for what is not encrypted. */
  readonly sums: readonly string[];
}

/** Where the stored bytes of a file go, in order. */
interface StoredTo {
  readonly put: (bytes: Buffer) => void;
  readonly end: () => void;
  /** Calls back when all of it is durable. */
  readonly sync: (done: (error: unknown) => void) => void;
  /** As `sync`, for what is there so far. */
  readonly syncData: (done: (error: unknown) => void) => void;
  readonly close: () => void;
}

function toFile(fd: number): StoredTo {
  return {
    put: (bytes) => writeAllSync(fd, bytes),
    end: () => undefined,
    sync: (done) => fs.fsync(fd, done),
    syncData: (done) => fs.fdatasync(fd, done),
    close: () => fs.closeSync(fd),
  };
}

/** What goes on from here has no place of its own, and nothing to be made durable. */
function toFeed(feed: FeedInput): StoredTo {
  return {
    put: (bytes) => feed.put(bytes),
    end: () => feed.end(),
    sync: (done) => done(null),
    syncData: (done) => done(null),
    close: () => feed.close(),
  };
}

/** A new file of a copy: what is written to it lies on the disk, or is fed to somebody, as it is, or as an age file. */
export class StoredOutput {
  readonly #to: StoredTo;
  /** Null for a copy that is not encrypted: the manifest has all hashes then, and anybody can read it. */
  readonly sums: FileSums | null;
  readonly #age: AgeWriter | null;
  #storedBytes = 0;
  #sinceCollection = 0;

  /** `kept`: of a file that is there and is written behind its end; not for what age encrypts. `feed`: takes the bytes in place of a file. */
  constructor(
    folder: string,
    plainName: string,
    part: CopyPart,
    secret: CopySecret | null,
    { kept = null, feed = null }: { readonly kept?: KeptPart | null; readonly feed?: FeedInput | null } = {},
  ) {
    const name = storedName(plainName, secret?.cipher ?? null);
    this.#storedBytes = kept?.bytes ?? 0;
    this.sums = secret === null ? null : new FileSums(name, kept?.sums);
    if (feed !== null) this.#to = toFeed(feed);
    else {
      const fd = openFile(`${folder}/${name}`, kept === null ? 'wx' : 'a+');
      if (kept !== null) this.#sumRest(fd, kept.bytes);
      this.#to = toFile(fd);
    }
    const start = ageStartOf(secret, part);
    this.#age =
      start === null
        ? null
        : new AgeWriter(start, (sealed) => {
            this.#store(Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length));
            // How the file begins was handed in by others; chunks belong to nobody else.
            if (sealed !== start.begin) releaseOwnBuffer(sealed);
          });
  }

  /** Bytes so far. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** Throws the error of the system. */
  write(bytes: Buffer): void {
    if (this.#age === null) {
      this.#store(bytes);
      return;
    }
    this.#age.push(bytes);
    this.#sinceCollection += bytes.length;
    if (this.#sinceCollection < COLLECT_EVERY_BYTES) return;
    this.#sinceCollection = 0;
    collectYoungObjects();
  }

  /** Counts what a sender writes at the end of what is there. Not for what age encrypts. */
  note(bytes: Buffer): void {
    this.sums?.add(bytes);
    this.#storedBytes += bytes.length;
  }

  /** Nothing follows. */
  end(): void {
    this.#age?.end();
    this.#to.end();
  }

  /** Calls back when all of it is durable. */
  sync(done: (error: unknown) => void): void {
    this.#to.sync(done);
  }

  /** Calls back when what is there so far is durable. */
  syncData(done: (error: unknown) => void): void {
    this.#to.syncData(done);
  }

  close(): void {
    this.#to.close();
  }

  /** What is there behind the last full piece. */
  #sumRest(fd: number, keptBytes: number): void {
    if (this.sums === null) return;
    const rest = Buffer.alloc(keptBytes - this.sums.bytes);
    readFullySync(fd, rest, this.sums.bytes);
    this.sums.add(rest);
  }

  #store(bytes: Buffer): void {
    this.#to.put(bytes);
    this.note(bytes);
  }
}

/** The small files of an encrypted copy, on the disk when it returns: its wrapped key and the sums of all files. */
export function writeLockFiles(
  folder: string,
  lockText: string,
  files: readonly (FileSums | null)[],
): { readonly bytes: number } {
  const lockSums = new FileSums(LOCK_NAME);
  lockSums.add(Buffer.from(lockText, 'utf8'));
  const sums = sumsText([lockSums, ...files.filter((sums) => sums !== null)]);
  let bytes = 0;
  for (const [name, text] of [
    [LOCK_NAME, lockText],
    [SUMS_NAME, sums],
  ] as const) {
    const fd = openFile(`${folder}/${name}`, 'wx');
    try {
      writeAllSync(fd, Buffer.from(text, 'utf8'));
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    bytes += Buffer.byteLength(text);
  }
  syncDirectorySync(folder);
  return { bytes };
}

function ageStartOf(secret: CopySecret | null, part: CopyPart): AgeStart | null {
  if (secret?.cipher !== 'age') return null;
  const start = secret[part];
  if (start === null) throw new Error(`the ${part} has no key`);
  return start;
}

function openFile(file: string, flags: 'wx' | 'a+'): number {
  try {
    return fs.openSync(file, flags, 0o600);
  } catch (error) {
    throw toDeviceError(
      error,
      `The copy cannot be written to the storage ${path.dirname(path.dirname(file))}`,
    );
  }
}
