/** A version that the feed offers. */
export interface Release {
  readonly version: string;
  /** Name of the package beside the feed's file, if it says one that lies there. */
  readonly file: string | null;
}

const versionForm = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,40}))?(?:\+[0-9A-Za-z.-]{1,40})?$/;
const fileForm = /^[0-9A-Za-z][0-9A-Za-z._+-]{0,199}$/;

/** Name of the feed's file for this computer, as electron-builder's `generic` provider names it. */
export function feedFile(platform: string, arch: string): string {
  if (platform === 'win32') return 'latest.yml';
  if (platform === 'darwin') return 'latest-mac.yml';
  return arch === 'x64' ? 'latest-linux.yml' : `latest-linux-${arch}.yml`;
}

/**
 * What such a file names: of its YAML only the plain lines `version:` and `path:` are read, nothing else is needed. Null when it
 * names no version; a strange package name is left out.
 */
export function readRelease(text: string): Release | null {
  const version = lineOf(text, 'version');
  if (version === null || !versionForm.test(version)) return null;
  const file = lineOf(text, 'path');
  return { version, file: file !== null && fileForm.test(file) ? file : null };
}

function lineOf(text: string, name: string): string | null {
  for (const line of text.split('\n')) {
    if (!line.startsWith(`${name}:`)) continue;
    const value = line.slice(name.length + 1).trim();
    return /^(['"]).*\1$/.test(value) ? value.slice(1, -1) : value;
  }
  return null;
}

/** By Semantic Versioning, except that two versions before a release count as equal; what is no version is never newer. */
export function isNewer(version: string, than: string): boolean {
  const left = versionForm.exec(version);
  const right = versionForm.exec(than);
  if (left === null || right === null) return false;
  for (const part of [1, 2, 3]) {
    const step = Number(left[part]) - Number(right[part]);
    if (step !== 0) return step > 0;
  }
  return left[4] === undefined && right[4] !== undefined;
}
