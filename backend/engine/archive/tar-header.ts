import { type ByteString, isUtf8Bytes } from '../../platform/byte-path.ts';
import type { EntryType } from './entry.ts';

/**
 * Headers of a POSIX pax archive. What fits the old header is written there; what does not (long or non-ASCII names, big
 * numbers, extended attributes, sparse maps) goes into a pax extended header before it. Nanoseconds are no reason for
 * one: the manifest has them, and a pax header costs a kilobyte a file.
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

/** The headers of one member. They are made for every file, in a room that the next call uses again. */
export function tarHeaders(member: TarMember): Buffer {
  const usual = member.type === 'd' ? usualFolder : usualFile;
  const like = usual.of(member);
  if (like !== null) return like;
  const time = splitTime(member.mtimeNs);
  const records = paxRecords(member, time);
  if (records === '') {
    writeHeader(room, 0, ustarFields(member, time));
    usual.keep(member, one);
    return one;
  }
  const length = 2 * TAR_BLOCK + padded(records.length);
  const headers = length > room.length ? Buffer.alloc(length) : room.subarray(0, length);
  const path = `PaxHeaders/${member.path.slice(-40).replace(/[^\x21-\x7e]|\//g, '_')}`;
  writeHeader(headers, 0, { ...paxFields, path, size: records.length });
  headers.fill(0, TAR_BLOCK, length - TAR_BLOCK).write(records, TAR_BLOCK, 'latin1');
  writeHeader(headers, length - TAR_BLOCK, ustarFields(member, time));
  return headers;
}

/** The header of a file that differs from one before it only in path, size and time, as nearly all do; or, of another such, that of a folder. */
class UsualHeader {
  readonly #header = Buffer.alloc(TAR_BLOCK);
  #like: TarMember | null = null;
  /** Of all bytes but those of path, size and time, with the sum's own place as spaces. */
  #sum = 0;
  #pathLength = 0;

