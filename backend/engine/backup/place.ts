import fs from 'node:fs';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';

/** Longest path handed to the system; beyond it a folder is reached through an open descriptor. */
const LONGEST_CALL_PATH = 3000;

/**
 * A folder on the way through the tree. `call` is how the system is asked for it, `full` its real path, which can
 * be longer than any path the system takes.
 */
export class Place {
  readonly full: ByteString;
  readonly call: ByteString;
  readonly #fd: number | null;

  private constructor(full: ByteString, call: ByteString, fd: number | null) {
    this.full = full;
    this.call = call;
    this.#fd = fd;
  }

  static top(full: ByteString): Place {
    return new Place(full, full, null);
  }

  childCall(name: ByteString): ByteString {
    return this.call === '/' ? `/${name}` : `${this.call}/${name}`;
  }

  childFull(name: ByteString): ByteString {
    return this.full === '/' ? `/${name}` : `${this.full}/${name}`;
  }

  /** A child folder; to be closed after its own children are done. */
  enter(name: ByteString): Place {
    const call = this.childCall(name);
    if (call.length <= LONGEST_CALL_PATH) return new Place(this.childFull(name), call, null);
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
    const fd = fs.openSync(fsPath(call), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return new Place(this.childFull(name), `/proc/self/fd/${fd}`, fd);
  }

  close(): void {
    if (this.#fd !== null) fs.closeSync(this.#fd);
  }

  /** Names of the children in the order of their bytes. A folder that became a link meanwhile is refused. */
  names(): readonly ByteString[] {
    if (this.#fd !== null) return sorted(this.call);
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
    const fd = fs.openSync(fsPath(this.call), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      return sorted(process.platform === 'linux' ? `/proc/self/fd/${fd}` : this.call);
    } finally {
      fs.closeSync(fd);
    }
  }
}

function sorted(call: ByteString): readonly ByteString[] {
  return fs.readdirSync(fsPath(call), { encoding: 'latin1' }).sort();
}
