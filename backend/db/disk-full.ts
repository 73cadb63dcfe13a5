/** SQLite's code, the operating system's and PostgreSQL's: nothing more can be saved, until there is room again. */
export function isDiskFull(error: unknown): boolean {
  const { errcode, code } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  return errcode === 13 || code === 'ENOSPC' || code === 'EDQUOT' || code === '53100';
}

export const diskFull =
  'The server cannot save anything: the disk with its data directory or database is full. Free some space there, then try again.';
