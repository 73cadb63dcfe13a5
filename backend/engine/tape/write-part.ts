import { setImmediate as turn } from 'node:timers/promises';
import type { TapeDrive } from '../device.ts';
import { DeviceError } from '../device-error.ts';
import type { BlocksAhead } from './blocks-ahead.ts';
import { type CopyFiles, type CopyRest, type FedArchive, filesOfFeed, filesOfFolder } from './copy-files.ts';
import { firstPartFile, readLabel } from './label.ts';
import { type PieceSums, pieceSums } from './piece-sums.ts';
import type {
  CatalogueEntry,
  CopyFacts,
  PartHeader,
  PartTrailer,
  TapeLabel,
  TapePiece,
} from './tape-content.ts';
import { trailerOf } from './tape-content.ts';
import { confirmPlace, goToFile, readFileStart, writeRecord } from './tape-marks.ts';
import { formatRecord, tapeBlockBytes, writtenVersions } from './tape-record.ts';

/** Of parts as they are written. */
const newSums = (): PieceSums => pieceSums(writtenVersions.part);

export interface TapeTarget {
  readonly drive: TapeDrive;
  readonly label: TapeLabel;
  /** The file of the tape where this part begins: behind all that is kept. */
  readonly file: number;
  /** The parts before it on this cartridge, for its catalogue. */
  readonly entries: readonly CatalogueEntry[];
}

export interface WrittenPart {
  readonly number: number;
  readonly bytes: number;
  /** False: the cartridge is full, and another one has to take the rest. */
  readonly isLast: boolean;
  readonly isTapeFull: boolean;
  /** Where the next part of this cartridge would begin. */
  readonly nextFile: number;
}

export interface TapeCopyWriter {
  /** Of all files of the copy; null while they are being made. */
  readonly totalBytes: number | null;
  /**
   * Writes what fits, and proves that it is on the tape. Rejects when it is not: then this part counts for nothing, and may be
   * written anew on another cartridge. `noSpace`: the tape ended before the part could be closed.
   */
  writePart(target: TapeTarget, signal: AbortSignal): Promise<WrittenPart>;
  /** Of a copy that is fed: its archive was made, and this is the rest. */
  complete(rest: CopyRest): Promise<void>;
  close(): Promise<void>;
}

export type OnTapeBytes = (bytes: number) => Promise<void> | void;

export interface TapeCopySource {
  /** Folder of the copy, whose files go to the tape as they are, or what comes while it is made. */
  readonly from: string | FedArchive;
  readonly copyId: string;
  /** What the catalogue says of the copy, as far as it is known. */
  readonly facts: CopyFacts;
  /** After each block; what it gives back is waited for, so that a pause can hold the tape. */
  readonly onBytes: OnTapeBytes;
}

interface Progress {
  /** Index of the file that comes next, and how much of it is on tapes. */
  file: number;
  offset: number;
  /** Of the file that comes next, as far as it is on tapes. */
  sums: PieceSums;
  readonly done: readonly { readonly bytes: number; readonly hash: string }[];
}

