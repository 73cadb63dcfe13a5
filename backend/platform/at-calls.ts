import fs from 'node:fs';
import { type ByteString, fsPath } from './byte-path.ts';
import { loadKoffi, systemError } from './native.ts';
import { LOOK_WORDS, SystemLook } from './system-look.ts';

/**
 * Looking at, making, opening and renaming what `/proc/self/fd/<n>/<name>` names, the way in which a child of an open folder is
 * reached and never what a link leads to. The system's own `…at` calls take folder and name apart: they need half the
 * time that the way through /proc takes, and a look makes no object of eighteen big numbers. Without them Node's calls
 * do the same. Each throws an Error with `code` like Node's own.
 */
export interface AtCalls {
  /** Of the item itself, never of what a link leads to. */
  readonly look: (call: ByteString) => ItemLook;
  /** Of a child of an open folder. */
  readonly lookIn: (folder: number, name: ByteString) => ItemLook;
  readonly lookAtOpen: (fd: number) => ItemLook;
  /**
   * A look at a child goes to `LOOK_WORDS` words at an even place, for a `SystemLook` there, perhaps of another thread. Null where
   * there is no call that tells all at once.
   */
  readonly lookInto: ((folder: number, name: ByteString, words: Uint32Array, at: number) => void) | null;
  /** What the system lists of an open folder, without `.` and `..`, in the order of the bytes. */
  readonly names: (folder: number) => ByteString[];
  /** What is opened here is closed here: Node keeps a list of what it has opened in a thread, and warns. */
  readonly open: (call: ByteString, flags: number, mode: number) => number;
  readonly close: (fd: number) => void;
  readonly rename: (from: ByteString, to: ByteString) => void;
  readonly makeFolder: (call: ByteString, mode: number) => void;
}

/** What is known of an item; valid until the next look. */
export interface ItemLook {
  /** With the bits of the type. */
  readonly mode: number;
  readonly links: number;
  readonly uid: number;
  readonly gid: number;
  readonly sizeBytes: number;
  readonly allocatedBytes: number;
  readonly device: bigint;
  readonly inode: bigint;
  readonly rdev: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /**
   * The same as plain numbers, for who compares many items and keeps nothing: the inode is exact below 2^53, times are not told
   * exactly before 1970.
   */
  readonly inodeNumber: number;
  readonly mtimeSeconds: number;
  readonly mtimeRestNs: number;
  readonly ctimeSeconds: number;
  readonly ctimeRestNs: number;
}

let found: AtCalls | undefined;

/** Loads on first use. */
export function atCalls(): AtCalls {
  found ??= load();
  return found;
}

/** Device and inode of what is open: tells it from what may take its place. */
export function keyOfOpen(fd: number): string {
  const { device, inode } = atCalls().lookAtOpen(fd);
  return `${device}:${inode}`;
}

/** By Node's own calls. */
export const nodeCalls: AtCalls = {
  look: (call) => lookOf(fs.lstatSync(fsPath(call), { bigint: true })),
  lookIn: (folder, name) => nodeCalls.look(`${PREFIX}${folder}/${name}`),
  lookAtOpen: (fd) => lookOf(fs.fstatSync(fd, { bigint: true })),
  lookInto: null,
  names: (folder) => fs.readdirSync(`${PREFIX}${folder}`, { encoding: 'latin1' }).sort(),
  open: (call, flags, mode) => fs.openSync(fsPath(call), flags, mode),
  close: (fd) => fs.closeSync(fd),
  rename: (from, to) => fs.renameSync(fsPath(from), fsPath(to)),
  makeFolder: (call, mode) => fs.mkdirSync(fsPath(call), { mode }),
};

function lookOf(stat: fs.BigIntStats): ItemLook {
  return {
    mode: Number(stat.mode),
    links: Number(stat.nlink),
    uid: Number(stat.uid),
    gid: Number(stat.gid),
    sizeBytes: Number(stat.size),
    allocatedBytes: Number(stat.blocks) * 512,
    device: stat.dev,
    inode: stat.ino,
    rdev: stat.rdev,
    mtimeNs: stat.mtimeNs,
    ctimeNs: stat.ctimeNs,
    inodeNumber: Number(stat.ino),
    mtimeSeconds: Number(stat.mtimeNs / NS_PER_SECOND),
    mtimeRestNs: Number(stat.mtimeNs % NS_PER_SECOND),
    ctimeSeconds: Number(stat.ctimeNs / NS_PER_SECOND),
    ctimeRestNs: Number(stat.ctimeNs % NS_PER_SECOND),
  };
}

function load(): AtCalls {
  if (process.platform !== 'linux') return nodeCalls;
  try {
    return bind();
  } catch {
    // A system without these calls or without the library that reaches them: the other way is there for that.
    return nodeCalls;
  }
}

const NS_PER_SECOND = 1_000_000_000n;
const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_EMPTY_PATH = 0x1000;
const STATX_BASIC_STATS = 0x7ff;
const STATX_BYTES = 256;
/** Those before it say what was asked and what there is. */
const FIRST_WORD = 4;
const SEEK_SET = 0;
/** Of a folder that is listed at once; as much as the C library asks for. */
const LISTED_BYTES = 32_768;
/** Of an entry: its length in bytes, and its name up to a zero. */
const ENTRY_LENGTH_AT = 16;
const ENTRY_NAME_AT = 19;
const ENTRY_ALIGNMENT = 8;
const DOT = 46;
const O_CLOEXEC = 0o2000000;
/** The longest path that the system takes, with its end. */
const NAME_BYTES = 4097;

const PREFIX = '/proc/self/fd/';

