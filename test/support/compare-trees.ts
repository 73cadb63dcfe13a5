import fs from 'node:fs';
import { type ByteString, fsPath, toDisplay, utf8Bytes } from '../../backend/platform/byte-path.ts';
import { deviceParts, type NativeCalls, nativeState } from '../../backend/platform/native.ts';

/** Beyond this a folder is reached through an open descriptor, since no call takes a longer path. */
const LONGEST_CALL_PATH = 3000;
const CHUNK_BYTES = 1_048_576;
/** A file system may allocate more than was written, but not the holes of a large file. */
const ALLOCATION_SLACK_BYTES = 262_144;

interface Pair {
  readonly shown: string;
  readonly expected: ByteString;
  readonly actual: ByteString;
}

/**
 * All differences between two trees, as lines to read; empty when they are the same in names (as bytes), content,
 * kind, mode, owner, time of change in nanoseconds, links, extended attributes and ACLs, holes and device numbers.
 * `bySecond`: times of change need to be the same in seconds only, as archives without the file list have them.
 */
export function compareTrees(expected: string, actual: string, { bySecond = false } = {}): string[] {
  const comparison = new Comparison(bySecond ? 1_000_000_000n : 1n);
  comparison.item({ shown: '.', expected: utf8Bytes(expected), actual: utf8Bytes(actual) });
  comparison.linkGroups();
  return comparison.differences;
}

class Comparison {
  readonly differences: string[] = [];
  readonly #tickNs: bigint;
  readonly #native = calls();
  readonly #expectedLinks = new Map<string, string[]>();
  readonly #actualLinks = new Map<string, string[]>();

  constructor(tickNs: bigint) {
    this.#tickNs = tickNs;
  }

  item(pair: Pair): void {
    const expected = fs.lstatSync(fsPath(pair.expected), { bigint: true });
    const actual = lstat(pair.actual);
    if (actual === null) {
      this.#tell(pair, 'is missing');
      return;
    }
    if (kindOf(expected) !== kindOf(actual)) {
      this.#tell(pair, `is a ${kindOf(actual)}, not a ${kindOf(expected)}`);
      return;
    }
    this.#facts(pair, expected, actual);
    this.#xattrs(pair);
    if (expected.isFile()) this.#file(pair, expected, actual);
    if (expected.isSymbolicLink()) this.#same(pair, 'target', target(pair.expected), target(pair.actual));
    if (expected.isDirectory()) this.#folder(pair);
  }