/** A copy on its way to one cartridge, or to as many as it takes. */
export async function openTapeCopyWriter(source: TapeCopySource): Promise<TapeCopyWriter> {
  const { from } = source;
  const copy = typeof from === 'string' ? await filesOfFolder(from, source.facts) : filesOfFeed(from);
  const cartridges: { readonly number: number; readonly tape: string; readonly barcode: string }[] = [];
  let progress: Progress = { file: 0, offset: 0, sums: newSums(), done: [] };

  const writePart = async (target: TapeTarget, signal: AbortSignal): Promise<WrittenPart> => {
    const { drive, label, file: begin, entries } = target;
    const number = cartridges.length + 1;
    const last = cartridges.at(-1);
    const now: Progress & { done: Progress['done'][number][] } = {
      ...progress,
      sums: progress.sums.copy(),
      done: [...progress.done],
    };
    const here = { number, tape: label.uuid, barcode: label.barcode };
    const before = last === undefined ? null : { tape: last.tape, barcode: last.barcode };
    const ids = { tape: label.uuid, copy: source.copyId, number };
    const { files } = copy;
    const first = files[now.file]?.name ?? '';
    const header: PartHeader = {
      ...ids,
      before,
      facts: source.facts,
      files,
      begins: { name: first, from: now.offset },
    };
    await goToAppend(target, signal);
    const start = await drive.readPosition(signal);
    let items = 0;
    let tapeFile = begin;
    let isFull = false;
    const put = async (kind: 'part' | 'trailer' | 'catalogue', value: object): Promise<void> => {
      const { isNearEnd, blocks } = await writeRecord(drive, kind, value, signal);
      isFull ||= isNearEnd;
      items += blocks + 1;
      tapeFile += 1;
    };
    await put('part', header);
    const pieces: TapePiece[] = [];
    while (now.file < files.length && !isFull) {
      const piece = await writePiece({ drive, copy, progress: now }, source.onBytes, signal);
      isFull ||= piece.isFull;
      items += piece.blocks;
      if (piece.piece.bytes > 0) {
        pieces.push(piece.piece);
        isFull = (await drive.writeFilemarks(1, signal)) || isFull;
        items += 1;
        tapeFile += 1;
      }
      if (!piece.isOver) break;
      now.done.push({ bytes: now.offset, hash: now.sums.whole() });
      now.file += 1;
      now.offset = 0;
      now.sums = newSums();
    }
    const isLast = now.file === files.length;
    const trailer: PartTrailer = {
      ...ids,
      pieces,
      isLast,
      files: isLast ? now.done.map((done, index) => ({ name: files[index]?.name ?? '', ...done })) : [],
      cartridges: isLast ? [...cartridges, here] : [],
      facts: isLast ? copy.facts : null,
    };
    const trailerFile = tapeFile;
    await put('trailer', trailer);
    const nextFile = tapeFile;
    const bytes = pieces.reduce((sum, piece) => sum + piece.bytes, 0);
    const entry: CatalogueEntry = { file: begin, copy: source.copyId, number, isLast, bytes };
    const isWhole = await putCatalogue(() =>
      put('catalogue', { tape: label.uuid, parts: [...entries, entry] }),
    );
    await confirmPlace(drive, start === null || !isWhole ? null : start + items, signal);
    await readBack(
      { drive, trailer, trailerFile, lastPiece: start === null && isFull ? (pieces.at(-1) ?? null) : null },
      signal,
    );
    progress = now;
    cartridges.push(here);
    return { number, bytes, isLast, isTapeFull: isFull, nextFile };
  };
  return {
    totalBytes: bytesOf(copy.files),
    writePart,
    complete: copy.complete,
    close: async () => undefined,
  };
}

function bytesOf(files: CopyFiles['files']): number | null {
  let sum = 0;
  for (const { bytes } of files) {
    if (bytes === null) return null;
    sum += bytes;
  }
  return sum;
}

/** Behind the last part that counts, when the tape is the one that it should be. What comes after it goes with the next write. */
async function goToAppend({ drive, label, file, entries }: TapeTarget, signal: AbortSignal): Promise<void> {
  const found = await readLabel(drive, signal);
  const wrong = (what: string): DeviceError =>
    new DeviceError('corrupt', `The cartridge ${label.barcode} ${what}; nothing was written.`);
  if (found.kind !== 'ours' || found.label.uuid !== label.uuid)
    throw wrong('has another label than it should have');
  const last = entries.at(-1);
  if (last === undefined) return goToFile(drive, firstPartFile, signal);
  await goToFile(drive, file - 1, signal);
  const start = await readFileStart(drive, signal);
  const trailer = start.kind === 'record' ? trailerOf(start.record) : null;
  if (trailer?.copy === last.copy && trailer.number === last.number) return;
  throw wrong('does not end with what was written last');
}

/** The list at the end is for convenience: a tape that has no room for it is whole without. */
async function putCatalogue(put: () => Promise<void>): Promise<boolean> {
  try {
    await put();
    return true;
  } catch (error) {
    if (error instanceof DeviceError && error.kind === 'noSpace') return false;
    throw error;
  }
}

