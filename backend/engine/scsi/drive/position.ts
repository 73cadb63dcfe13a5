/** What the driver knows of the place of the tape by counting. */
export interface TapePosition {
  /** Filemarks before it, from 0; null behind a jump. */
  readonly file: number | null;
  /** Blocks between the last filemark and it, from 0; without `file` the drive's own count of all blocks and marks. */
  readonly block: number | null;
}

export const beginning: TapePosition = { file: 0, block: 0 };
export const endOfData: TapePosition = { file: null, block: null };

export function afterBlock({ file, block }: TapePosition): TapePosition {
  return { file, block: block === null ? null : block + 1 };
}

export function afterFilemarks({ file, block }: TapePosition, count: number): TapePosition {
  if (count === 0) return { file, block };
  if (file === null) return { file, block: block === null ? null : block + count };
  return { file: file + count, block: 0 };
}

/** `block 7 of file 2`, both from 0. */
export function positionText({ file, block }: TapePosition): string {
  if (block === null) return 'at the end of the data';
  return file === null ? `logical block ${block}` : `block ${block} of file ${file}`;
}
