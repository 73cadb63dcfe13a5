/**
 * True where a program lies in a folder of the system's package manager: a package from there replaces it, never a file that was
 * downloaded. `execPath`: that of the program.
 */
export function isOfPackageManager(execPath: string): boolean {
  return ['/usr/', '/opt/', '/nix/', '/snap/'].some((folder) => execPath.startsWith(folder));
}