function bind(): AtCalls {
  const koffi = loadKoffi();
  const libc = koffi.load(null);
  const statx = libc.func('int statx(int, const void*, int, uint32_t, void*)');
  const openat = libc.func('int openat(int, const void*, int, uint32_t)');
  const close = libc.func('int close(int)');
  const mkdirat = libc.func('int mkdirat(int, const void*, uint32_t)');
  const lseek = libc.func('int64_t lseek(int, int64_t, int)');
  const getdents = libc.func('intptr_t getdents64(int, void*, size_t)');
  const renameat = libc.func('int renameat(int, const void*, int, const void*)');
  const one = nameBuffer();
  const other = nameBuffer();
  const memory = Buffer.from(new ArrayBuffer(STATX_BYTES));
  const look = new SystemLook(memory.buffer);
  const found = new Uint32Array(memory.buffer);
  const listed = Buffer.from(new ArrayBuffer(LISTED_BYTES));
  const fail = (syscall: string): never => {
    throw systemError(koffi.errno(), syscall);
  };
  return {
    look: (call) => {
      const folder = one.take(call);
      if (statx(folder, one.bytes, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, memory) !== 0) fail('statx');
      return look;
    },
    lookIn: (folder, name) => {
      one.takeName(name);
      if (statx(folder, one.bytes, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, memory) !== 0) fail('statx');
      return look;
    },
    lookAtOpen: (fd) => {
      if (statx(fd, NO_NAME, AT_EMPTY_PATH, STATX_BASIC_STATS, memory) !== 0) fail('statx');
      return look;
    },
    lookInto: (folder, name, words, at) => {
      one.takeName(name);
      if (statx(folder, one.bytes, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, memory) !== 0) fail('statx');
      // By hand: a view of the part would be an object for each look.
      for (let index = FIRST_WORD; index < LOOK_WORDS; index += 1) words[at + index] = found[index] ?? 0;
    },
    names: (folder) => {
      const names: ByteString[] = [];
      // It may have been listed before.
      if (Number(lseek(folder, 0, SEEK_SET)) !== 0) fail('lseek');
      for (;;) {
        const length = Number(getdents(folder, listed, LISTED_BYTES));
        if (length < 0) fail('getdents64');
        if (length <= 0) return names.sort();
        addNames(listed, length, names);
      }
    },
    open: (call, flags, mode) => {
      const folder = one.take(call);
      for (;;) {
        const fd = Number(openat(folder, one.bytes, flags | O_CLOEXEC, mode));
        if (fd >= 0) return fd;
        // A signal came while a slow file system looked for it.
        if (koffi.errno() !== EINTR) fail('openat');
      }
    },
    // Even when a signal came it is closed; asking again could close another thread's file.
    close: (fd) => void (close(fd) !== 0 && koffi.errno() !== EINTR && fail('close')),
    rename: (from, to) => {
      const folder = one.take(from);
      if (renameat(folder, one.bytes, other.take(to), other.bytes) !== 0) fail('renameat');
    },
    makeFolder: (call, mode) => {
      const folder = one.take(call);
      if (mkdirat(folder, one.bytes, mode) !== 0) fail('mkdirat');
    },
  };
}

/** Entries as getdents64(2) writes them. */
function addNames(listed: Buffer, length: number, names: ByteString[]): void {
  for (let at = 0; at < length; ) {
    const next = at + (listed[at + ENTRY_LENGTH_AT] ?? 0) + (listed[at + ENTRY_LENGTH_AT + 1] ?? 0) * 256;
    if (next <= at) throw systemError(EINVAL, 'getdents64');
    const from = at + ENTRY_NAME_AT;
    // Behind its end the entry is filled up, so that is near.
    let end = Math.max(from, next - ENTRY_ALIGNMENT);
    while (end < next && listed[end] !== 0) end += 1;
    const dots = listed[from] === DOT ? end - from : 0;
    const isOwn = dots === 1 || (dots === 2 && listed[from + 1] === DOT);
    if (!isOwn) names.push(listed.toString('latin1', from, end));
    at = next;
  }
}

/** Holds the name of one call for the system; answers the folder that the name is in. */
function nameBuffer() {
  const bytes = Buffer.alloc(NAME_BYTES);
  /** Of the call before: one folder after the other is gone through. */
  let known = PREFIX;
  let knownFolder = AT_FDCWD;
  return {
    bytes,
    /** As a folder lists it. Short, so that writing it by hand takes less than a call. */
    takeName: (name: ByteString): void => {
      const { length } = name;
      if (length >= NAME_BYTES) throw systemError(ENAMETOOLONG, 'path');
      for (let index = 0; index < length; index += 1) bytes[index] = name.charCodeAt(index);
      bytes[length] = 0;
    },
    take: (call: ByteString): number => {
      if (!(knownFolder >= 0 && call.startsWith(known))) {
        const slash = call.startsWith(PREFIX) ? call.indexOf('/', PREFIX.length) : -1;
        known = call.slice(0, slash + 1);
        knownFolder = slash < 0 ? AT_FDCWD : Number(call.slice(PREFIX.length, slash));
      }
      const from = known.length;
      const length = call.length - from;
      if (length >= NAME_BYTES) throw systemError(ENAMETOOLONG, 'path');
      for (let index = 0; index < length; index += 1) {
        const code = call.charCodeAt(from + index);
        if (code === 0) throw systemError(EINVAL, 'path');
        bytes[index] = code;
      }
      bytes[length] = 0;
      return knownFolder;
    },
  };
}

const NO_NAME = Buffer.alloc(1);
const EINTR = 4;
const EINVAL = 22;
const ENAMETOOLONG = 36;
