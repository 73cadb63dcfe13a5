import type { TapeDrive } from '../device.ts';
import { DeviceError } from '../device-error.ts';
import {
  formatRecord,
  mostRecordBytes,
  parseRecord,
  type RecordKind,
  startsLikeLongRecord,
  type TapeRecord,
  tapeBlockBytes,
} from './tape-record.ts';

/** Writes a record as a file of its own. True: the end of the tape is near. */
export async function writeRecord(
  drive: TapeDrive,
  kind: RecordKind,
  value: object,
  signal: AbortSignal,
): Promise<{ readonly isNearEnd: boolean; readonly blocks: number }> {
  const bytes = formatRecord(kind, value);
  let isNearEnd = false;
  let blocks = 0;
  for (let from = 0; from < bytes.length; from += tapeBlockBytes) {
    if (await drive.write(bytes.subarray(from, from + tapeBlockBytes), signal)) isNearEnd = true;
    blocks += 1;
  }
  if (await drive.writeFilemarks(1, signal)) isNearEnd = true;
  return { isNearEnd, blocks };
}

/** What a file of the tape begins with. */
export type FileStart =
  | { readonly kind: 'endOfData' }
  /** Nothing between two filemarks. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'record'; readonly record: TapeRecord; readonly bytes: Buffer }
  /** It begins like a record of several blocks and is none, or a damaged one. */
  | { readonly kind: 'damaged' }
  | { readonly kind: 'other'; readonly first: Buffer };

/**
 * Looks at the file of the tape that begins here. After `other` the tape stands behind the first block of it, in any other case
 * behind its filemark.
 */
export async function readFileStart(drive: TapeDrive, signal: AbortSignal): Promise<FileStart> {
  const first = await drive.read(tapeBlockBytes, signal);
  if (first.kind === 'endOfData') return { kind: 'endOfData' };
  if (first.kind === 'filemark') return { kind: 'empty' };
  const begin = Buffer.from(first.data);
  const short = parseRecord(begin);
  if (short === null && !startsLikeLongRecord(begin)) return { kind: 'other', first: begin };
  const blocks = [begin];
  let length = begin.length;
  for (;;) {
    const next = await drive.read(tapeBlockBytes, signal);
    if (next.kind !== 'block') break;
    length += next.data.length;
    if (length <= mostRecordBytes) blocks.push(Buffer.from(next.data));
  }
  const bytes = Buffer.concat(blocks);
  const record = short !== null && blocks.length === 1 ? short : parseRecord(bytes);
  return record === null || length > mostRecordBytes
    ? { kind: 'damaged' }
    : { kind: 'record', record, bytes };
}

/** To the beginning of a file of the tape, counted from 0. */
export async function goToFile(drive: TapeDrive, file: number, signal: AbortSignal): Promise<void> {
  await drive.rewind(signal);
  await drive.skipFilemarks(file, signal);
}

/** Everything is on the tape, and the drive stands where it should. */
export async function confirmPlace(
  drive: TapeDrive,
  expected: number | null,
  signal: AbortSignal,
): Promise<void> {
  await drive.writeFilemarks(0, signal);
  const place = await drive.readPosition(signal);
  if (expected === null || place === null || place === expected) return;
  throw new DeviceError(
    'corrupt',
    `The drive stands at block ${place} and should be at ${expected}: what was written is not all on the tape.`,
  );
}