interface PieceTarget {
  readonly drive: TapeDrive;
  readonly copy: CopyFiles;
  readonly progress: Progress;
}

interface WrittenPiece {
  readonly piece: TapePiece;
  readonly isFull: boolean;
  /** Nothing of the file is left. */
  readonly isOver: boolean;
  readonly blocks: number;
}

/** Goes on with a file until it or the tape ends. What the drive has not taken stays where it is for the next cartridge. */
async function writePiece(
  { drive, copy, progress }: PieceTarget,
  onBytes: OnTapeBytes,
  signal: AbortSignal,
): Promise<WrittenPiece> {
  const from = progress.offset;
  const name = copy.files[progress.file]?.name ?? '';
  const file = await copy.open(progress.file, from, signal);
  progress.sums.begin();
  try {
    const written = await writeBlocks({ drive, file, progress }, onBytes, signal);
    const bytes = progress.offset - from;
    return { piece: { name, from, bytes, hash: progress.sums.end() }, ...written };
  } finally {
    await file.close();
  }
}

async function writeBlocks(
  work: {
    readonly drive: TapeDrive;
    readonly file: BlocksAhead;
    readonly progress: Progress;
  },
  onBytes: OnTapeBytes,
  signal: AbortSignal,
): Promise<Omit<WrittenPiece, 'piece'>> {
  const { drive, file, progress } = work;
  let blocks = 0;
  let unhashed: Buffer | null = null;
  const hashRest = (): void => {
    if (unhashed !== null) progress.sums.update(unhashed);
    unhashed = null;
  };
  for (;;) {
    signal.throwIfAborted();
    const data = await file.next(signal);
    if (data === null) {
      hashRest();
      return { isFull: false, isOver: true, blocks };
    }
    const writing = drive.write(data, signal);
    // A failure is looked at in its turn.
    writing.catch(() => undefined);
    // What the socket did not take at once leaves while the event loop turns; hashing first would hold the end of the block back,
    // and the drive would stand. While the drive takes this block, the one before is hashed.
    await turn();
    hashRest();
    file.readOn();
    let isFull: boolean;
    try {
      isFull = await writing;
    } catch (error) {
      // Not on the tape, which stands where it stood: the block is the first one of the next cartridge.
      if (error instanceof DeviceError && error.kind === 'noSpace')
        return { isFull: true, isOver: false, blocks };
      throw error;
    }
    blocks += 1;
    unhashed = data;
    progress.offset += data.length;
    await onBytes(data.length);
    if (!isFull) continue;
    hashRest();
    return { isFull, isOver: await file.isOver(signal), blocks };
  }
}

/** The trailer is on the tape; where the drive cannot say where it stands, what was written last before it too. */
async function readBack(
  written: {
    readonly drive: TapeDrive;
    readonly trailer: PartTrailer;
    readonly trailerFile: number;
    readonly lastPiece: TapePiece | null;
  },
  signal: AbortSignal,
): Promise<void> {
  const { drive, trailer, trailerFile, lastPiece } = written;
  const lost = (what: string): DeviceError =>
    new DeviceError('corrupt', `${what} was written and is not on the tape; do not use this cartridge.`);
  try {
    await goToFile(drive, lastPiece === null ? trailerFile : trailerFile - 1, signal);
    if (lastPiece !== null) {
      const sums = newSums();
      sums.begin();
      for (let next = await drive.read(tapeBlockBytes, signal); next.kind === 'block'; ) {
        sums.update(next.data);
        next = await drive.read(tapeBlockBytes, signal);
      }
      if (sums.end() !== lastPiece.hash) throw lost(lastPiece.name);
    }
    const back = await readFileStart(drive, signal);
    const isThere = back.kind === 'record' && back.bytes.equals(formatRecord('trailer', trailer));
    if (!isThere) throw lost('The end of this part');
  } catch (error) {
    if (error instanceof DeviceError && error.kind === 'notFound') throw lost('The end of this part');
    throw error;
  }
}
