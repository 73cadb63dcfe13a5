import { access, constants, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Where Debian and its kin put the programs of each major version. */
const versionsFolder = '/usr/lib/postgresql';
const otherFolders = ['/usr/local/pgsql/bin', '/usr/local/bin', '/usr/bin'];

/**
 * A program of PostgreSQL: of the version that is asked for, else the newest one that is installed (it can read from
 * older servers). Null when there is none.
 */
export async function findPostgresProgram(
  name: string,
  version: string | null = null,
): Promise<string | null> {
  const versions = (await readdir(versionsFolder).catch((): string[] => []))
    .filter((one) => /^\d+(\.\d+)?$/.test(one) && (version === null || one === version))
    .sort((left, right) => Number(right) - Number(left));
  const folders = [
    ...versions.map((one) => join(versionsFolder, one, 'bin')),
    ...(version === null ? otherFolders : []),
  ];
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
