import fs from 'node:fs';
import { type ByteString, fsPath, toDisplay } from '../../platform/byte-path.ts';
import { nativeState } from '../../platform/native.ts';
import type { Entry } from '../archive/entry.ts';
import { type ItemStat, lstatItem, readXattrs } from '../backup/source-item.ts';

export interface Difference {
  readonly reason: string;
  /** It is not the copy's fault: the scratch space or the rights of this server do not allow the right value. */
  readonly isExcused: boolean;
}

/** From the numbers of owners in the copy to those that the same names have here. */
export interface OwnerIds {
  readonly users: ReadonlyMap<number, number>;
  readonly groups: ReadonlyMap<number, number>;
}

const SETUID_BITS = 0o6000;

/**
 * Mode, time, owner and extended attributes of a restored file beside those of the file list. What differs is set
 * once more: where the system does not take it, nobody could have restored it here, and that is no fault of the copy.
 */
export function metadataDifferences(
  file: ByteString,
  entry: Entry,
  xattrs: ReadonlyMap<ByteString, Buffer>,
  owners: OwnerIds,
): readonly Difference[] {
  const found: Difference[] = [];
  const note = (reason: string, isExcused: boolean) => found.push({ reason, isExcused });
  const path = fsPath(file);
  const stat = lstatItem(file);
  const uid = owners.users.get(entry.uid) ?? entry.uid;
  const gid = owners.groups.get(entry.gid) ?? entry.gid;
  let isOwned = true;
  if (stat.uid !== uid || stat.gid !== gid) {
    const isTaken = takes(
      file,
      () => fs.lchownSync(path, uid, gid),
      (now) => now.uid === uid && now.gid === gid,
    );
    isOwned = isTaken;
    note(`its owner is ${stat.uid}:${stat.gid} where it was ${uid}:${gid}`, !isTaken);
  }
  for (const { name, reason } of wrongXattrs(file, xattrs)) {
    note(reason, !takesXattr(file, name, xattrs.get(name) ?? null));
  }
  // Whoever could not get the file its owner must not give away the owner's rights either.
  const mode = isOwned ? entry.mode : entry.mode & ~SETUID_BITS;
  if (stat.mode !== mode) {
    const isTaken = takes(
      file,
      () => fs.chmodSync(path, mode),
      (now) => now.mode === mode,
    );
    note(`its permissions are ${octal(stat.mode)} where they were ${octal(mode)}`, !isTaken);
  }
  if (stat.mtimeNs !== entry.mtimeNs) {
    const isTaken = takes(
      file,
      () => setTime(file, entry.mtimeNs),
      (now) => now.mtimeNs === entry.mtimeNs,
    );
    note(`its modification time is ${timeOf(stat.mtimeNs)} where it was ${timeOf(entry.mtimeNs)}`, !isTaken);
  }
  return found;
}

/** Whether the system lets this be set, and keeps it. */
function takes(file: ByteString, set: () => void, holds: (now: ItemStat) => boolean): boolean {
  try {
    set();
    return holds(lstatItem(file));
  } catch {
    // Whatever the reason is (rights, a file system without such things): it cannot be had here.
    return false;
  }
}

function takesXattr(file: ByteString, name: ByteString, value: Buffer | null): boolean {
  const state = nativeState();
  if (!state.available) return false;
  try {
    if (value === null) state.calls.removeXattr(file, name);
    else state.calls.setXattr(file, name, value);
    return true;
  } catch {
    // As above.
    return false;
  }
}

function wrongXattrs(
  file: ByteString,
  expected: ReadonlyMap<ByteString, Buffer>,
): readonly { readonly name: ByteString; readonly reason: string }[] {
  const found = new Map(readXattrs(file).xattrs.map(({ name, value }) => [name, value]));
  const wrong: { name: ByteString; reason: string }[] = [];
  for (const [name, value] of expected) {
    const now = found.get(name);
    const shown = toDisplay(name);
    if (now === undefined) wrong.push({ name, reason: `its extended attribute ${shown} is missing` });
    else if (!now.equals(value)) {
      wrong.push({ name, reason: `its extended attribute ${shown} has another value` });
    }
  }
  for (const name of found.keys()) {
    // Others (labels of the system) come with the place where a file lies.
    if (expected.has(name) || !name.startsWith('user.')) continue;
    wrong.push({ name, reason: `it has the extended attribute ${toDisplay(name)}, which was not backed up` });
  }
  return wrong;
}

const NS_PER_SECOND = 1_000_000_000;

function setTime(file: ByteString, mtimeNs: bigint): void {
  const state = nativeState();
  if (state.available) state.calls.setTimes(file, mtimeNs, mtimeNs);
  else fs.lutimesSync(fsPath(file), Number(mtimeNs) / NS_PER_SECOND, Number(mtimeNs) / NS_PER_SECOND);
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');

function timeOf(ns: bigint): string {
  const seconds = ns / 1_000_000_000n;
  const rest = (ns % 1_000_000_000n).toString().padStart(9, '0');
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${rest} UTC`;
}
