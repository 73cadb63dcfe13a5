import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveArrival } from '../archive/arriving-archive.ts';
import type { TapeDrive, TapeRead } from '../device.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { blocksToSkip, hashKept, keptFiles } from './kept-files.ts';
import { readLabel } from './label.ts';
import { type PieceSums, pieceSums } from './piece-sums.ts';
import {
  type AnnouncedFile,
  headerOf,
  type PartHeader,
  type PartTrailer,
  type TapePiece,
  trailerOf,
} from './tape-content.ts';
import { type FileStart, goToFile, readFileStart } from './tape-marks.ts';
import { type RecordVersion, tapeBlockBytes, writtenVersions } from './tape-record.ts';
import type { OnTapeBytes } from './write-part.ts';

export interface TapePart {
  /** Of the label that the cartridge must have. */
  readonly tape: string;
  readonly copy: string;
  readonly number: number;
  /** The file of the tape with its header. */
  readonly file: number;
  /** Of its data, as the catalogue knows; null or missing: nothing of it is passed over. */
  readonly bytes?: number | null;
}

export interface ReadPart {
  readonly isLast: boolean;
  /** Of its data, those that were there and were not read again. */
  readonly passedBytes: number;
}

/** How a copy is brought into a folder; as a whole into a new one unless told. */
export interface TapeReading {
  /**
   * What an earlier attempt has brought there is compared in place of what is on the tape, which is passed over; where that is wrong, the
   * part is `transient` once and then read whole.
   */
  readonly isResumable?: boolean;
  /** Memory of an `ArrivingArchive`: the archive is read from there while it comes, and of what was read at once nothing is in the folder. */
  readonly arriving?: SharedArrayBuffer | null;
}

export interface TapeCopyReader {
  /**
   * Reads the next part, in order. `corrupt`: the tape has other bytes than were written, or is not the one that it should be;
   * the message says where. After any failure everything is as it was before, so that the part can be read once more.
   */
  readPart(drive: TapeDrive, part: TapePart, signal: AbortSignal): Promise<ReadPart>;
  /** After the last part: the files are whole and right. Whether they outlive a power cut is their owner's affair. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

interface ReadFile {
  readonly name: string;
  /** Null when the copy is only compared. */
  readonly handle: FileHandle | null;
  sums: PieceSums;
  bytes: number;
}

/**
 * Brings a copy from its cartridges into a new folder, each byte compared with the hashes that were written with it. Without a folder
 * it is compared and kept nowhere.
 */
