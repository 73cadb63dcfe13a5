import type { TapeDrive } from '../device.ts';
import { DeviceError } from '../device-error.ts';
import { firstPartFile, readLabel } from './label.ts';
import {
  catalogueOf,
  headerOf,
  type PartHeader,
  type PartTrailer,
  type TapeLabel,
  trailerOf,
} from './tape-content.ts';
import { goToFile, readFileStart } from './tape-marks.ts';

export interface ScannedPart {
  readonly file: number;
  readonly header: PartHeader;
  readonly trailer: PartTrailer;
}

export interface ScannedTape {
  readonly label: TapeLabel;
  readonly parts: readonly ScannedPart[];
  /** Where the next part would begin. */
  readonly nextFile: number;
  /** In words: what is damaged, cut off or missing. */
  readonly problems: readonly string[];
  /** Something that was written whole is not readable any more; what was only never written whole is no damage. */
  readonly isDamaged: boolean;
}

/**
 * Reads headers and trailers of a tape of this product, and skips the data. Whatever is damaged hides nothing of the rest. Null
 * when the tape has no label of ours. `onPart` is told of each part that was found whole.
 */
export async function scanTape(
  drive: TapeDrive,
  signal: AbortSignal,
  onPart: (part: PartHeader) => void = () => undefined,
): Promise<ScannedTape | null> {
  const found = await readLabel(drive, signal);
  if (found.kind !== 'ours') return null;
  const { label } = found;
  const parts: ScannedPart[] = [];
  const problems: string[] = [];
  let isDamaged = false;
  let open: { readonly file: number; readonly header: PartHeader } | null = null;
  let nextFile = firstPartFile;
  let listed: readonly number[] = [];
  await goToFile(drive, firstPartFile, signal);
  for (let file = firstPartFile; ; file += 1) {
    signal.throwIfAborted();
    try {
      const start = await readFileStart(drive, signal);
      if (start.kind === 'endOfData') break;
      const record = start.kind === 'record' ? start.record : null;
      const header = headerOf(record);
      const trailer = trailerOf(record);
      if (header !== null && header.tape === label.uuid) {
        if (open !== null) problems.push(cutOff(open));
        open = { file, header };
      } else if (trailer !== null && open !== null && isOf(trailer, open.header)) {
        parts.push({ ...open, trailer });
        onPart(open.header);
        nextFile = file + 1;
        open = null;
      } else if (open === null) {
        const catalogue = catalogueOf(record);
        if (catalogue?.tape === label.uuid) listed = catalogue.parts.map((part) => part.file);
        else problems.push(`File ${file} of the tape belongs to no copy.`);
      }
      if (start.kind === 'other') await drive.skipFilemarks(1, signal);
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      // Data that end without a filemark are those of a part that was never closed.
      if (error.kind === 'notFound') break;
      if (error.kind !== 'corrupt') throw error;
      isDamaged = true;
      problems.push(`File ${file} of the tape cannot be read: ${error.message}`);
      if (!(await isBehind(drive, file + 1, signal))) break;
    }
  }
  if (open !== null) problems.push(cutOff(open));
  for (const file of listed) {
    if (parts.some((part) => part.file === file)) continue;
    isDamaged = true;
    problems.push(`The part at file ${file} of the tape is damaged.`);
  }
  return { label, parts, nextFile, problems, isDamaged };
}

const isOf = (trailer: PartTrailer, header: PartHeader): boolean =>
  trailer.tape === header.tape && trailer.copy === header.copy && trailer.number === header.number;

const cutOff = ({ file, header }: { readonly file: number; readonly header: PartHeader }): string =>
  `Part ${header.number} of the copy ${header.copy} at file ${file} of the tape was never written whole.`;

/** After a failure: to the next file, if there is one. */
async function isBehind(drive: TapeDrive, file: number, signal: AbortSignal): Promise<boolean> {
  try {
    await goToFile(drive, file, signal);
    return true;
  } catch (error) {
    if (error instanceof DeviceError && (error.kind === 'notFound' || error.kind === 'corrupt')) return false;
    throw error;
  }
}
