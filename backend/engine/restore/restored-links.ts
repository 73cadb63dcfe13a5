import fs from 'node:fs';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';
import { errorCode, isSystemCode } from '../../platform/native.ts';
import { type FolderPath, lookAt } from './target-folders.ts';

interface FirstName {
  readonly folder: readonly ByteString[];
  readonly name: ByteString;
  readonly key: string;
}

/** Files with several names: where the first one is, so that the further ones become links to it. */
export class RestoredLinks {
  readonly #folders: FolderPath;
  readonly #firstNames = new Map<number, FirstName>();

  constructor(folders: FolderPath) {
    this.#folders = folders;
  }

  /** The file of this row has been brought back under this name of the current folder. */
  remember(ordinal: number, name: ByteString): void {
    const stat = lookAt(this.#folders.child(name));
    if (stat === null) return;
    this.#firstNames.set(ordinal, {
      folder: this.#folders.names(),
      name,
      key: `${stat.dev}:${stat.ino}`,
    });
  }

  /**
   * A further name for the file of a row. False where that file is not known or not there any more, or where the system
   * refuses (links not supported, too many of them): the data are written once more then.
   */
  link(ordinal: number, name: ByteString, isThere: boolean): boolean {
    const first = this.#firstNames.get(ordinal);
    if (first === undefined) return false;
    try {
      return this.#link(first, name, isThere);
    } catch (error) {
      const code = errorCode(error);
      if (!isSystemCode(code) || code === 'ENOSPC' || code === 'EDQUOT') throw error;
      return false;
    }
  }

  #link(first: FirstName, name: ByteString, isThere: boolean): boolean {
    return this.#folders.within(first.folder, (fd) => {
      const source = `/proc/self/fd/${fd}/${first.name}`;
      const stat = lookAt(source);
      if (stat === null || `${stat.dev}:${stat.ino}` !== first.key) return false;
      const target = this.#folders.child(name);
      if (!isThere) {
        fs.linkSync(fsPath(source), fsPath(target));
        return true;
      }
      const now = lookAt(target);
      if (now !== null && `${now.dev}:${now.ino}` === first.key) return true;
      const temporary = this.#folders.child(`.strongroom-link-${process.pid}.part`);
      if (lookAt(temporary) !== null) fs.unlinkSync(fsPath(temporary));
      fs.linkSync(fsPath(source), fsPath(temporary));
      fs.renameSync(fsPath(temporary), fsPath(target));
      return true;
    });
  }
}
