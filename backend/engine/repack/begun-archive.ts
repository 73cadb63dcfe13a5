import fs from 'node:fs';
import path from 'node:path';
import { writeAllSync } from '../../platform/files.ts';
import { errorCode } from '../../platform/native.ts';

/** Stands in the folder of a half-made copy only: which frames of the new archive were written. */
export const JOURNAL_NAME = 'frames.begun';

/** What attempts that were cut off have made of an archive: frames that are on the disk and right. */
export interface BegunArchive {
  readonly frames: number;
  readonly bytes: number;
  /** That sealed them, oldest first; empty for what is not encrypted. */
  readonly keys: readonly BegunKey[];
  /** Of the full pieces of what is encrypted, see `FileSums`. */
  readonly sums: readonly string[];
}

/** The wrapped key, in base64, of the frames from number `first` on. */
export interface BegunKey {
  readonly first: number;
  readonly wrapped: string;
}

/** How the archive is to be made; one that was begun in another way cannot be gone on with. */
export interface JournalHead {
  readonly from: string;
  readonly compression: string;
  readonly frameBytes: number | null;
  /** Of the client's key that the copy is encrypted with; null: it is not. */
  readonly keyId: string | null;
}

/** Written beside the archive, never synced: the hash of each frame tells whether it is on the disk. */
export class ArchiveJournal {
  readonly #fd: number;

  /** `wrapped`: the key of all frames that follow; null when nothing is encrypted. */
  constructor(folder: string, head: JournalHead, isBegun: boolean, wrapped: string | null) {
    this.#fd = fs.openSync(path.join(folder, JOURNAL_NAME), isBegun ? 'a' : 'wx', 0o600);
    if (!isBegun) this.add(headLine(head));
    // Before the first frame that it seals: one whose key is not noted would be lost.
    if (wrapped !== null) this.add(keyLine(wrapped));
  }

  /** A line of the table of frames. */
  add(line: string): void {
    writeAllSync(this.#fd, Buffer.from(line, 'utf8'));
  }

  /** The archive is whole. */
  end(folder: string): void {
    fs.closeSync(this.#fd);
    fs.rmSync(path.join(folder, JOURNAL_NAME));
  }
}

export interface BegunFrame {
  /** As it stands in the table of frames. */
  readonly line: string;
  readonly length: number;
  readonly hash: string;
}

export interface Noted {
  /** Oldest first. */
  readonly frames: readonly BegunFrame[];
  readonly keys: readonly BegunKey[];
}

/** What was noted; null when there is no journal, or one of another archive. Throws SyntaxError for a torn one. */
export function readJournal(folder: string, head: JournalHead): Noted | null {
  let text: string;
  try {
    text = fs.readFileSync(path.join(folder, JOURNAL_NAME), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  // What follows the last line break was being written.
  const [first = '', ...lines] = text.split('\n').slice(0, -1);
  return `${first}\n` === headLine(head) ? notedIn(lines) : null;
}

/** Keeps the first frames only, and the keys that sealed one of them. */
export function shortenJournal(folder: string, head: JournalHead, { frames, keys }: Noted): void {
  const lines = frames.map(({ line }, index) => {
    const key = keys.find(({ first }) => first === index);
    return key === undefined ? line : `${keyLine(key.wrapped)}${line}`;
  });
  fs.writeFileSync(path.join(folder, JOURNAL_NAME), headLine(head) + lines.join(''));
}

function notedIn(lines: readonly string[]): Noted {
  const frames: BegunFrame[] = [];
  const keys: BegunKey[] = [];
  for (const line of lines) {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'string') {
      // Where an attempt has made no frame, the next one has taken its place.
      if (keys.at(-1)?.first === frames.length) keys.pop();
      keys.push({ first: frames.length, wrapped: value });
      continue;
    }
    const [length, hash]: readonly unknown[] = Array.isArray(value) ? value : [];
    if (typeof length !== 'number' || typeof hash !== 'string')
      throw new SyntaxError(`${JOURNAL_NAME} holds ${line}`);
    frames.push({ line: `${line}\n`, length, hash });
  }
  return { frames, keys };
}

function headLine({ from, compression, frameBytes, keyId }: JournalHead): string {
  const head = { from, compression, frameBytes };
  return `${JSON.stringify(keyId === null ? head : { ...head, keyId })}\n`;
}

function keyLine(wrapped: string): string {
  return `${JSON.stringify(wrapped)}\n`;
}
