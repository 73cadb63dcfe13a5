import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import type { ByteString } from './byte-path.ts';

/**
 * The few system calls Node has no exact function for: extended attributes, times in nanoseconds, device nodes
 * and FIFOs, and finding and making the holes of sparse files. Each throws an Error with `code` like Node's own.
 */
export interface NativeCalls {
  readonly listXattrs: (target: XattrTarget) => readonly ByteString[];
  readonly getXattr: (target: XattrTarget, name: ByteString) => Buffer;
  readonly setXattr: (target: XattrTarget, name: ByteString, value: Uint8Array) => void;
  readonly removeXattr: (target: XattrTarget, name: ByteString) => void;
  readonly setTimesFd: (fd: number, atimeNs: bigint, mtimeNs: bigint) => void;
  /** Of the link itself when the path is a symbolic link. */
  readonly setTimes: (path: ByteString, atimeNs: bigint, mtimeNs: bigint) => void;
  /** `mode` with the type bits (S_IFIFO, S_IFCHR, S_IFBLK). */
  readonly makeNode: (path: ByteString, mode: number, major: number, minor: number) => void;
  /** Next data at or after `offset`; null when only a hole follows. */
  readonly seekData: (fd: number, offset: number) => number | null;
  readonly seekHole: (fd: number, offset: number) => number | null;
  /** Makes the stretch read as zeros without keeping bytes for it; `EOPNOTSUPP` where file system or device cannot. */
  readonly punchHole: (fd: number, offset: number, length: number) => void;
}

/** An open file, or a path whose last component is not followed when it is a symbolic link. */
export type XattrTarget = number | ByteString;

export type NativeState =
  | { readonly available: true; readonly calls: NativeCalls }
  | { readonly available: false; readonly reason: string };

let state: NativeState | undefined;

/** Loads on first use. Where it cannot, the caller goes on without and says what is not kept. */
export function nativeState(): NativeState {
  state ??= load();
  return state;
}

const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const SEEK_DATA = 3;
const SEEK_HOLE = 4;
const PUNCH_HOLE_KEEP_SIZE = 3;
const LIST_LIMIT = 65_536;

export interface Koffi {
  load(
    path: string | null,
    options?: { readonly deep: boolean },
  ): { func(definition: string): NativeFunction };
  errno(): number;
}

export interface NativeFunction {
  (...args: readonly unknown[]): unknown;
  /** In a thread of Node's pool; the last argument is told the result. */
  async(...args: readonly unknown[]): void;
}

/**
 * Throws where there is none for this system. What is native in koffi is a package of its own, and has all that is called here; the
 * module around it takes 7 of the 10 ms that loading it takes in each thread.
 */
export function loadKoffi(): Koffi {
  const require = createRequire(import.meta.url);
  try {
    const native = require(`@koromix/koffi-${process.platform}-${process.arch}`) as Partial<Koffi>;
    if (typeof native.load === 'function' && typeof native.errno === 'function') return native as Koffi;
  } catch {
    // koffi looks for it in further places, and says what is missing.
  }
  return require('koffi') as Koffi;
}