export async function openTapeCopyReader(
  folder: string | null,
  onBytes: OnTapeBytes,
  reading: TapeReading = {},
): Promise<TapeCopyReader> {
  const { arriving = null, isResumable = false } = reading;
  const arrival = arriving === null ? null : new ArchiveArrival(arriving);
  let kept = folder === null ? new Map<string, number>() : await keptFiles(folder, isResumable);
  const existing = new Set(kept.keys());
  const opened = new Map<string, ReadFile>();
  let last: PartTrailer | null = null;
  /** Of the copy, all of whose parts were written at one go; null before the first one. */
  let version: RecordVersion | null = null;
  const newSums = (): PieceSums => pieceSums(version ?? writtenVersions.part);

  const fileOf = async (name: string) => {
    const known = opened.get(name);
    if (known) return known;
    const flags = existing.has(name) ? 'r+' : 'wx';
    const handle =
      folder === null ? null : await inFolder(folder, () => open(join(folder, name), flags, 0o600));
    const made: ReadFile = { name, handle, sums: newSums(), bytes: 0 };
    opened.set(name, made);
    return made;
  };
  const keep = ({ handle, name, bytes }: ReadFile, data: Uint8Array): Promise<void> | null => {
    if (handle === null) return null;
    const write = (some: Uint8Array, offset: number): Promise<void> =>
      inFolder(folder ?? '', () => writeAll(handle, some, offset));
    const isArchive = arrival !== null && name.startsWith('archive.');
    return isArchive ? arrival.put(data, bytes, write) : write(data, bytes);
  };
  /** Takes a file of the tape from its first block on; `isAll`: there is no more of it. */
  const take = async (
    drive: TapeDrive,
    piece: {
      readonly name: string;
      readonly first: Buffer;
      readonly isAll: boolean;
      readonly passed: Passed | null;
    },
    signal: AbortSignal,
  ): Promise<{ readonly bytes: number; readonly hash: string }> => {
    const file = await fileOf(piece.name);
    if (piece.passed === null) file.sums.begin();
    let bytes = piece.passed?.bytes ?? 0;
    for (let data: Uint8Array | null = piece.first; data !== null; ) {
      // While this block is kept and hashed, the drive reads the next one.
      const coming: Promise<TapeRead> | null = piece.isAll ? null : drive.read(tapeBlockBytes, signal);
      coming?.catch(() => undefined);
      try {
        const writing = keep(file, data);
        file.sums.update(data);
        await writing;
        file.bytes += data.length;
        bytes += data.length;
        await onBytes(data.length);
        signal.throwIfAborted();
      } finally {
        // One call at a time: whoever goes on after a failure must not meet this one.
        await coming?.catch(() => undefined);
      }
      const next: TapeRead | null = await coming;
      data = next?.kind === 'block' ? next.data : null;
    }
    return { bytes, hash: file.sums.end() };
  };

  /** Goes behind what is there of the piece that begins here, and takes that into the hashes; null when nothing is passed over. */
  const passOver = async (
    drive: TapeDrive,
    piece: { readonly name: string; readonly bytes: number },
    signal: AbortSignal,
  ): Promise<Passed | null> => {
    const file = await fileOf(piece.name);
    const blocks = blocksToSkip(piece.bytes, (kept.get(piece.name) ?? 0) - file.bytes);
    const place = blocks === 0 || file.handle === null ? null : await drive.readPosition(signal);
    if (place === null || file.handle === null) return null;
    const bytes = blocks * tapeBlockBytes;
    file.sums.begin();
    await hashKept(file.handle, { from: file.bytes, bytes }, file.sums, signal);
    file.bytes += bytes;
    await onBytes(bytes);
    try {
      await drive.locate(place + blocks, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof DeviceError)) throw error;
      // A drive, or a protected tape, that cannot: then all of it is read.
      kept = new Map();
      throw new DeviceError('transient', `The drive could not go on where it was: ${error.message}`, {
        cause: error,
      });
    }
    return { bytes };
  };

  /** What a part that was not read to its end has added is taken back. */
  const whole = async <R>(work: () => Promise<R>): Promise<R> => {
    const before = new Map(
      [...opened].map(([name, { bytes, sums }]) => [name, { bytes, sums: sums.copy() }]),
    );
    try {
      return await work();
    } catch (error) {
      for (const [name, file] of opened) {
        const { bytes, sums } = before.get(name) ?? { bytes: 0, sums: newSums() };
        await onBytes(bytes - file.bytes);
        Object.assign(file, { bytes, sums });
      }
      throw error;
    }
  };

  const readPart: TapeCopyReader['readPart'] = async (drive, part, signal) => {
    const wrong = (what: string): DeviceError =>
      new DeviceError('corrupt', `Part ${part.number} of the copy, file ${part.file} of the tape: ${what}.`);
    const label = await readLabel(drive, signal);
    if (label.kind !== 'ours' || label.label.uuid !== part.tape) {
      throw wrong('the tape in the drive is not the one that was written; its label is another');
    }
    await goToFile(drive, part.file, signal);
    const start = await readFileStart(drive, signal);
    const record = start.kind === 'record' ? start.record : null;
    const header = headerOf(record);
    if (record === null || header === null || header.copy !== part.copy || header.number !== part.number) {
      throw wrong('its header is not there');
    }
    if (version !== null && version !== record.version)
      throw wrong('it is of another version than the parts before');
    version = record.version;
    const met: Omit<TapePiece, 'name' | 'from'>[] = [];
    let left = part.bytes ?? 0;
    let passedBytes = 0;
    const names = namesOfPieces(header, opened);
    if (names === null) throw wrong('it goes on at another place than the part before ended');
    for (let nextName = names(); ; nextName = names()) {
      const about = header.files.find(({ name }) => name === nextName);
      const there = opened.get(nextName ?? '')?.bytes ?? 0;
      // Where the size is not told, what is there cannot be more than the file has.
      const rest = about?.bytes == null ? (kept.get(nextName ?? '') ?? 0) : about.bytes;
      const pieceBytes = Math.min(left, rest - there);
      const passed =
        about === undefined ? null : await passOver(drive, { name: about.name, bytes: pieceBytes }, signal);
      passedBytes += passed?.bytes ?? 0;
      const next: FileStart =
        passed === null
          ? await readFileStart(drive, signal)
          : otherStart(await drive.read(tapeBlockBytes, signal));
      const trailer = next.kind === 'record' ? trailerOf(next.record) : null;
      if (
        trailer !== null &&
        trailer.tape === part.tape &&
        trailer.copy === part.copy &&
        trailer.number === part.number
      ) {
        try {
          checkPieces(trailer.pieces, met, wrong);
        } catch (error) {
          if (passedBytes === 0) throw error;
          kept = new Map();
          throw new DeviceError('transient', 'What was there of the copy is not what is on the tape.', {
            cause: error,
          });
        }
        if (trailer.isLast) last = trailer;
        return { isLast: trailer.isLast, passedBytes };
      }
      // A piece may look like a record: then all of it has been read already.
      const first = firstOf(next);
      if (first === null || nextName === null) throw wrong('it has no end; it was never written whole');
      const isAll = next.kind === 'record';
      const piece = await take(drive, { name: nextName, first, isAll, passed }, signal);
      met.push(piece);
      left -= piece.bytes;
    }
  };

  return {
    readPart: (drive, part, signal) => whole(() => readPart(drive, part, signal)),
    finish: async () => {
      if (last === null) throw new DeviceError('corrupt', 'The last part of the copy was not read.');
      for (const { name, bytes, hash } of last.files) {
        const file = await fileOf(name);
        if (file.bytes !== bytes || file.sums.whole() !== hash) {
          throw new DeviceError('corrupt', `${name} is not what was written to the tapes.`);
        }
        // What an earlier attempt has left behind it.
        await file.handle?.truncate(bytes);
      }
      arrival?.end();
    },
    close: async () => {
      for (const { handle } of opened.values()) await handle?.close();
      opened.clear();
    },
  };
}

