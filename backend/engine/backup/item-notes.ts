import { type ByteString, toDisplay } from '../../platform/byte-path.ts';
import { errorCode, isSystemCode } from '../../platform/native.ts';
import { errnoClass } from '../device-error.ts';
import { SkipItem } from './file-source.ts';
import type { SkippedOutput } from './row-output.ts';
import { readXattrs, type Xattr } from './source-item.ts';

/** The end of a longer path is what tells the items apart. */
const LONGEST_SHOWN_PATH = 16_384;
const KEPT_CHANGED = 1000;
/** What is to be told of items: those that are not in the copy, not completely, or a mixture. */
export class ItemNotes {
  readonly #skipped: SkippedOutput;
  /** The first ones. */
  readonly changed: string[] = [];
  changedCount = 0;

  constructor(skipped: SkippedOutput) {
    this.#skipped = skipped;
  }

  /** The extended attributes of an item; those that cannot be read are told. */
  xattrs(target: number | ByteString, full: ByteString): readonly Xattr[] {
    const { xattrs, lost } = readXattrs(target);
    for (const { name, code } of lost) {
      this.skip(full, new SkipItem(code, `its extended attribute ${toDisplay(name)} could not be read`));
    }
    return xattrs;
  }

  leaveOut(full: ByteString, reason: string): void {
    this.#skipped.add({ path: shown(full), code: '', class: 'rule', reason });
  }

  noteChanged(full: ByteString): void {
    this.changedCount += 1;
    if (this.changed.length < KEPT_CHANGED) this.changed.push(shown(full));
  }

  /** Only what the system said about this item is forgiven; a bug or a full storage ends the run. */
  skip(full: ByteString, error: unknown, isKept = false): void {
    const code = errorCode(error);
    if (!(error instanceof SkipItem) && !isSystemCode(code)) throw error;
    const what = error instanceof SkipItem ? error.message : `it could not be read (${code})`;
    const reason = isKept ? `${what}; what the copy before has of it is kept` : what;
    this.#skipped.add({ path: shown(full), code, class: errnoClass(code), reason });
  }
}

/** What is not there any more is deleted; what only cannot be read is not. */
export function isKeepable(error: unknown): boolean {
  const code = errorCode(error);
  if (error instanceof SkipItem) return code === 'ESTALE';
  return isSystemCode(code) && code !== 'ENOENT' && code !== 'ENOTDIR';
}

export function shown(full: ByteString): string {
  const text = toDisplay(full);
  return text.length > LONGEST_SHOWN_PATH ? `…${text.slice(-LONGEST_SHOWN_PATH)}` : text;
}
