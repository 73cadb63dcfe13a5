import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const MIB = 1_048_576;

/** A plain file in place of a device, in a folder of its own. */
export interface TestDevice {
  readonly folder: string;
  readonly path: string;
  readonly indexFile: string;
  readonly remove: () => void;
}

export function makeDevice(sizeBytes = 16 * MIB): TestDevice {
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-blocks-'));
  const path = join(folder, 'device.img');
  const fd = openSync(path, 'w');
  ftruncateSync(fd, sizeBytes);
  closeSync(fd);
  return {
    folder,
    path,
    indexFile: join(folder, 'device.index'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const made = new Map<string, Buffer>();

/** The block of a number: always the same bytes, unlike all others, and not to be compressed. */
export function blockOf(value: number, sizeBytes = 8192): Buffer {
  const known = made.get(`${value} ${sizeBytes}`);
  if (known !== undefined) return known;
  const block = Buffer.alloc(sizeBytes);
  let part = createHash('sha256').update(`block ${value}`).digest();
  for (let at = 0; at < sizeBytes; at += part.length) {
    part.copy(block, at);
    part = createHash('sha256').update(part).digest();
  }
  made.set(`${value} ${sizeBytes}`, block);
  return block;
}

export function hashOf(block: Buffer): Buffer {
  return createHash('sha256').update(block).digest();
}

export function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** Not in the same order each time, but the same for the same seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}
