import { type ByteString, isUtf8Bytes } from '../../platform/byte-path.ts';
import type { EntryType } from './entry.ts';

/**
 * Headers of a POSIX pax archive. What fits the old header is written there; what does not (nanoseconds, long or
 * non-ASCII names, big numbers, extended attributes, sparse maps) goes into a pax extended header before it.
 */
export const TAR_BLOCK = 512;

export interface TarMember {
  readonly path: ByteString;
  readonly type: EntryType;
  /** Bytes of data that follow the header. */
  readonly storedBytes: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly userName: ByteString;
  readonly groupName: ByteString;
  readonly mtimeNs: bigint;
  readonly linkTarget: ByteString;
  readonly xattrs: readonly { readonly name: ByteString; readonly value: Buffer }[];
  /** Logical size of a sparse file; null for all others. */
  readonly sparseSize: number | null;
  readonly major: number;
  readonly minor: number;
}

export function padded(bytes: number): number {
  return Math.ceil(bytes / TAR_BLOCK) * TAR_BLOCK;
}

/**
 * The headers of one member. They are written for every file, so they are put together as one text and written once
 * into a room that the next call uses again.
 */
export function tarHeaders(member: TarMember): Buffer {
  const time = splitTime(member.mtimeNs);
  const records = paxRecords(member, time);
  if (records === '') return written([ustarHeader(member, time)]);
  const pax: UstarFields = {
    ...paxFields,
    path: `PaxHeaders/${member.path.slice(-40).replace(/[^\x21-\x7e]|\//g, '_')}`,
    size: records.length,
  };
  return written([ustarText(pax), records.padEnd(padded(records.length), '\0'), ustarHeader(member, time)]);
}

let room = Buffer.alloc(16 * TAR_BLOCK);

function written(parts: readonly string[]): Buffer {
  const text = parts.join('');
  if (text.length > room.length) room = Buffer.alloc(text.length);
  room.write(text, 0, 'latin1');
  const headers = room.subarray(0, text.length);
  if (parts.length > 1) sumUp(headers, 0);
  sumUp(headers, text.length - TAR_BLOCK);
  return headers;
}

/** Two zero blocks end a tar stream; GNU tar fills up to 20 blocks, which no reader needs. */
export const TAR_END = Buffer.alloc(2 * TAR_BLOCK);

const MAX_OCTAL_11 = 0o77777777777;
const MAX_OCTAL_7 = 0o7777777;
const NAME_LENGTH = 100;
const OWNER_LENGTH = 31;
const ASCII = /^[\x20-\x7e]*$/;
const NS_PER_SECOND = 1_000_000_000n;

function paxRecords(member: TarMember, { seconds, nanos, isHuge }: Time): ByteString {
  let records = '';
  const add = (key: ByteString, value: ByteString) => {
    records += paxRecord(key, value);
  };
  const path = memberPath(member);
  const { linkTarget, userName, groupName } = member;
  const isText = isUtf8Bytes(path) && [linkTarget, userName, groupName].every(isUtf8Bytes);
  if (!isText) add('hdrcharset', 'BINARY');
  if (member.sparseSize !== null) {
    add('GNU.sparse.major', '1');
    add('GNU.sparse.minor', '0');
    add('GNU.sparse.name', path);
    add('GNU.sparse.realsize', String(member.sparseSize));
  } else if (!fitsName(path)) add('path', path);
  if (!fitsName(linkTarget)) add('linkpath', linkTarget);
  if (member.storedBytes > MAX_OCTAL_11) add('size', String(member.storedBytes));
  if (member.uid > MAX_OCTAL_7) add('uid', String(member.uid));
  if (member.gid > MAX_OCTAL_7) add('gid', String(member.gid));
  if (!fitsOwner(userName)) add('uname', userName);
  if (!fitsOwner(groupName)) add('gname', groupName);
  if (nanos !== 0 || isHuge) add('mtime', decimalTime(seconds, nanos));
  for (const { name, value } of member.xattrs)
    add(`SCHILY.xattr.${xattrKey(name)}`, value.toString('latin1'));
  return records;
}

/** `=` would end the keyword, so GNU tar writes it as %3D, and % as %25. */
function xattrKey(name: ByteString): ByteString {
  return name.replaceAll('%', '%25').replaceAll('=', '%3D');
}

/** Folders end with a slash. */
function memberPath(member: TarMember): ByteString {
  return member.type === 'd' ? `${member.path}/` : member.path;
}

function fitsName(text: ByteString): boolean {
  return text.length <= NAME_LENGTH && ASCII.test(text);
}

function fitsOwner(text: ByteString): boolean {
  return text.length <= OWNER_LENGTH && ASCII.test(text);
}

