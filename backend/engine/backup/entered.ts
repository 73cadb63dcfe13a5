import type { ByteString } from '../../platform/byte-path.ts';
import { OTHER_SUBVOLUME_INODE } from '../snapshot/subvolume.ts';
import { isMadeByKernel } from './kernel-file-systems.ts';
import type { Place } from './place.ts';

/** A folder as it is met in another one. */
export interface MetFolder {
  readonly name: ByteString;
  readonly device: bigint;
  readonly inode: bigint;
}

/**
 * Why nobody goes into this child of a folder that lies on `device`; null: it is entered. `isSnapshot`: what is walked is one, in which
 * other subvolumes are empty.
 */
export function whyNotEntered(
  place: Place,
  child: MetFolder,
  device: bigint,
  isSnapshot: boolean,
): 'kernel' | 'subvolume' | null {
  if (child.device !== device && isMadeByKernel(place.childCall(child.name))) return 'kernel';
  return isSnapshot && child.inode === OTHER_SUBVOLUME_INODE ? 'subvolume' : null;
}
