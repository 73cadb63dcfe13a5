import type { TapeDrive } from '../device.ts';
import { DeviceError } from '../device-error.ts';
import { labelOf, type TapeCatalogue, type TapeLabel } from './tape-content.ts';
import { readFileStart, writeRecord } from './tape-marks.ts';
import { formatRecord } from './tape-record.ts';

/** What a tape begins with. */
export type LabelFound =
  | { readonly kind: 'blank' }
  | { readonly kind: 'ours'; readonly label: TapeLabel }
  /** Something that can be read and is not ours, or something that cannot be read: it may be anybody's. */
  | { readonly kind: 'foreign'; readonly what: string };

/** The first file of the tape with a part. */
export const firstPartFile = 1;

/** Reads the beginning of the loaded tape; writes nothing. A drive that fails otherwise than at the tape rejects. */
export async function readLabel(drive: TapeDrive, signal: AbortSignal): Promise<LabelFound> {
  await drive.rewind(signal);
  try {
    const start = await readFileStart(drive, signal);
    if (start.kind === 'endOfData') return { kind: 'blank' };
    if (start.kind === 'other') return { kind: 'foreign', what: nameOf(start.first) };
    if (start.kind === 'empty') return { kind: 'foreign', what: 'a tape that begins with a filemark' };
    const label = start.kind === 'record' ? labelOf(start.record) : null;
    if (label !== null) return { kind: 'ours', label };
    return { kind: 'foreign', what: 'a tape of this product without a label that can be used' };
  } catch (error) {
    if (!(error instanceof DeviceError) || error.kind !== 'corrupt') throw error;
    return { kind: 'foreign', what: `something that cannot be read (${error.message})` };
  }
}

function nameOf(first: Buffer): string {
  if (first.subarray(257, 262).toString('latin1') === 'ustar') return 'a tar archive';
  const mark = first.subarray(0, 4).toString('latin1');
  if (/^(VOL|HDR)1$/.test(mark)) return 'a volume with a standard label (ANSI)';
  return 'data of another product';
}

/**
 * Writes the label, so that everything that was on the tape is gone, and reads it back. Whether that may be is the caller's to
 * have asked. `noSpace`: the cartridge is too short to be used.
 */
export async function writeLabel(drive: TapeDrive, label: TapeLabel, signal: AbortSignal): Promise<void> {
  await drive.rewind(signal);
  const { isNearEnd } = await writeRecord(drive, 'label', label, signal);
  if (isNearEnd) throw new DeviceError('noSpace', 'The tape ends with its label; there is no room for data.');
  await writeRecord(drive, 'catalogue', { tape: label.uuid, parts: [] } satisfies TapeCatalogue, signal);
  await drive.writeFilemarks(0, signal);
  await drive.rewind(signal);
  const back = await readFileStart(drive, signal);
  if (back.kind === 'record' && back.bytes.equals(formatRecord('label', label))) return;
  throw new DeviceError(
    'corrupt',
    'The label that was written cannot be read back; do not use this cartridge.',
  );
}
