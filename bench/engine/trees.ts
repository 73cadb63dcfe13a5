import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createRandom, type Random, randomBytes } from '../support/random.ts';
import { textMaker } from '../support/text.ts';

const MIB = 1024 * 1024;

export const trees = {
  a: { title: 'many small files (text-like, 1 to 32 KiB)', build: buildSmallFiles },
  b: { title: 'a system: small files and large ones, links, folders', build: buildMixed },
  c: { title: 'one large image: random, zero and repeated parts', build: buildImage },
} as const;
export type TreeName = keyof typeof trees;

/** `scale` 1 is 100,000 files of 918 MB; of texts like these tar and zstd -3 leave 0.26, zstd of each file 0.41, lz4 of each 0.60. */
function buildSmallFiles(folder: string, scale: number): void {
  const random = createRandom(1);
  const text = textMaker(createRandom(2), { repeated: 500, common: 400 });
  const count = Math.max(10, Math.round(100_000 * scale));
  for (let i = 0; i < count; i += 1) {
    const parent = join(folder, `d${Math.floor(i / 2500)}`, `e${Math.floor(i / 50)}`);
    if (i % 50 === 0) mkdirSync(parent, { recursive: true });
    writeFileSync(join(parent, `file-${i}.txt`), text(smallSize(random)));
  }
}

/** 1 to 32 KiB, as many between 1 and 2 as between 16 and 32. */
export function smallSize(random: Random): number {
  return Math.round(1024 * 32 ** (random.below(1e6) / 1e6));
}

/**
 * `scale` 1 is 57,000 files of 2 GB in all and 3,000 links, in 6,700 folders, as the programs and libraries of a Linux system are: half of the
 * files are below 2 KB, every hundredth is beyond 200 KB, every 270th has megabytes, every twentieth item is a symbolic link. Of the
 * bytes tar and zstd -3 leave 0.39, zstd of each file 0.40, lz4 of each 0.53.
 */
function buildMixed(folder: string, scale: number): void {
  const random = createRandom(3);
  const text = textMaker(createRandom(4), { repeated: 700, common: 20 });
  const noise = noiseMaker();
  const count = Math.max(10, Math.round(60_000 * scale));
  for (let i = 0; i < count; i += 1) {
    const parent = join(
      folder,
      `m${Math.floor(i / 1000)}`,
      `n${Math.floor(i / 100)}`,
      `o${Math.floor(i / 10)}`,
    );
    if (i % 10 === 0) mkdirSync(parent, { recursive: true });
    const name = join(parent, `item-${i}`);
    if (i % 20 === 1) {
      symlinkSync(`item-${i - 1}`, name);
      continue;
    }
    const size = i % 270 === 2 ? MIB + random.below(8.5 * MIB) : usualSize(random);
    // Every tenth large one, so that their share is the same however few there are.
    const isNoise = i % 270 === 2 ? i % 2700 === 2 : random.below(100) < NOISE_PERCENT;
    writeFileSync(name, isNoise ? noise(size) : text(size));
  }
}

/** What is compressed already: pictures, archives, fonts. */
const NOISE_PERCENT = 10;

/** Runs of one long noise, in another order each time. */
function noiseMaker(): (sizeBytes: number) => Buffer {
  const random = createRandom(6);
  const from = randomBytes(12 * MIB, 5);
  return (sizeBytes) => {
    const bytes = Buffer.allocUnsafe(sizeBytes);
    for (let at = 0; at < sizeBytes; ) {
      const length = Math.min(sizeBytes - at, 1024 + random.below(3 * 1024));
      const start = random.below(from.length - length);
      from.copy(bytes, at, start, start + length);
      at += length;
    }
    return bytes;
  };
}

/** Bytes: half are below 2,000, a tenth is above 24,000. */
function usualSize(random: Random): number {
  const drawn = (limit: number) => (1 + random.below(limit)) / limit;
  const normal = Math.sqrt(-2 * Math.log(drawn(1e6))) * Math.cos(2 * Math.PI * drawn(1e6));
  return Math.min(4 * MIB, Math.round(2000 * Math.exp(1.94 * normal)));
}

/** `scale` 1 is one file of 2 GiB. */
function buildImage(folder: string, scale: number): void {
  const parts = Math.max(8, Math.round(2048 * scale));
  const repeated = randomBytes(MIB, 6);
  const text = textMaker(createRandom(7), { repeated: 500, common: 400 });
  const fd = openSync(join(folder, 'disk.img'), 'w');
  try {
    for (let i = 0; i < parts; i += 1) {
      const kind = i % 4;
      if (kind < 2) writeSync(fd, kind === 0 ? randomBytes(MIB, 100 + i) : text(MIB), 0, MIB, i * MIB);
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
