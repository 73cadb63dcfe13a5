import { readFile } from 'node:fs/promises';
import type { ByteString } from './byte-path.ts';
import { errorCode } from './native.ts';

export interface Mount {
  /** `major:minor` as the mount table has it, which is not always that of its files. */
  readonly device: string;
  readonly at: ByteString;
  /** Name of the kind of file system. */
  readonly type: string;
  /** Those of the file system, not of this mount. */
  readonly options: readonly string[];
}

/** What is mounted as this process sees it, later mounts after earlier ones; nothing where the system does not tell. */
export async function readMounts(): Promise<readonly Mount[]> {
  try {
    return mountsOf(await readFile('/proc/self/mountinfo', 'latin1'));
  } catch (error) {
    // Systems other than Linux have no such file.
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

export function mountsOf(mountinfo: ByteString): readonly Mount[] {
  return mountinfo
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const fields = line.split(' ');
      const [, , device = '', , at = ''] = fields;
      const [type = '', , options = ''] = fields.slice(fields.indexOf('-') + 1);
      return { device, at: unescapeOctal(at), type, options: options.split(',') };
    });
}

/** Blanks and the like in paths are written as octal numbers there. */
export function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
