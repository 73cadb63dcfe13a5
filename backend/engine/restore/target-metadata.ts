import fs from 'node:fs';
import { atCalls } from '../../platform/at-calls.ts';
import { type ByteString, fromDisplay, fsPath, toDisplay } from '../../platform/byte-path.ts';
import { errorCode } from '../../platform/native.ts';
import type { Entry } from '../archive/entry.ts';
import type { ManifestHeader } from '../archive/manifest-format.ts';
import { nativeCalls } from '../backup/source-item.ts';
import { readOwnerIds } from '../owner-ids.ts';

/** Tells what could not be set on an item. */
export type Complain = (code: string, reason: string) => void;

const SETUID_BITS = 0o6000;
const PERMISSION_BITS = 0o7777;
/** Nobody else gets at what has not yet its own owner and permissions. */
const CLOSED_MODE = 0o600;

/** Puts owner, extended attributes, mode and times on what was restored, in the order in which they last. */
export class TargetMetadata {
  readonly #users: ReadonlyMap<number, number>;
  readonly #groups: ReadonlyMap<number, number>;
  readonly #ownUid = process.getuid?.();
  readonly #ownGid = process.getgid?.();
  readonly #isRoot = this.#ownUid === 0;
  /** As it comes about. */
  readonly #isOwnerLeft: boolean;

  /** `ownerIsSelf`: owners are left as they come about, unless this process is root and can set them. */
  constructor(
    header: ManifestHeader,
    { numericOwner, ownerIsSelf }: { readonly numericOwner: boolean; readonly ownerIsSelf: boolean },
  ) {
    this.#users = numericOwner ? new Map() : idsByName(header.users, '/etc/passwd');
    this.#groups = numericOwner ? new Map() : idsByName(header.groups, '/etc/group');
    this.#isOwnerLeft = ownerIsSelf && !this.#isRoot;
  }

  /**
   * With which permissions a file is best made: its own where it gets the owner of this process anyway, since `toOpen` has
   * only its time to set then. Not where extended attributes belong to it, an ACL among them may allow less.
   */
  modeToMake(entry: Entry): number {
    const isOpenAtOnce = entry.xattrNames.length === 0 && (entry.mode & ~0o777) === 0 && this.#isOwn(entry);
    return isOpenAtOnce ? entry.mode : CLOSED_MODE;
  }

  /** `fd`: an open file or folder. */
  toOpen(fd: number, entry: Entry, xattrs: ReadonlyMap<ByteString, Buffer>, complain: Complain): void {
    if (!this.#isSoAlready(fd, entry)) this.#toOpenFacts(fd, entry, xattrs, complain);
    attempt(complain, 'its modification time could not be set', () => setTimes(fd, entry.mtimeNs));
  }

  /** Looked at, not reckoned: umask, the folder's set-gid bit and its default ACL have their say when a file is made. */
  #isSoAlready(fd: number, entry: Entry): boolean {
    if (entry.xattrNames.length > 0 || !this.#isOwn(entry)) return false;
    const { mode, uid, gid } = atCalls().lookAtOpen(fd);
    if ((mode & PERMISSION_BITS) !== entry.mode) return false;
    return this.#isOwnerLeft || (uid === this.#uidOf(entry) && gid === this.#gidOf(entry));
  }

  #toOpenFacts(fd: number, entry: Entry, xattrs: ReadonlyMap<ByteString, Buffer>, complain: Complain): void {
    const isOwned = attempt(complain, 'its owner could not be set', () =>
      this.#chown(entry, (u, g) => fs.fchownSync(fd, u, g)),
    );
    setXattrs(fd, xattrs, complain);
    const mode = this.#safeMode(entry, isOwned, complain);
    attempt(complain, 'its permissions could not be set', () => fs.fchmodSync(fd, mode));
  }

