import fs from 'node:fs';
import { readFullySync } from '../../platform/files.ts';

/** The bytes of a file of a copy as they were before a cipher of the whole file, at any place. */
export interface ByteSource {
  readonly size: number;
  /** Reads until the buffer is full or the bytes end; answers how many. Throws what the disk says, and `corrupt` for bytes that are not what was sealed. */
  read(into: Buffer, offset: number): number;
  close(): void;
}

/** A file as it lies on the disk. Throws the error of the system when it cannot be opened. */
export function openFileSource(file: string): ByteSource {
  const fd = fs.openSync(file, 'r');
  return {
    get size() {
      return fs.fstatSync(fd).size;
    },
    read: (into, offset) => readFullySync(fd, into, offset),
    close: () => fs.closeSync(fd),
  };
}