  /** Null when it has to be made as any other; valid until the next call. */
  of(member: TarMember): Buffer | null {
    const { storedBytes } = member;
    const path = memberPath(member);
    if (!this.#isLike(member) || path.length > NAME_LENGTH || storedBytes > MAX_OCTAL_11) return null;
    const seconds = wholeSeconds(member.mtimeNs);
    if (seconds < 0 || seconds > MAX_OCTAL_11) return null;
    const pathSum = this.#writePath(path);
    if (pathSum < 0) return null;
    const header = this.#header;
    const sum =
      this.#sum + pathSum + octal(header, SIZE_AT, 12, storedBytes) + octal(header, TIME_AT, 12, seconds);
    octal(header, SUM_AT, 7, sum);
    return header;
  }

  /** `header` was made for this member and has no pax header before it. */
  keep(member: TarMember, header: Buffer): void {
    if (!isPlain(member)) return;
    this.#like = member;
    header.copy(this.#header);
    this.#header.fill(0, 0, NAME_LENGTH);
    this.#pathLength = 0;
    this.#header.fill(0, SIZE_AT, SUM_AT);
    this.#sum = sumOf(this.#header, 0);
    this.#header[SUM_AT + 6] = 0;
  }

  #isLike(member: TarMember): boolean {
    const like = this.#like;
    return (
      like !== null &&
      member.type === like.type &&
      isPlain(member) &&
      member.mode === like.mode &&
      member.uid === like.uid &&
      member.gid === like.gid &&
      member.userName === like.userName &&
      member.groupName === like.groupName
    );
  }

  /** Answers the sum of its bytes, or -1 when it does not fit the old header. */
  #writePath(path: ByteString): number {
    const header = this.#header;
    const { length } = path;
    let sum = 0;
    for (let at = 0; at < length; at += 1) {
      const byte = path.charCodeAt(at);
      if (byte < SPACE || byte > LAST_ASCII) {
        this.#pathLength = Math.max(this.#pathLength, at);
        return -1;
      }
      header[at] = byte;
      sum += byte;
    }
    for (let at = length; at < this.#pathLength; at += 1) header[at] = 0;
    this.#pathLength = length;
    return sum;
  }
}

function isPlain(member: TarMember): boolean {
  return (
    (member.type === 'f' || member.type === 'd') &&
    member.sparseSize === null &&
    member.linkTarget === '' &&
    member.xattrs.length === 0 &&
    member.major === 0 &&
    member.minor === 0
  );
}

const room = Buffer.alloc(16 * TAR_BLOCK);
const one = room.subarray(0, TAR_BLOCK);
const usualFile = new UsualHeader();
const usualFolder = new UsualHeader();

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
  for (const { name, value } of member.xattrs)
    add(`SCHILY.xattr.${xattrKey(name)}`, value.toString('latin1'));
  if (isHuge || (nanos !== 0 && records !== '')) add('mtime', decimalTime(seconds, nanos));
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

/**
 * The same seconds without big numbers. As a number the time is off by less than 256 ns, and whole seconds are exact; only
 * close to one it has to be looked at more exactly.
 */
function wholeSeconds(ns: bigint): number {
  const near = Number(ns);
  const seconds = Math.floor(near / 1e9);
  const rest = near - seconds * 1e9;
  return rest > 1000 && rest < 1e9 - 1000 ? seconds : splitTime(ns).seconds;
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

function ustarFields(member: TarMember, { seconds, isHuge }: Time): UstarFields {
  return {
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
  };
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

const MODE_AT = 100;
const UID_AT = 108;
const GID_AT = 116;
const SIZE_AT = 124;
const TIME_AT = 136;
const SUM_AT = 148;
const FLAG_AT = 156;
const LINK_AT = 157;
const MAGIC_AT = 257;
const USER_AT = 265;
const GROUP_AT = 297;
const MAJOR_AT = 329;
const MINOR_AT = 337;
const PREFIX_AT = 345;
const MAGIC = 'ustar\x0000';
const SPACE = 0x20;
const DIGIT_0 = 0x30;
const LAST_ASCII = 0x7e;

/** Field by field, since a text of it would be made of twenty short-lived ones. */
function writeHeader(into: Buffer, at: number, fields: UstarFields): void {
  into.fill(0, at, at + TAR_BLOCK);
  into.write(fields.path, at, NAME_LENGTH, 'latin1');
  octal(into, at + MODE_AT, 8, fields.mode & 0o7777);
  octal(into, at + UID_AT, 8, Math.min(fields.uid, MAX_OCTAL_7));
  octal(into, at + GID_AT, 8, Math.min(fields.gid, MAX_OCTAL_7));
  octal(into, at + SIZE_AT, 12, fields.size > MAX_OCTAL_11 ? 0 : fields.size);
  octal(into, at + TIME_AT, 12, fields.seconds);
  into.write(fields.flag, at + FLAG_AT, 'latin1');
  if (fields.linkTarget !== '') into.write(fields.linkTarget, at + LINK_AT, NAME_LENGTH, 'latin1');
  into.write(MAGIC, at + MAGIC_AT, 'latin1');
  into.write(fields.userName, at + USER_AT, OWNER_LENGTH, 'latin1');
  into.write(fields.groupName, at + GROUP_AT, OWNER_LENGTH, 'latin1');
  octal(into, at + MAJOR_AT, 8, Math.min(fields.major, MAX_OCTAL_7));
  octal(into, at + MINOR_AT, 8, Math.min(fields.minor, MAX_OCTAL_7));
  sumUp(into, at);
}

/** Digits with zeros before them, and a zero byte, which is there. Answers the sum of these bytes. */
function octal(into: Buffer, at: number, width: number, value: number): number {
  const end = at + width - 1;
  // Of numbers that 30 bits hold the digits are cut out, which takes a third of the time of dividing.
  const isShort = value < 2 ** 30;
  let rest = value;
  let sum = 0;
  for (let place = end - 1; place >= at; place -= 1) {
    const digit = DIGIT_0 + (isShort ? rest & 7 : rest % 8);
    into[place] = digit;
    sum += digit;
    rest = isShort ? rest >> 3 : Math.floor(rest / 8);
  }
  return sum;
}

function sumUp(into: Buffer, at: number): void {
  const sum = sumOf(into, at);
  octal(into, at + SUM_AT, 7, sum);
  into[at + SUM_AT + 6] = 0;
}

/** Its own place counts as spaces. Behind the numbers of devices there are only zeros. */
function sumOf(into: Buffer, at: number): number {
  into.fill(SPACE, at + SUM_AT, at + FLAG_AT);
  let sum = 0;
  for (let i = at; i < at + PREFIX_AT; i += 1) sum += into[i] ?? 0;
  return sum;
}
