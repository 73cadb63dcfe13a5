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

export function tarHeaders(member: TarMember): Buffer {
  const records = paxRecords(member);
  const header = ustarHeader(member);
  if (records.length === 0) return header;
  const data = Buffer.concat(records);
  const pax = ustarBlock({
    path: `PaxHeaders/${member.path.slice(-40).replace(/[^\x21-\x7e]|\//g, '_')}`,
    flag: 'x',
    size: data.length,
    mode: 0o644,
    uid: 0,
    gid: 0,
    seconds: 0,
    linkTarget: '',
    userName: '',
    groupName: '',
    major: 0,
    minor: 0,
  });
  return Buffer.concat([pax, data, Buffer.alloc(padded(data.length) - data.length), header]);
}

/** Two zero blocks end a tar stream; GNU tar fills up to 20 blocks, which no reader needs. */
export const TAR_END = Buffer.alloc(2 * TAR_BLOCK);

const MAX_OCTAL_11 = 0o77777777777;
const MAX_OCTAL_7 = 0o7777777;
const NAME_LENGTH = 100;
const OWNER_LENGTH = 31;
const ASCII = /^[\x20-\x7e]*$/;
const NS_PER_SECOND = 1_000_000_000n;

function paxRecords(member: TarMember): readonly Buffer[] {
  const records: Buffer[] = [];
  const path = memberPath(member);
  const texts = [path, member.linkTarget, member.userName, member.groupName];
  if (texts.some((text) => !isUtf8Bytes(text))) records.push(paxRecord('hdrcharset', 'BINARY'));
  if (member.sparseSize !== null) {
    records.push(paxRecord('GNU.sparse.major', '1'), paxRecord('GNU.sparse.minor', '0'));
    records.push(
      paxRecord('GNU.sparse.name', path),
      paxRecord('GNU.sparse.realsize', String(member.sparseSize)),
    );
  } else if (!fitsName(path)) records.push(paxRecord('path', path));
  if (!fitsName(member.linkTarget)) records.push(paxRecord('linkpath', member.linkTarget));
  if (member.storedBytes > MAX_OCTAL_11) records.push(paxRecord('size', String(member.storedBytes)));
  if (member.uid > MAX_OCTAL_7) records.push(paxRecord('uid', String(member.uid)));
  if (member.gid > MAX_OCTAL_7) records.push(paxRecord('gid', String(member.gid)));
  if (!fitsOwner(member.userName)) records.push(paxRecord('uname', member.userName));
  if (!fitsOwner(member.groupName)) records.push(paxRecord('gname', member.groupName));
  const seconds = floorSeconds(member.mtimeNs);
  if (member.mtimeNs % NS_PER_SECOND !== 0n || seconds < 0n || seconds > BigInt(MAX_OCTAL_11)) {
    records.push(paxRecord('mtime', decimalSeconds(member.mtimeNs)));
  }
  for (const { name, value } of member.xattrs)
    records.push(paxRecord(`SCHILY.xattr.${xattrKey(name)}`, value));
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

function floorSeconds(ns: bigint): bigint {
  return ns >= 0n ? ns / NS_PER_SECOND : -((-ns + NS_PER_SECOND - 1n) / NS_PER_SECOND);
}

/** Seconds with a fraction; before 1970 the sign belongs to the whole number. */
export function decimalSeconds(ns: bigint): string {
  const size = ns < 0n ? -ns : ns;
  const fraction = (size % NS_PER_SECOND).toString().padStart(9, '0').replace(/0+$/, '');
  const text = `${size / NS_PER_SECOND}${fraction === '' ? '' : `.${fraction}`}`;
  return ns < 0n ? `-${text}` : text;
}

/** "<length> <key>=<value>\n", where the length counts its own digits. */
function paxRecord(key: ByteString, value: ByteString | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
  const rest = key.length + bytes.length + 3;
  let digits = String(rest).length;
  if (String(rest + digits).length > digits) digits += 1;
  return Buffer.concat([Buffer.from(`${rest + digits} ${key}=`, 'latin1'), bytes, Buffer.from('\n')]);
}

const FLAGS: Readonly<Record<EntryType, string>> = { f: '0', h: '1', l: '2', c: '3', b: '4', d: '5', p: '6' };

function ustarHeader(member: TarMember): Buffer {
  const seconds = floorSeconds(member.mtimeNs);
  const isHuge = seconds < 0n || seconds > BigInt(MAX_OCTAL_11);
  return ustarBlock({
    path: member.sparseSize === null ? memberPath(member) : sparseName(memberPath(member)),
    flag: FLAGS[member.type],
    size: member.storedBytes,
    mode: member.mode,
    uid: member.uid,
    gid: member.gid,
    seconds: isHuge ? 0 : Number(seconds),
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

function ustarBlock(fields: UstarFields): Buffer {
  const block = Buffer.alloc(TAR_BLOCK);
  block.write(fields.path.slice(0, NAME_LENGTH), 0, 'latin1');
  octal(block, 100, 8, fields.mode & 0o7777);
  octal(block, 108, 8, Math.min(fields.uid, MAX_OCTAL_7));
  octal(block, 116, 8, Math.min(fields.gid, MAX_OCTAL_7));
  octal(block, 124, 12, fields.size > MAX_OCTAL_11 ? 0 : fields.size);
  octal(block, 136, 12, fields.seconds);
  block.fill(0x20, 148, 156);
  block.write(fields.flag, 156, 'latin1');
  block.write(fields.linkTarget.slice(0, NAME_LENGTH), 157, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  block.write(fields.userName.slice(0, OWNER_LENGTH), 265, 'latin1');
  block.write(fields.groupName.slice(0, OWNER_LENGTH), 297, 'latin1');
  octal(block, 329, 8, Math.min(fields.major, MAX_OCTAL_7));
  octal(block, 337, 8, Math.min(fields.minor, MAX_OCTAL_7));
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function octal(block: Buffer, at: number, width: number, value: number): void {
  block.write(value.toString(8).padStart(width - 1, '0'), at, 'latin1');
}
