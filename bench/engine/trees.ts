import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createRandom, randomBytes, textLike } from '../support/random.ts';

const MIB = 1024 * 1024;

export const trees = {
  a: { title: 'many small files (text-like, 1 to 32 KiB)', build: buildSmallFiles },
  b: { title: 'mixed sizes, half of it incompressible', build: buildMixed },
  c: { title: 'one large image: random, zero and repeated parts', build: buildImage },
} as const;
export type TreeName = keyof typeof trees;

/** `scale` 1 is 100,000 files. */
function buildSmallFiles(folder: string, scale: number): void {
  const random = createRandom(1);
  const text = textLike(4 * MIB, 2);
  const count = Math.max(10, Math.round(100_000 * scale));
  for (let i = 0; i < count; i += 1) {
    const parent = join(folder, `d${Math.floor(i / 2500)}`, `e${Math.floor(i / 50)}`);
    if (i % 50 === 0) mkdirSync(parent, { recursive: true });
    const size = 1024 + random.below(17 * 1024 + (i % 7 === 0 ? 14 * 1024 : 0));
    const at = random.below(text.length - size);
    writeFileSync(join(parent, `file-${i}.txt`), text.subarray(at, at + size));
  }
}

/** `scale` 1 is about 2 GB in 20,000 files. */
function buildMixed(folder: string, scale: number): void {
  const random = createRandom(3);
  const text = textLike(8 * MIB, 4);
  const noise = randomBytes(8 * MIB, 5);
  const count = Math.max(10, Math.round(20_000 * scale));
  for (let i = 0; i < count; i += 1) {
    const parent = join(folder, `m${Math.floor(i / 100)}`);
    if (i % 100 === 0) mkdirSync(parent, { recursive: true });
    const limit = [4 * 1024, 64 * 1024, 256 * 1024, 700 * 1024][random.below(4)] ?? 1024;
    const size = 1 + random.below(limit);
    const from = random.below(2) === 0 ? text : noise;
    const at = random.below(from.length - size);
    writeFileSync(join(parent, `item-${i}`), from.subarray(at, at + size));
  }
}

/** `scale` 1 is one file of 2 GiB. */
function buildImage(folder: string, scale: number): void {
  const parts = Math.max(8, Math.round(2048 * scale));
  const repeated = randomBytes(MIB, 6);
  const fd = openSync(join(folder, 'disk.img'), 'w');
  try {
    for (let i = 0; i < parts; i += 1) {
      const kind = i % 4;
      if (kind < 2)
        writeSync(fd, kind === 0 ? randomBytes(MIB, 100 + i) : textLike(MIB, i + 1), 0, MIB, i * MIB);
      if (kind === 2) writeSync(fd, Buffer.alloc(MIB), 0, MIB, i * MIB);
      if (kind === 3) writeSync(fd, repeated, 0, MIB, i * MIB);
    }
    ftruncateSync(fd, parts * MIB);
  } finally {
    closeSync(fd);
  }
}

/** Appends to every hundredth file, to others at each `turn`; to the only one of a tree of one. */
export function changeSome(folder: string, turn: number): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => join(item.parentPath, item.name))
    .sort();
  const chosen = files.filter((_, index) => index % 100 === turn % Math.min(100, files.length));
  for (const file of chosen) appendFileSync(file, `line of turn ${turn}\n`);
}
