import fs from 'node:fs';
import { keyOfOpen } from '../../platform/at-calls.ts';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';

/**
 * Folders of the target, always reached from an open descriptor one name at a time and never through a link. What
 * is named below is therefore inside the destination, whatever somebody puts there meanwhile.
 */
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
const FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
/** Descriptors kept open on the way down; a deeper tree opens and closes them as it goes. */
const MOST_OPEN = 128;

interface Level {
  readonly name: ByteString;
  readonly key: string;
  fd: number | null;
}

/** The way from the destination to the folder that is being filled. */
export class FolderPath {
  readonly #levels: Level[] = [];

  constructor(destinationFd: number) {
    this.#levels.push({ name: '', key: keyOfOpen(destinationFd), fd: destinationFd });
  }

  get depth(): number {
    return this.#levels.length;
  }

  /** How to name a child of the current folder in a call. */
  child(name: ByteString): ByteString {
    return `/proc/self/fd/${this.currentFd()}/${name}`;
  }

  currentFd(): number {
    return this.#open(this.#levels.length - 1);
  }

  /** Enters a child; it must be a folder and no link. */
  enter(name: ByteString): void {
    const fd = fs.openSync(fsPath(this.child(name)), FOLDER_FLAGS);
    this.#levels.push({ name, key: keyOfOpen(fd), fd });
    this.#closeSurplus();
  }

  leave(): void {
    const level = this.#levels.pop();
    if (level?.fd != null) fs.closeSync(level.fd);
  }

  currentKey(): string {
    return this.#levels.at(-1)?.key ?? '';
  }

  names(): readonly ByteString[] {
    return this.#levels.slice(1).map((level) => level.name);
  }

  /** Calls `use` with the descriptor of another folder below the destination, found name by name. */
  within<T>(names: readonly ByteString[], use: (fd: number) => T): T {
    let fd = fs.openSync(`/proc/self/fd/${this.#open(0)}`, O_RDONLY | O_DIRECTORY);
    try {
      for (const name of names) {
        const next = fs.openSync(fsPath(`/proc/self/fd/${fd}/${name}`), FOLDER_FLAGS);
        fs.closeSync(fd);
        fd = next;
      }
      return use(fd);
    } finally {
      fs.closeSync(fd);
    }
  }

  close(): void {
    while (this.#levels.length > 0) this.leave();
  }

  #open(at: number): number {
    const level = this.#levels[at];
    if (level === undefined) throw new Error('no such level');
    if (level.fd !== null) return level.fd;
    const fd = fs.openSync(fsPath(`/proc/self/fd/${this.#open(at - 1)}/${level.name}`), FOLDER_FLAGS);
    if (keyOfOpen(fd) !== level.key) {
      fs.closeSync(fd);
      throw Object.assign(new Error('the folder was replaced while it was being restored'), {
        code: 'ESTALE',
      });
    }
    level.fd = fd;
    return fd;
  }

  /** The destination itself stays open; of the others those nearest to it are closed first. */
  #closeSurplus(): void {
    let open = this.#levels.filter((level) => level.fd !== null).length;
    for (let at = 1; at < this.#levels.length - 1 && open > MOST_OPEN; at += 1) {
      const level = this.#levels[at];
      if (level === undefined || level.fd === null) continue;
      fs.closeSync(level.fd);
      level.fd = null;
      open -= 1;
    }
  }
}

/** Null when nothing is there. Never follows a link. */
export function lookAt(call: ByteString): fs.BigIntStats | null {
  // An error object for each new file would cost more than the call.
  return fs.lstatSync(fsPath(call), { bigint: true, throwIfNoEntry: false }) ?? null;
}
