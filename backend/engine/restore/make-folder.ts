import fs from 'node:fs';
import { atCalls } from '../../platform/at-calls.ts';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';
import { errorCode } from '../../platform/native.ts';
import { DeviceError } from '../device-error.ts';
import { lookAt } from './target-folders.ts';

const NEW_FOLDER_MODE = 0o700;

/**
 * True when the folder was made, false when it is there. `isInNew`: the one around it was made for this restore. `replaces`: what else is in its
 * place goes.
 */
export function makeFolder(call: ByteString, isInNew: boolean, replaces: boolean): boolean {
  if (isInNew && isMadeAtOnce(call)) return true;
  try {
    if (isFolderThere(call, replaces)) return false;
    atCalls().makeFolder(call, NEW_FOLDER_MODE);
    return true;
  } catch (error) {
    // Another thread was faster.
    if (lookAt(call)?.isDirectory()) return false;
    throw error;
  }
}

/** In a folder that was just made hardly anything is, so it is not looked for. False: something of the name is. */
function isMadeAtOnce(call: ByteString): boolean {
  try {
    atCalls().makeFolder(call, NEW_FOLDER_MODE);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** A link is never followed, nor taken away: it may lead to where data live. */
function isFolderThere(call: ByteString, replaces: boolean): boolean {
  const there = lookAt(call);
  if (there === null) return false;
  if (there.isDirectory()) return true;
  if (there.isSymbolicLink()) {
    throw new DeviceError('permission', 'a symbolic link is in its place, and links are not followed');
  }
  if (!replaces) throw new DeviceError('permanent', 'something else is in its place');
  fs.unlinkSync(fsPath(call));
  return false;
}
