import type { ByteString } from '../../platform/byte-path.ts';
import type { Entry } from '../archive/entry.ts';
import { NO_XATTRS } from './item-writer.ts';

/** A folder in which a restore is at work, as one level of where it stands. */
export interface OpenFolder {
  readonly id: number;
  /** Its own row; null when that is damaged. */
  readonly entry: Entry | null;
  /** False: it could not be restored, so nothing below it is. */
  readonly isOpen: boolean;
  readonly path: ByteString;
  /** Null when they are damaged, which is told when they are set. */
  readonly xattrs: ReadonlyMap<ByteString, Buffer> | null;
  /** It is a level of the folder path and must be left. */
  readonly isEntered: boolean;
  /** It gets the mode, owner and times it had; a folder that was there and only leads to others keeps its own. */
  readonly takesFacts: boolean;
  /** This thread made it, so nothing is in it but what was restored. */
  readonly isNew: boolean;
  /** Not all of it is done by this thread now, so that the rest, with its facts, waits for the end. */
  isLeft: boolean;
}

/** One that could not be restored. */
export function closedFolder(id: number, path: ByteString): OpenFolder {
  return {
    id,
    entry: null,
    isOpen: false,
    path,
    xattrs: NO_XATTRS,
    isEntered: false,
    takesFacts: false,
    isNew: false,
    isLeft: false,
  };
}