function load(): NativeState {
  if (process.platform !== 'linux') {
    return { available: false, reason: `not supported on ${process.platform}` };
  }
  try {
    const koffi = loadKoffi();
    return { available: true, calls: bind(koffi) };
  } catch (error) {
    return { available: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

function bind(koffi: Koffi): NativeCalls {
  const libc = koffi.load(null);
  const bound = (definition: string, syscall: string) => {
    const call = libc.func(definition);
    return (...args: readonly unknown[]): number => {
      const result = Number(call(...args));
      if (result < 0) throw systemError(koffi.errno(), syscall);
      return result;
    };
  };
  // Called for each file, where gathering arguments into a list and spreading them again is a third of the call.
  const flistxattrItself = libc.func('int64_t flistxattr(int, void*, size_t)');
  const flistxattr = (fd: number, into: Buffer, bytes: number): number => {
    const result = Number(flistxattrItself(fd, into, bytes));
    if (result < 0) throw systemError(koffi.errno(), 'flistxattr');
    return result;
  };
  const futimensItself = libc.func('int futimens(int, const void*)');
  const llistxattr = bound('int64_t llistxattr(const void*, void*, size_t)', 'llistxattr');
  const fgetxattr = bound('int64_t fgetxattr(int, const void*, void*, size_t)', 'fgetxattr');
  const lgetxattr = bound('int64_t lgetxattr(const void*, const void*, void*, size_t)', 'lgetxattr');
  const fsetxattr = bound('int fsetxattr(int, const void*, const void*, size_t, int)', 'fsetxattr');
  const lsetxattr = bound('int lsetxattr(const void*, const void*, const void*, size_t, int)', 'lsetxattr');
  const fremovexattr = bound('int fremovexattr(int, const void*)', 'fremovexattr');
  const lremovexattr = bound('int lremovexattr(const void*, const void*)', 'lremovexattr');
  const utimensat = bound('int utimensat(int, const void*, const void*, int)', 'utimensat');
  const mknod = bound('int mknod(const void*, uint32_t, uint64_t)', 'mknod');
  const lseek = bound('int64_t lseek(int, int64_t, int)', 'lseek');
  const fallocate = bound('int fallocate(int, int, int64_t, int64_t)', 'fallocate');
  const scratch = Buffer.alloc(LIST_LIMIT);
  const timespecs = new BigInt64Array(4);
  const times = Buffer.from(timespecs.buffer);

  const listXattrs = (target: XattrTarget): readonly ByteString[] => {
    const length =
      typeof target === 'number'
        ? flistxattr(target, scratch, scratch.length)
        : llistxattr(terminated(target), scratch, scratch.length);
    if (length === 0) return [];
    return scratch.toString('latin1', 0, length - 1).split('\0');
  };
  const getXattr = (target: XattrTarget, name: ByteString): Buffer => {
    const length =
      typeof target === 'number'
        ? fgetxattr(target, terminated(name), scratch, scratch.length)
        : lgetxattr(terminated(target), terminated(name), scratch, scratch.length);
    return Buffer.from(scratch.subarray(0, length));
  };
  const setXattr = (target: XattrTarget, name: ByteString, value: Uint8Array): void => {
    // A zero-length value still needs an address.
    const data = value.length === 0 ? scratch : value;
    if (typeof target === 'number') fsetxattr(target, terminated(name), data, value.length, 0);
    else lsetxattr(terminated(target), terminated(name), data, value.length, 0);
  };
  const removeXattr = (target: XattrTarget, name: ByteString): void => {
    if (typeof target === 'number') fremovexattr(target, terminated(name));
    else lremovexattr(terminated(target), terminated(name));
  };
  const fillTimes = (atimeNs: bigint, mtimeNs: bigint): Buffer => {
    writeTimespec(timespecs, 0, atimeNs);
    writeTimespec(timespecs, 2, mtimeNs);
    return times;
  };
  const seek = (fd: number, offset: number, whence: number): number | null => {
    try {
      return lseek(fd, offset, whence);
    } catch (error) {
      if (errorCode(error) === 'ENXIO') return null;
      throw error;
    }
  };
  return {
    listXattrs,
    getXattr,
    setXattr,
    removeXattr,
    setTimesFd: (fd, atimeNs, mtimeNs) => {
      if (futimensItself(fd, fillTimes(atimeNs, mtimeNs)) !== 0) throw systemError(koffi.errno(), 'futimens');
    },
    setTimes: (path, atimeNs, mtimeNs) =>
      void utimensat(AT_FDCWD, terminated(path), fillTimes(atimeNs, mtimeNs), AT_SYMLINK_NOFOLLOW),
    makeNode: (path, mode, major, minor) => void mknod(terminated(path), mode, deviceNumber(major, minor)),
    seekData: (fd, offset) => seek(fd, offset, SEEK_DATA),
    seekHole: (fd, offset) => seek(fd, offset, SEEK_HOLE),
    punchHole: (fd, offset, length) => void fallocate(fd, PUNCH_HOLE_KEEP_SIZE, offset, length),
  };
}

function terminated(bytes: ByteString): Buffer {
  return Buffer.from(`${bytes}\0`, 'latin1');
}

const NS_PER_SECOND = 1_000_000_000n;

/** By one division; the calls of Node that write into a buffer would make ten big numbers more, for each file. */
function writeTimespec(into: BigInt64Array, at: number, ns: bigint): void {
  const seconds = ns / NS_PER_SECOND;
  const rest = ns - seconds * NS_PER_SECOND;
  // Before 1970 the nanoseconds still count forward from a whole second.
  into[at] = rest < 0n ? seconds - 1n : seconds;
  into[at + 1] = rest < 0n ? rest + NS_PER_SECOND : rest;
}

/** The 64-bit dev_t of Linux. */
export function deviceNumber(major: number, minor: number): bigint {
  const high = BigInt(major);
  const low = BigInt(minor);
  return (low & 0xffn) | ((high & 0xfffn) << 8n) | ((low & ~0xffn) << 12n) | ((high & ~0xfffn) << 32n);
}

/** Major and minor of a dev_t as lstat gives it. */
export function deviceParts(rdev: bigint): { readonly major: number; readonly minor: number } {
  return {
    major: Number(((rdev >> 8n) & 0xfffn) | ((rdev >> 32n) & ~0xfffn)),
    minor: Number((rdev & 0xffn) | ((rdev >> 12n) & ~0xffn)),
  };
}

/** As Node makes it. */
export function systemError(errno: number, syscall: string): Error {
  const code = errno > 0 ? getSystemErrorName(-errno) : 'EIO';
  return Object.assign(new Error(`${code}: ${syscall}`), { code, errno: -errno, syscall });
}

/** The `code` of a system error, or an empty string. */
export function errorCode(error: unknown): string {
  if (error === null || typeof error !== 'object' || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** True when the code is known to this system; used to tell errors of the system from bugs. */
export function isSystemCode(code: string): boolean {
  return code in constants.errno;
}
