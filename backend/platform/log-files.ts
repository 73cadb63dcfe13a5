import { closeSync, fstatSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { LogSink } from './log.ts';
import { makeDirs } from './make-dirs.ts';

/** With the file in use: 5 files, 45 MB at most. */
const defaultFileBytes = 9_000_000;
const defaultOldFiles = 4;

export interface LogFiles {
  readonly sink: LogSink;
  close(): void;
}

/**
 * `<folder>/backend.log`, and `backend.1.log` (newest) to `backend.4.log` once it is full.
 *
 * Lines are written at once, so that the last words of a process that dies are there. A full or broken disk must
 * not stop a backup: lines that cannot be written are counted, and the count is told when writing works again.
 */
export function openLogFiles(
  folder: string,
  limits: { readonly fileBytes?: number; readonly oldFiles?: number } = {},
): LogFiles {
  const fileBytes = limits.fileBytes ?? defaultFileBytes;
  const oldFiles = limits.oldFiles ?? defaultOldFiles;
  const nameOf = (age: number): string => join(folder, age === 0 ? 'backend.log' : `backend.${age}.log`);
  const openFile = (): { readonly fd: number; sizeBytes: number } => {
    makeDirs(folder, 0o700);
    return openAppending(nameOf(0));
  };
  // Null after a failed rotation: the number of a closed file may be another file's by now, so it is forgotten first.
  let file: ReturnType<typeof openFile> | null = openFile();
  let lost = 0;

  const closeFile = (): void => {
    const open = file;
    file = null;
    if (open) closeSync(open.fd);
  };
  const rotate = (): void => {
    closeFile();
    removeIfThere(nameOf(oldFiles));
    for (let age = oldFiles - 1; age >= 0; age -= 1) renameIfThere(nameOf(age), nameOf(age + 1));
  };
  const append = (text: string): void => {
    const bytes = Buffer.from(text);
    if (file && file.sizeBytes > 0 && file.sizeBytes + bytes.byteLength > fileBytes) rotate();
    file ??= openFile();
    file.sizeBytes += writeSync(file.fd, bytes);
  };

  return {
    sink: (line) => {
      try {
        if (lost > 0) append(`{"level":"warn","message":"log lines were lost","count":${lost}}\n`);
        lost = 0;
        append(`${line}\n`);
      } catch {
        // Nothing can be said in the log about the log; the count is said later.
        lost += 1;
      }
    },
    close: closeFile,
  };
}

function openAppending(path: string): { readonly fd: number; sizeBytes: number } {
  const fd = openSync(path, 'a', 0o600);
  return { fd, sizeBytes: fstatSync(fd).size };
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