interface Time {
  /** Rounded down. */
  readonly seconds: number;
  readonly nanos: number;
  /** The old header has no room for it. */
  readonly isHuge: boolean;
}

/** Seconds of any 64-bit count of nanoseconds are a safe integer. */
function splitTime(ns: bigint): Time {
  let seconds = Number(ns / NS_PER_SECOND);
  let nanos = Number(ns % NS_PER_SECOND);
  if (nanos < 0) {
    seconds -= 1;
    nanos += 1_000_000_000;
  }
  return { seconds, nanos, isHuge: seconds < 0 || seconds > MAX_OCTAL_11 };
}

/** Seconds with a fraction; before 1970 the sign belongs to the whole number. */
function decimalTime(seconds: number, nanos: number): string {
  const isNegative = seconds < 0 && nanos > 0;
  const whole = isNegative ? seconds + 1 : seconds;
  const fraction = isNegative ? 1_000_000_000 - nanos : nanos;
  const sign = isNegative && whole === 0 ? '-' : '';
  if (fraction === 0) return String(whole);
  let digits = String(fraction).padStart(9, '0');
  while (digits.endsWith('0')) digits = digits.slice(0, -1);
  return `${sign}${whole}.${digits}`;
}

/** "<length> <key>=<value>\n", where the length counts its own digits. */
function paxRecord(key: ByteString, value: ByteString): ByteString {
  const rest = key.length + value.length + 3;
  let digits = String(rest).length;
  if (String(rest + digits).length > digits) digits += 1;
  return `${rest + digits} ${key}=${value}\n`;
}

const FLAGS: Readonly<Record<EntryType, string>> = { f: '0', h: '1', l: '2', c: '3', b: '4', d: '5', p: '6' };

function ustarHeader(member: TarMember, { seconds, isHuge }: Time): string {
  return ustarText({
    path: member.sparseSize === null ? memberPath(member) : sparseName(memberPath(member)),
    flag: FLAGS[member.type],
    size: member.storedBytes,
    mode: member.mode,
    uid: member.uid,
    gid: member.gid,
    seconds: isHuge ? 0 : seconds,
    linkTarget: member.linkTarget,
    userName: member.userName,
    groupName: member.groupName,
    major: member.major,
    minor: member.minor,
  });
}

/** The name seen by readers that know nothing of sparse files. */
function sparseName(path: ByteString): ByteString {
  const slash = path.lastIndexOf('/');
  return `${path.slice(0, slash + 1)}GNUSparseFile.0/${path.slice(slash + 1)}`;
}

interface UstarFields {
  readonly path: ByteString;
  readonly flag: string;
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly seconds: number;
  readonly linkTarget: ByteString;
  readonly userName: ByteString;
  readonly groupName: ByteString;
  readonly major: number;
  readonly minor: number;
}

/** All that a pax header has in common with every other. */
const paxFields: Omit<UstarFields, 'path' | 'size'> = {
  flag: 'x',
  mode: 0o644,
  uid: 0,
  gid: 0,
  seconds: 0,
  linkTarget: '',
  userName: '',
  groupName: '',
  major: 0,
  minor: 0,
};

const SUM_AT = 148;
const NO_SUM = ' '.repeat(8);
const LAST_PADDING = '\0'.repeat(12 + 155);

/** The block as text; its sum is still to come. */
function ustarText(fields: UstarFields): string {
  return [
    text(fields.path, NAME_LENGTH),
    octal(8, fields.mode & 0o7777),
    octal(8, Math.min(fields.uid, MAX_OCTAL_7)),
    octal(8, Math.min(fields.gid, MAX_OCTAL_7)),
    octal(12, fields.size > MAX_OCTAL_11 ? 0 : fields.size),
    octal(12, fields.seconds),
    NO_SUM,
    fields.flag,
    text(fields.linkTarget, NAME_LENGTH),
    'ustar\x0000',
    text(fields.userName.slice(0, OWNER_LENGTH), OWNER_LENGTH + 1),
    text(fields.groupName.slice(0, OWNER_LENGTH), OWNER_LENGTH + 1),
    octal(8, Math.min(fields.major, MAX_OCTAL_7)),
    octal(8, Math.min(fields.minor, MAX_OCTAL_7)),
    LAST_PADDING,
  ].join('');
}

function text(value: ByteString, width: number): string {
  return value.length > width ? value.slice(0, width) : value.padEnd(width, '\0');
}

function octal(width: number, value: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

function sumUp(headers: Buffer, at: number): void {
  let sum = 0;
  for (let i = at; i < at + TAR_BLOCK; i += 1) sum += headers[i] ?? 0;
  headers.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + SUM_AT, 'latin1');
}