  /** A link, FIFO or device node, by its path; nothing is followed. */
  toPath(call: ByteString, entry: Entry, xattrs: ReadonlyMap<ByteString, Buffer>, complain: Complain): void {
    const path = fsPath(call);
    const isOwned = attempt(complain, 'its owner could not be set', () =>
      this.#chown(entry, (u, g) => fs.lchownSync(path, u, g)),
    );
    setXattrs(call, xattrs, complain);
    if (entry.type !== 'l') {
      const mode = this.#safeMode(entry, isOwned, complain);
      attempt(complain, 'its permissions could not be set', () => chmodItself(path, mode));
    }
    attempt(complain, 'its modification time could not be set', () => setTimes(call, entry.mtimeNs));
  }

  #chown(entry: Entry, change: (uid: number, gid: number) => void): void {
    if (this.#isOwnerLeft) return;
    change(this.#uidOf(entry), this.#gidOf(entry));
  }

  /** What this process makes gets the owner that it is to have. */
  #isOwn(entry: Entry): boolean {
    return this.#isOwnerLeft || (this.#uidOf(entry) === this.#ownUid && this.#gidOf(entry) === this.#ownGid);
  }

  #uidOf({ uid }: Entry): number {
    return this.#users.get(uid) ?? uid;
  }

  #gidOf({ gid }: Entry): number {
    return this.#groups.get(gid) ?? gid;
  }

  /** Whoever could not get the file its owner must not get the owner's rights by it either. */
  #safeMode(entry: Entry, isOwned: boolean, complain: Complain): number {
    if (isOwned || (entry.mode & SETUID_BITS) === 0 || entry.type === 'd') return entry.mode;
    complain('EPERM', 'its set-uid or set-gid bit was left out, since its owner could not be set');
    return entry.mode & ~SETUID_BITS;
  }
}

function setXattrs(
  target: number | ByteString,
  xattrs: ReadonlyMap<ByteString, Buffer>,
  complain: Complain,
): void {
  if (xattrs.size === 0) return;
  const calls = nativeCalls();
  if (calls === null) {
    complain('ENOSYS', 'its extended attributes cannot be set on this system');
    return;
  }
  for (const [name, value] of xattrs) {
    attempt(complain, `its extended attribute ${toDisplay(name)} could not be set`, () =>
      calls.setXattr(target, name, value),
    );
  }
}

const O_PATH = 0o10000000;

/** Of the item under this name and never of what a link would lead to. */
function chmodItself(path: string | Buffer, mode: number): void {
  const fd = fs.openSync(path, O_PATH | fs.constants.O_NOFOLLOW);
  try {
    fs.chmodSync(`/proc/self/fd/${fd}`, mode);
  } finally {
    fs.closeSync(fd);
  }
}

const NS_PER_SECOND = 1_000_000_000;

function setTimes(target: number | ByteString, mtimeNs: bigint): void {
  const calls = nativeCalls();
  if (calls !== null) {
    if (typeof target === 'number') calls.setTimesFd(target, mtimeNs, mtimeNs);
    else calls.setTimes(target, mtimeNs, mtimeNs);
    return;
  }
  const seconds = Number(mtimeNs) / NS_PER_SECOND;
  if (typeof target === 'number') fs.futimesSync(target, seconds, seconds);
  else fs.lutimesSync(fsPath(target), seconds, seconds);
}

function attempt(complain: Complain, reason: string, act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    const code = errorCode(error);
    complain(code, code === '' ? reason : `${reason} (${code})`);
    return false;
  }
}

/** From the numbers in the copy to the numbers that the same names have here. */
export function idsByName(
  names: Readonly<Record<string, string>>,
  file: string,
): ReadonlyMap<number, number> {
  const here = readOwnerIds(file);
  const ids = new Map<number, number>();
  for (const [id, name] of Object.entries(names)) {
    const own = here.get(fromDisplay(name));
    if (own !== undefined) ids.set(Number(id), own);
  }
  return ids;
}
