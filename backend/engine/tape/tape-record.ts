import { createHash } from 'node:crypto';

/** No block on a tape of this format is longer. */
export const tapeBlockBytes = 262_144;
/** What is not data is small; longer than this it is none of ours. */
export const mostRecordBytes = 64 * 1024 * 1024;

export const recordKinds = ['label', 'part', 'trailer', 'catalogue'] as const;
export type RecordKind = (typeof recordKinds)[number];

/** Of the form of parts and trailers: 3 is written, the others are read too. Labels and catalogues have stayed as they were. */
export type RecordVersion = 1 | 2 | 3;
const magics: Readonly<Record<RecordVersion, string>> = {
  1: 'STRONGROOM-TAPE 1',
  2: 'STRONGROOM-TAPE 2',
  3: 'STRONGROOM-TAPE 3',
};
const versions = [1, 2, 3] as const;
const magicBytes = magics[1].length;
export const writtenVersions: Readonly<Record<RecordKind, RecordVersion>> = {
  label: 1,
  part: 3,
  trailer: 3,
  catalogue: 1,
};
const sumLine = /^sha256 [0-9a-f]{64}\n$/;
const sumLineBytes = 7 + 64 + 1;

/** Text of three lines: what it is, JSON, and SHA-256 of the two lines before. */
export function formatRecord(kind: RecordKind, value: object, version = writtenVersions[kind]): Buffer {
  const text = Buffer.from(`${magics[version]} ${kind}\n${JSON.stringify(value)}\n`, 'utf8');
  const sum = createHash('sha256').update(text).digest('hex');
  return Buffer.concat([text, Buffer.from(`sha256 ${sum}\n`, 'latin1')]);
}

export interface TapeRecord {
  readonly kind: RecordKind;
  readonly version: RecordVersion;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Null when the bytes are no whole record of a version that is known. */
export function parseRecord(bytes: Buffer): TapeRecord | null {
  const begin = bytes.toString('latin1', 0, magicBytes);
  const version = versions.find((known) => magics[known] === begin);
  if (bytes.length < sumLineBytes || version === undefined) return null;
  const body = bytes.subarray(0, bytes.length - sumLineBytes);
  const last = bytes.subarray(body.length).toString('latin1');
  if (!sumLine.test(last) || last.slice(7, -1) !== createHash('sha256').update(body).digest('hex'))
    return null;
  const [first = '', json = ''] = body.toString('utf8').split('\n');
  const kind = recordKinds.find((known) => first === `${magics[version]} ${known}`);
  if (kind === undefined) return null;
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return { kind, version, value: value as Record<string, unknown> };
  } catch {
    // The sum is right, so whoever wrote it wrote no record.
    return null;
  }
}

const longStart = `${magics[writtenVersions.catalogue]} catalogue\n`;

/** Whether it may be the first block of a record of several; only a catalogue is ever so long. */
export function startsLikeLongRecord(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, longStart.length) === longStart;
}
