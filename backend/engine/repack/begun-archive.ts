import fs from 'node:fs';
import path from 'node:path';
import { writeAllSync } from '../../platform/files.ts';
import { errorCode } from '../../platform/native.ts';

/** Stands in the folder of a half-made copy only: which frames of the new archive were written. */
export const JOURNAL_NAME = 'frames.begun';

/** What an attempt that was cut off has made of an archive: frames that are on the disk and right. */
export interface BegunArchive {
  readonly frames: number;
  readonly bytes: number;
}

/** How the archive is to be made; one that was begun in another way cannot be gone on with. */
export interface JournalHead {
  readonly from: string;
  readonly compression: string;
  readonly frameBytes: number | null;
}

/** Written beside the archive, never synced: the hash of each frame tells whether it is on the disk. */
export class ArchiveJournal {
  readonly #fd: number;

  constructor(folder: string, head: JournalHead, isBegun: boolean) {
    this.#fd = fs.openSync(path.join(folder, JOURNAL_NAME), isBegun ? 'a' : 'wx', 0o600);
    if (!isBegun) this.add(headLine(head));
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

/** The frames that were noted, oldest first; null when there is no journal, or one of another archive. Throws SyntaxError for a torn one. */
export function readJournal(folder: string, head: JournalHead): readonly BegunFrame[] | null {
  let text: string;
  try {
    text = fs.readFileSync(path.join(folder, JOURNAL_NAME), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  // What follows the last line break was being written.
  const [first = '', ...lines] = text.split('\n').slice(0, -1);
  return `${first}\n` === headLine(head) ? framesOf(lines) : null;
}

/** Keeps the first lines only. */
export function shortenJournal(folder: string, head: JournalHead, frames: readonly BegunFrame[]): void {
  const text = headLine(head) + frames.map(({ line }) => line).join('');
  fs.writeFileSync(path.join(folder, JOURNAL_NAME), text);
}

function framesOf(lines: readonly string[]): readonly BegunFrame[] {
  return lines.map((line) => {
    const [length, hash]: readonly unknown[] = JSON.parse(line);
    if (typeof length === 'number' && typeof hash === 'string') return { line: `${line}\n`, length, hash };
    throw new SyntaxError(`${JOURNAL_NAME} holds ${line}`);
  });
}

function headLine({ from, compression, frameBytes }: JournalHead): string {
  return `${JSON.stringify({ from, compression, frameBytes })}\n`;
}
