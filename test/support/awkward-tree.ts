import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type ByteString, fsPath, utf8Bytes } from '../../backend/platform/byte-path.ts';
import { nativeState } from '../../backend/platform/native.ts';

export const isRoot = process.getuid?.() === 0;

const DEPTH = 1000;
/** Together near the longest path that a program such as tar can handle (4,095 bytes from where it works). */
const LONG_NAMES = Array.from({ length: 15 }, (_, index) => `${index} `.padEnd(255, 'long '));
const NAMES: readonly ByteString[] = [
  '\xfe\xff not text',
  'line\nbreak',
  utf8Bytes('cafe\u0301 NFD'),
  utf8Bytes('caf\u00e9 NFC'),
  utf8Bytes('VALIDACIÓN – 日本 🎞.docx'),
  'a[1].txt',
  'a1.txt',
  '*',
  '?',
  '#x',
  '-rf',
  ' blanks ',
  'dot at end.',
  'back\\slash \\x41',
  '\x01\x1b[31m',
  'folder.asar',
  'n'.repeat(255),
  utf8Bytes('日'.repeat(85)),
];

/**
 * Makes a folder with everything that backups get wrong: names that are no text, special files, links of all
 * kinds, holes, attributes, times. What only root may make is left out for others. The folder must not exist.
 */
export function buildAwkwardTree(folder: string): void {
  fs.mkdirSync(folder);
  names(path.join(folder, 'names'));
  contents(path.join(folder, 'contents'));
  links(path.join(folder, 'links'), path.join(folder, 'contents'));
  metadata(path.join(folder, 'metadata'));
  special(path.join(folder, 'special'));
  nested(
    path.join(folder, 'deep'),
    Array.from({ length: DEPTH }, () => 'd'),
  );
  nested(path.join(folder, 'long'), LONG_NAMES);
  fs.mkdirSync(path.join(folder, 'empty'), { mode: 0o700 });
  const newer = new Date('2021-05-04T03:02:01.5Z');
  for (const name of ['names', 'empty']) fs.utimesSync(path.join(folder, name), newer, newer);
  setTimes(folder, 1_234_567_890_123_456_789n);
}

function names(folder: string): void {
  fs.mkdirSync(folder);
  for (const name of NAMES) fs.writeFileSync(bytes(folder, name), `content of ${JSON.stringify(name)}`);
  fs.mkdirSync(bytes(folder, '\xc3( folder'));
  fs.writeFileSync(bytes(folder, '\xc3( folder/inside'), 'below a name that is no text');
  fs.mkdirSync(bytes(folder, 'app.asar'));
  fs.writeFileSync(bytes(folder, 'app.asar/index.js'), 'in a folder that looks like an archive');
}

function contents(folder: string): void {
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'nothing'), '');
  fs.writeFileSync(path.join(folder, 'one byte'), 'x');
  for (const size of [511, 512, 513, 1_048_575, 1_048_576, 1_048_577, 3_500_000]) {
    fs.writeFileSync(path.join(folder, `size ${size}`), patterned(size));
  }
  sparse(path.join(folder, 'hole first'), 3_000_000, [2_000_000]);
  sparse(path.join(folder, 'hole last'), 5_000_001, [0]);
  sparse(path.join(folder, 'only a hole'), 40_000_000, []);
  sparse(path.join(folder, 'many holes'), 9_000_000, [0, 1_000_000, 4_000_000, 8_500_000]);
}

function links(folder: string, targets: string): void {
  fs.mkdirSync(path.join(folder, 'sub'), { recursive: true });
  const first = path.join(folder, 'hard 1');
  fs.writeFileSync(first, patterned(70_000));
  for (let i = 2; i <= 9; i += 1) fs.linkSync(first, path.join(folder, `hard ${i}`));
  fs.linkSync(first, path.join(folder, 'sub', 'hard in another folder'));
  fs.linkSync(path.join(targets, 'nothing'), path.join(folder, 'hard link to nothing'));
  fs.linkSync(path.join(targets, 'many holes'), path.join(folder, 'hard link to a sparse file'));
  const symbolic = {
    relative: 'hard 1',
    absolute: '/etc/hostname',
    dangling: 'not there',
    'loop a': 'loop b',
    'loop b': 'loop a',
    'to folder': 'sub',
    'up and out': '../../../../../../../tmp',
    long: `${'d'.repeat(200)}/${'e'.repeat(200)}`,
  };
  for (const [name, target] of Object.entries(symbolic)) fs.symlinkSync(target, path.join(folder, name));
  fs.symlinkSync(Buffer.from('\xff target', 'latin1'), path.join(folder, 'target is no text'));
  setTimes(path.join(folder, 'dangling'), 1_000_000_000_000_000_001n);
}