  /** Names of one file in the expected tree must be names of one file in the other, and of no more. */
  linkGroups(): void {
    const shown = (groups: Map<string, string[]>) =>
      [...groups.values()].filter((group) => group.length > 1).map((group) => group.sort().join(' = '));
    const expected = new Set(shown(this.#expectedLinks));
    const actual = new Set(shown(this.#actualLinks));
    for (const group of expected) if (!actual.has(group)) this.differences.push(`not one file: ${group}`);
    for (const group of actual)
      if (!expected.has(group)) this.differences.push(`one file by mistake: ${group}`);
  }

  #facts(pair: Pair, expected: fs.BigIntStats, actual: fs.BigIntStats): void {
    // The mode of a symbolic link means nothing on Linux.
    if (!expected.isSymbolicLink()) {
      const mode = (stat: fs.BigIntStats) => (stat.mode & 0o7777n).toString(8);
      this.#same(pair, 'mode', mode(expected), mode(actual));
    }
    this.#same(pair, 'uid', expected.uid, actual.uid);
    this.#same(pair, 'gid', expected.gid, actual.gid);
    const ticks = ({ mtimeNs }: fs.BigIntStats) => mtimeNs - (mtimeNs % this.#tickNs);
    this.#same(pair, 'mtime', ticks(expected), ticks(actual));
    if (!expected.isCharacterDevice() && !expected.isBlockDevice()) return;
    const numbers = (stat: fs.BigIntStats) => Object.values(deviceParts(stat.rdev)).join(':');
    this.#same(pair, 'device', numbers(expected), numbers(actual));
  }

  #file(pair: Pair, expected: fs.BigIntStats, actual: fs.BigIntStats): void {
    remember(this.#expectedLinks, expected, pair.shown);
    remember(this.#actualLinks, actual, pair.shown);
    this.#same(pair, 'size', expected.size, actual.size);
    if (expected.size !== actual.size) return;
    const at = firstDifference(pair);
    if (at !== null) this.#tell(pair, `content differs at ${at}`);
    const allocated = (stat: fs.BigIntStats) => Number(stat.blocks) * 512;
    const isSparse = allocated(expected) < Number(expected.size);
    if (isSparse && allocated(actual) > allocated(expected) + ALLOCATION_SLACK_BYTES) {
      this.#tell(pair, `holes are filled: ${allocated(actual)} bytes for ${allocated(expected)}`);
    }
  }

  #folder(pair: Pair): void {
    const expected = names(pair.expected);
    const actual = new Set(names(pair.actual));
    const both = anchored(pair);
    for (const name of expected) {
      const shown = pair.shown === '.' ? toDisplay(name) : `${pair.shown}/${toDisplay(name)}`;
      actual.delete(name);
      this.item({ shown, expected: `${both.expected}/${name}`, actual: `${both.actual}/${name}` });
    }
    for (const name of actual) this.#tell(pair, `has ${toDisplay(name)} in addition`);
    both.close();
  }

  #xattrs(pair: Pair): void {
    if (this.#native === null) return;
    const expected = xattrs(this.#native, pair.expected);
    const actual = xattrs(this.#native, pair.actual);
    for (const name of new Set([...expected.keys(), ...actual.keys()])) {
      this.#same(pair, `attribute ${toDisplay(name)}`, expected.get(name), actual.get(name));
    }
  }

  #same(pair: Pair, what: string, expected: unknown, actual: unknown): void {
    if (expected !== actual) this.#tell(pair, `${what} is ${String(actual)}, not ${String(expected)}`);
  }

  #tell(pair: Pair, difference: string): void {
    this.differences.push(`${pair.shown.slice(-300)}: ${difference}`);
  }
}

function calls(): NativeCalls | null {
  const state = nativeState();
  return state.available ? state.calls : null;
}

function lstat(path: ByteString): fs.BigIntStats | null {
  return fs.lstatSync(fsPath(path), { bigint: true, throwIfNoEntry: false }) ?? null;
}

function kindOf(stat: fs.BigIntStats): string {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'folder';
  if (stat.isSymbolicLink()) return 'symbolic link';
  return `special file of kind ${(stat.mode & 0o170000n).toString(8)}`;
}

function target(path: ByteString): string {
  return fs.readlinkSync(fsPath(path), { encoding: 'latin1' });
}

function names(path: ByteString): readonly ByteString[] {
  return fs.readdirSync(fsPath(path), { encoding: 'latin1' }).sort();
}

function xattrs(native: NativeCalls, path: ByteString): ReadonlyMap<string, string> {
  const found = native
    .listXattrs(path)
    .map((name) => [name, native.getXattr(path, name).toString('hex')] as const);
  return new Map(found);
}

function remember(groups: Map<string, string[]>, stat: fs.BigIntStats, shown: string): void {
  if (stat.nlink < 2n) return;
  const key = `${stat.dev}:${stat.ino}`;
  groups.set(key, [...(groups.get(key) ?? []), shown]);
}

function anchored(pair: Pair): {
  readonly expected: string;
  readonly actual: string;
  readonly close: () => void;
} {
  if (Math.max(pair.expected.length, pair.actual.length) < LONGEST_CALL_PATH) {
    return { expected: pair.expected, actual: pair.actual, close: () => undefined };
  }
  const expected = fs.openSync(fsPath(pair.expected), fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  const actual = fs.openSync(fsPath(pair.actual), fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  const close = () => {
    fs.closeSync(expected);
    fs.closeSync(actual);
  };
  return { expected: `/proc/self/fd/${expected}`, actual: `/proc/self/fd/${actual}`, close };
}

function firstDifference(pair: Pair): number | null {
  const expected = fs.openSync(fsPath(pair.expected), 'r');
  const actual = fs.openSync(fsPath(pair.actual), 'r');
  const a = Buffer.alloc(CHUNK_BYTES);
  const b = Buffer.alloc(CHUNK_BYTES);
  try {
    for (let at = 0; ; ) {
      const count = fs.readSync(expected, a, 0, CHUNK_BYTES, at);
      const other = fs.readSync(actual, b, 0, CHUNK_BYTES, at);
      const part = a.subarray(0, count);
      if (!part.equals(b.subarray(0, other))) return at + part.findIndex((byte, index) => byte !== b[index]);
      if (count === 0) return null;
      at += count;
    }
  } finally {
    fs.closeSync(expected);
    fs.closeSync(actual);
  }
}
