import type { TapeRecord } from './tape-record.ts';

/** What is written on the tape of a cartridge, as values. Sizes and offsets in bytes, hashes (`PieceSums`) in hexadecimal digits. */

export interface TapeLabel {
  /** New with every labelling: what an earlier label stood for is gone. */
  readonly uuid: string;
  readonly barcode: string;
  readonly pool: string;
  /** ISO 8601, UTC. */
  readonly written: string;
}

/** What the catalogue says of a copy; the tape keeps it and does not look at it. */
export type CopyFacts = Readonly<Record<string, string | number | null>>;

export interface TapeFileFacts {
  readonly name: string;
  readonly bytes: number;
}

/** A file of a copy as a header knows it, which is written before the copy may be whole. */
export interface AnnouncedFile {
  readonly name: string;
  /** Null: not known yet. */
  readonly bytes: number | null;
}

/** Before the data of a part: a copy, or as much of it as this cartridge holds. */
export interface PartHeader {
  /** Of the label of this cartridge. */
  readonly tape: string;
  readonly copy: string;
  /** From 1. */
  readonly number: number;
  /** The cartridge with the part before; null for the first. */
  readonly before: { readonly tape: string; readonly barcode: string } | null;
  /** As far as they were known; those of the last trailer are whole. */
  readonly facts: CopyFacts;
  /** All of the copy, in the order of the tape. */
  readonly files: readonly AnnouncedFile[];
  /** The file and the byte of it with which the data of this part begin; null in version 1, where the sizes say so. */
  readonly begins: { readonly name: string; readonly from: number } | null;
}

/** A run of bytes of one file of the copy; a file of the tape. */
export interface TapePiece {
  readonly name: string;
  readonly from: number;
  readonly bytes: number;
  readonly hash: string;
}

/** Behind the data. A part without one is not there. */
export interface PartTrailer {
  readonly tape: string;
  readonly copy: string;
  readonly number: number;
  readonly pieces: readonly TapePiece[];
  readonly isLast: boolean;
  /** Of the last part: whole files, and where the parts are. Empty otherwise. */
  readonly files: readonly (TapeFileFacts & { readonly hash: string })[];
  readonly cartridges: readonly {
    readonly number: number;
    readonly tape: string;
    readonly barcode: string;
  }[];
  /** Of the last part: what the catalogue says of the copy. Null otherwise, and in version 1, where the header has all of it. */
  readonly facts: CopyFacts | null;
}

/** At the end of the tape, written anew behind each part: what is on this cartridge. */
export interface TapeCatalogue {
  readonly tape: string;
  readonly parts: readonly CatalogueEntry[];
}

export interface CatalogueEntry {
  /** The file of the tape with the header, from 0. */
  readonly file: number;
  readonly copy: string;
  readonly number: number;
  readonly isLast: boolean;
  readonly bytes: number;
}

/** A tape comes from anywhere: each value is looked at. Null when it is not of this form. */
export function labelOf(record: TapeRecord | null): TapeLabel | null {
  if (record?.kind !== 'label') return null;
  const { uuid, barcode, pool, written } = record.value;
  const isRight = isUuid(uuid) && isText(barcode) && isText(pool) && isText(written);
  return isRight ? { uuid, barcode, pool, written } : null;
}

export function headerOf(record: TapeRecord | null): PartHeader | null {
  if (record?.kind !== 'part') return null;
  const { tape, copy, number, before, facts, files, begins } = record.value;
  const isFirstForm = record.version === 1;
  const isRight =
    isUuid(tape) &&
    isUuid(copy) &&
    isCount(number) &&
    (before === null || (isObject(before) && isUuid(before.tape) && isText(before.barcode))) &&
    isFacts(facts) &&
    isListOf<AnnouncedFile>(
      files,
      (file) => isFileName(file.name) && (isCount(file.bytes) || (file.bytes === null && !isFirstForm)),
    ) &&
    (isFirstForm || (isObject(begins) && isFileName(begins.name) && isCount(begins.from)));
  if (!isRight) return null;
  return {
    tape,
    copy,
    number,
    before: before as PartHeader['before'],
    facts,
    files,
    begins: isFirstForm ? null : (begins as PartHeader['begins']),
  };
}

export function trailerOf(record: TapeRecord | null): PartTrailer | null {
  if (record?.kind !== 'trailer') return null;
  const { tape, copy, number, isLast, cartridges, facts } = record.value;
  const isFirstForm = record.version === 1;
  const pieces = withHash(record, record.value.pieces);
  const files = withHash(record, record.value.files);
  const isRight =
    isUuid(tape) &&
    isUuid(copy) &&
    isCount(number) &&
    isListOf<TapePiece>(
      pieces,
      (piece) => isFileName(piece.name) && isCount(piece.from) && isCount(piece.bytes) && isHash(piece.hash),
    ) &&
    typeof isLast === 'boolean' &&
    isListOf<PartTrailer['files'][number]>(
      files,
      (file) => isFileName(file.name) && isCount(file.bytes) && isHash(file.hash),
    ) &&
    isListOf<PartTrailer['cartridges'][number]>(
      cartridges,
      (one) => isCount(one.number) && isUuid(one.tape) && isText(one.barcode),
    ) &&
    (isFirstForm || facts === null || isFacts(facts));
  if (!isRight) return null;
  return {
    tape,
    copy,
    number,
    pieces,
    isLast,
    files,
    cartridges,
    facts: isFirstForm ? null : (facts as PartTrailer['facts']),
  };
}

/** In versions 1 and 2 the hash was called by its kind. */
function withHash({ version }: TapeRecord, list: unknown): unknown {
  if (version === 3 || !Array.isArray(list)) return list;
  return list.map((one: unknown) => (isObject(one) ? { ...one, hash: one.sha256 } : one));
}

export function catalogueOf(record: TapeRecord | null): TapeCatalogue | null {
  if (record?.kind !== 'catalogue') return null;
  const { tape, parts } = record.value;
  const isRight =
    isUuid(tape) &&
    isListOf<CatalogueEntry>(
      parts,
      (part) =>
        isCount(part.file) &&
        isUuid(part.copy) &&
        isCount(part.number) &&
        isCount(part.bytes) &&
        typeof part.isLast === 'boolean',
    );
  return isRight ? { tape, parts } : null;
}

type Unknown = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Unknown => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 4096;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
/** One component, and none that leads anywhere else. */
const isFileName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9_][A-Za-z0-9._-]{0,200}$/.test(value);
const isFacts = (value: unknown): value is CopyFacts =>
  isObject(value) &&
  Object.values(value).every((one) => one === null || typeof one === 'string' || typeof one === 'number');

function isListOf<T>(value: unknown, is: (one: Unknown) => boolean): value is readonly T[] {
  return Array.isArray(value) && value.every((one) => isObject(one) && is(one));
}