/** The tape is not to blame for what the disk refuses, and only the disk's folder tells where room is missing. */
async function inFolder<R>(folder: string, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    throw toDeviceError(error, `What comes from tape cannot be written to ${folder}`);
  }
}

async function writeAll(handle: FileHandle, data: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const { bytesWritten } = await handle.write(data, done, data.length - done, position + done);
    done += bytesWritten;
  }
}

/** What was passed over of a piece. */
interface Passed {
  readonly bytes: number;
}

/** In the middle of a piece nothing is looked for but its data. */
function otherStart(met: TapeRead): FileStart {
  if (met.kind === 'block') return { kind: 'other', first: Buffer.from(met.data) };
  return { kind: met.kind === 'filemark' ? 'empty' : 'endOfData' };
}

function firstOf(start: FileStart): Buffer | null {
  if (start.kind === 'other') return start.first;
  return start.kind === 'record' ? start.bytes : null;
}

/**
 * The file of each piece of a part, one call for each; null behind the last one. A piece is as much of its file as the part has, so that each one
 * is of the next file that is not empty. Null in place of all: the part does not go on where the ones before have ended.
 */
function namesOfPieces(
  { files, begins }: PartHeader,
  opened: ReadonlyMap<string, { readonly bytes: number }>,
): (() => string | null) | null {
  const there = (name: string): number => opened.get(name)?.bytes ?? 0;
  if (begins !== null && there(begins.name) !== begins.from) return null;
  // Version 1 has all sizes and no beginning: it is the first file that is not whole.
  const isFirst = ({ name, bytes }: AnnouncedFile): boolean =>
    begins === null ? there(name) < (bytes ?? 0) : name === begins.name;
  const index = files.findIndex(isFirst);
  const rest = index < 0 ? [] : files.slice(index).filter(({ bytes }) => bytes !== 0);
  return () => rest.shift()?.name ?? null;
}

function checkPieces(
  told: readonly TapePiece[],
  met: readonly Omit<TapePiece, 'name' | 'from'>[],
  wrong: (what: string) => DeviceError,
): void {
  if (told.length !== met.length) throw wrong(`it has ${met.length} pieces in place of ${told.length}`);
  for (const [index, piece] of told.entries()) {
    const { bytes, hash } = met[index] ?? { bytes: 0, hash: '' };
    if (bytes === piece.bytes && hash === piece.hash) continue;
    throw wrong(`${piece.name} from byte ${piece.from} on is damaged`);
  }
}