function metadata(folder: string): void {
  fs.mkdirSync(folder);
  const file = (name: string, mode: number, mtimeNs: bigint) => {
    const full = path.join(folder, name);
    fs.writeFileSync(full, name);
    fs.chmodSync(full, mode);
    setTimes(full, mtimeNs);
    return full;
  };
  file('mode 000', 0o000, 1n);
  file('read only', 0o444, 999_999_999n);
  file('before 1970', 0o644, -1_500_000_000n);
  file('far future', 0o644, 4_102_444_800_000_000_001n);
  file('set uid and gid', 0o6755, 1_700_000_000_987_654_321n);
  const attributes = file('attributes', 0o640, 5_000_000_000n);
  setXattr(attributes, 'user.plain', Buffer.from('value'));
  setXattr(attributes, 'user.empty', Buffer.alloc(0));
  setXattr(attributes, 'user.binary = % \xff', Buffer.from([0, 10, 61, 255]));
  setXattr(attributes, 'user.long', Buffer.alloc(2000, 'x'));
  const acl = file('acl', 0o640, 6_000_000_000n);
  execFileSync('setfacl', ['-m', 'u:12345:r,g:54321:rw', acl]);
  const shared = path.join(folder, 'folder with default acl');
  fs.mkdirSync(shared);
  execFileSync('setfacl', ['-d', '-m', 'u:12345:rwx', shared]);
  setXattr(shared, 'user.folder', Buffer.from('of a folder'));
  setTimes(attributes, 5_000_000_001n);
  setTimes(acl, 6_000_000_001n);
  const sticky = path.join(folder, 'sticky');
  fs.mkdirSync(sticky);
  fs.chmodSync(sticky, 0o3777);
  const closed = path.join(folder, 'closed folder');
  fs.mkdirSync(closed);
  fs.writeFileSync(path.join(closed, 'inside'), 'inside');
  fs.chmodSync(closed, 0o555);
  if (!isRoot) return;
  fs.chownSync(file('of others', 0o600, 7_000_000_007n), 12_345, 54_321);
  fs.chownSync(file('large numbers', 0o600, 8_000_000_008n), 3_000_000_000, 3_000_000_001);
  fs.symlinkSync('acl', path.join(folder, 'link of others'));
  fs.lchownSync(path.join(folder, 'link of others'), 12_345, 54_321);
  setXattr(sticky, 'trusted.kept', Buffer.from('only root sees it'));
}

function special(folder: string): void {
  fs.mkdirSync(folder);
  const state = nativeState();
  if (!state.available) throw new Error(state.reason);
  state.calls.makeNode(path.join(folder, 'fifo'), fs.constants.S_IFIFO | 0o640, 0, 0);
  if (!isRoot) return;
  state.calls.makeNode(path.join(folder, 'character device'), fs.constants.S_IFCHR | 0o600, 1, 3);
  state.calls.makeNode(path.join(folder, 'block device'), fs.constants.S_IFBLK | 0o660, 259, 300);
}

/** Folders whose paths are longer than any path the system takes in one call. Most programs cannot read them. */
export function buildBeyondLongestPath(folder: string): void {
  nested(
    folder,
    Array.from({ length: DEPTH }, (_, level) => `level ${level}`),
  );
}

/** Made from the inside out, since no call takes a path of this length. */
function nested(folder: string, levels: readonly string[]): void {
  const building = `${folder} building`;
  fs.mkdirSync(building);
  fs.writeFileSync(path.join(building, 'deepest file'), 'found');
  for (const level of levels.toReversed()) {
    const outer = `${folder} outer`;
    fs.mkdirSync(outer);
    fs.renameSync(building, path.join(outer, level));
    fs.renameSync(outer, building);
  }
  fs.renameSync(building, folder);
}

function sparse(file: string, size: number, dataAt: readonly number[]): void {
  const fd = fs.openSync(file, 'w');
  fs.ftruncateSync(fd, size);
  for (const offset of dataAt) fs.writeSync(fd, patterned(100_000), 0, 100_000, offset);
  fs.closeSync(fd);
}

function patterned(size: number): Buffer {
  const data = Buffer.alloc(size);
  for (let i = 0; i < size; i += 1) data[i] = (i * 7 + (i >> 9)) & 0xff;
  return data;
}

function bytes(folder: string, name: ByteString): string | Buffer {
  return fsPath(`${utf8Bytes(folder)}/${name}`);
}

function setXattr(file: string, name: ByteString, value: Buffer): void {
  const state = nativeState();
  if (state.available) state.calls.setXattr(utf8Bytes(file), name, value);
}

function setTimes(file: string, mtimeNs: bigint): void {
  const state = nativeState();
  if (state.available) state.calls.setTimes(utf8Bytes(file), mtimeNs, mtimeNs);
}
