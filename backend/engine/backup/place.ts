import fs from 'node:fs';
import { atCalls, keyOfOpen } from '../../platform/at-calls.ts';
import type { ByteString } from '../../platform/byte-path.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
const FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
/** Descriptors kept on the way down; in a deeper tree the shallow ones are closed and found again when needed. */
const MOST_OPEN = 128;

/**
 * A folder on the way through the tree, reached from its parent's descriptor by one name and never through a link.
 * So whoever swaps a folder for a link meanwhile leads nobody out of the resource, and a path may be longer than
 * any path the system takes.
 */
export class Place {
  /** For people only. */
  readonly full: ByteString;
  /** Of the top: 0. */
  readonly depth: number;
  readonly #parent: Place | null;
  readonly #name: ByteString;
  readonly #open: Place[];
  #key = '';
  #fd: number | null = null;

  private constructor(full: ByteString, parent: Place | null, name: ByteString) {
    this.full = full;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.#parent = parent;
    this.#name = name;
    this.#open = parent === null ? [] : parent.#open;
    this.descriptor();
  }

  /** `call` is absolute and has no link in it; `full` is what people know it by. */
  static top(call: ByteString, full: ByteString): Place {
    return new Place(full, null, call);
  }

  /** How to name a child in a call. */
  childCall(name: ByteString): ByteString {
    return `/proc/self/fd/${this.descriptor()}/${name}`;
  }

  childFull(name: ByteString): ByteString {
    return this.full === '/' ? `/${name}` : `${this.full}/${name}`;
  }

  /** A child folder; to be closed after its own children are done, and whatever fails meanwhile: nobody else does. */
  enter(name: ByteString): Place {
    return new Place(this.childFull(name), this, name);
  }

  close(): void {
    if (this.#fd !== null) atCalls().close(this.#fd);
    this.#fd = null;
    const at = this.#open.indexOf(this);
    if (at >= 0) this.#open.splice(at, 1);
  }

  /** Names of the children in the order of their bytes. */
  names(): readonly ByteString[] {
    return atCalls().names(this.descriptor());
  }

  /** As its folder lists it; of the top its path. */
  get name(): ByteString {
    return this.#name;
  }

  /** Device and inode, by which it is the same folder for whoever else has entered it. */
  get key(): string {
    return this.#key;
  }

  /** Of the folder; valid until another one is entered. */
  descriptor(): number {
    if (this.#fd !== null) return this.#fd;
    const call = this.#parent === null ? this.#name : this.#parent.childCall(this.#name);
    const fd = atCalls().open(call, FOLDER_FLAGS, 0);
    const key = keyOrClosed(fd);
    if (this.#key !== '' && this.#key !== key) {
      atCalls().close(fd);
      throw Object.assign(new Error('the folder was replaced while it was being read'), { code: 'ESTALE' });
    }
    this.#key = key;
    this.#fd = fd;
    this.#open.push(this);
    this.#closeSurplus();
    return fd;
  }

  #closeSurplus(): void {
    while (this.#open.length > MOST_OPEN) {
      const oldest = this.#open.shift();
      if (oldest === undefined || oldest.#fd === null) continue;
      atCalls().close(oldest.#fd);
      oldest.#fd = null;
    }
  }
}

/** Closes what cannot be looked at. */
function keyOrClosed(fd: number): string {
  try {
    return keyOfOpen(fd);
  } catch (error) {
    atCalls().close(fd);
    throw error;
  }
}
