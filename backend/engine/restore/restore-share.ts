import type { CopyTotals } from '../archive/entry.ts';
import type { Control } from '../job/control.ts';

/** Words before the marks. */
const MAY_BEGIN = 0;
const NEXT_SEGMENT = 1;
const ENDED = 2;
const WORDS = 3;

/** A thread takes such a part of the segments that are left: half of its share. */
const PART_OF_REST = 4;

/** Fewer files are restored before a further thread has begun. */
const LEAST_FILES = 2000;
/** Larger files keep one thread busy with writing while another one decodes. */
const MOST_BYTES_PER_FILE = 1_048_576;
/** Each thread keeps the rows of folders whose block is still to come. */
const MOST_FOLDERS = 200_000;

/** A copy whose files are brought back sooner by two threads. */
export function isWorthSharing({ files, folders, sourceBytes }: CopyTotals): boolean {
  return files >= LEAST_FILES && folders <= MOST_FOLDERS && sourceBytes / files <= MOST_BYTES_PER_FILE;
}

/**
 * What two threads that restore one copy say to each other, in shared memory: who takes which segment of rows, which
 * folders are left for the end and which of them get the metadata of the copy then, which folders have been told as failed,
 * and which files with several names are there.
 */
export class RestoreShare {
  readonly #words: Int32Array;
  readonly #foldersLeft: Marks;
  readonly #folderFacts: Marks;
  readonly #foldersTold: Marks;
  readonly #filesDone: Marks;
  readonly #control: Control;
  readonly #segments: number;
  /** The segments that this thread has taken last. */
  #from = 0;
  #end = 0;

  /** `segments`: how many there are to take; 0: each is taken for itself, so that two threads stay beside each other. */
  constructor(input: RestoreShareInput, control: Control, segments: number) {
    const { memory, folders, entries } = input;
    this.#control = control;
    this.#segments = segments;
    this.#words = new Int32Array(memory, 0, WORDS);
    let at = WORDS;
    const marksOf = (count: number): Marks => {
      const words = new Int32Array(memory, 4 * at, wordsFor(count));
      at += words.length;
      return new Marks(words);
    };
    this.#foldersLeft = marksOf(folders);
    this.#folderFacts = marksOf(folders);
    this.#foldersTold = marksOf(folders);
    this.#filesDone = marksOf(entries);
  }

  static inputFor({ entries, folders }: CopyTotals): RestoreShareInput {
    // Folders are numbered from the one that holds the resource.
    const ids = folders + 1;
    const words = WORDS + 3 * wordsFor(ids) + wordsFor(entries);
    return { memory: new SharedArrayBuffer(4 * words), folders: ids, entries };
  }

  /** The target was looked at: others may write into it. */
  allowBegin(): void {
    Atomics.store(this.#words, MAY_BEGIN, 1);
    this.#control.signal();
  }

  waitForBegin(): void {
    this.#waitUntil(() => Atomics.load(this.#words, MAY_BEGIN) === 1);
  }

  /** Segments are asked for in their order. */
  takes(segment: number): boolean {
    while (segment >= this.#end) this.#takeNext();
    return segment >= this.#from;
  }

  /**
   * Many at once while many are left: a frame in which one run of segments ends and another one begins is decoded by both
   * threads. Fewer and fewer, so that both come to the end at the same time.
   */
  #takeNext(): void {
    for (;;) {
      const from = Atomics.load(this.#words, NEXT_SEGMENT);
      const end = from + Math.max(1, Math.floor((this.#segments - from) / PART_OF_REST));
      if (Atomics.compareExchange(this.#words, NEXT_SEGMENT, from, end) !== from) continue;
      this.#from = from;
      this.#end = end;
      return;
    }
  }

  end(): void {
    Atomics.add(this.#words, ENDED, 1);
    this.#control.signal();
  }

  /** Until so many threads have brought back all that they took. */
  waitForEndOf(threads: number): void {
    this.#waitUntil(() => Atomics.load(this.#words, ENDED) >= threads);
  }

  /** Something of it, or of what is below it, is still to be done when both threads have ended. */
  leaveForEnd(folderId: number): void {
    this.#foldersLeft.set(folderId);
  }

  isLeftForEnd(folderId: number): boolean {
    return this.#foldersLeft.has(folderId);
  }

  /** At the end. */
  giveFacts(folderId: number): void {
    this.#folderFacts.set(folderId);
  }

  getsFacts(folderId: number): boolean {
    return this.#folderFacts.has(folderId);
  }

  /** True for the first who asks: a folder that both threads come to is told once. */
  isFirstToTell(folderId: number): boolean {
    return !this.#foldersTold.set(folderId);
  }

  setFileDone(ordinal: number): void {
    this.#filesDone.set(ordinal);
  }

  isFileDone(ordinal: number): boolean {
    return this.#filesDone.has(ordinal);
  }

  #waitUntil(isSo: () => boolean): void {
    for (;;) {
      const ticket = this.#control.ticket();
      if (isSo()) return;
      this.#control.check();
      this.#control.wait(ticket);
    }
  }
}

export interface RestoreShareInput {
  readonly memory: SharedArrayBuffer;
  /** How many numbers of folders and of rows there are. */
  readonly folders: number;
  readonly entries: number;
}

/** A bit a number; a number beyond them is never marked. */
class Marks {
  readonly #words: Int32Array;

  constructor(words: Int32Array) {
    this.#words = words;
  }

  /** True when it was marked before. */
  set(index: number): boolean {
    const word = index >> 5;
    if (word >= this.#words.length) return false;
    const bit = 1 << (index & 31);
    return (Atomics.or(this.#words, word, bit) & bit) !== 0;
  }

  has(index: number): boolean {
    const word = index >> 5;
    return word < this.#words.length && (Atomics.load(this.#words, word) & (1 << (index & 31))) !== 0;
  }
}

function wordsFor(marks: number): number {
  return Math.ceil(marks / 32);
}
