import { execFileSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAgeFile, startAgeFile } from '../../../backend/engine/crypto/age-header.ts';
import { AgeSource, AgeWriter } from '../../../backend/engine/crypto/age-stream.ts';
import { BLOCK_SEAL_BYTES, BlockSeal } from '../../../backend/engine/crypto/block-seal.ts';
import { openFileSource } from '../../../backend/engine/crypto/byte-source.ts';
import { scriptedChaCha } from '../../../backend/engine/crypto/chacha.ts';
import {
  type ClientKey,
  clientKeyText,
  newClientKey,
  parseClientKey,
} from '../../../backend/engine/crypto/client-key.ts';
import { GcmSeal, SEAL_FRAME, SEAL_INDEX, SEAL_SEGMENT } from '../../../backend/engine/crypto/gcm.ts';
import type { Aead, AeadName } from '../../../backend/platform/aead.ts';
import { nodeAead, nodeMac } from '../../../backend/platform/node-aead.ts';
import { systemCrypto } from '../../../backend/platform/system-crypto.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

let folder: string;
let remove: () => Promise<void>;
let key: Extract<ClientKey, { cipher: 'age' }>;
let keyFile: string;

beforeAll(async () => {
  const temp = await makeTempDir('seals');
  folder = temp.path;
  remove = temp.remove;
  const made = await newClientKey('age');
  if (made.cipher !== 'age') throw new Error('not a key of age');
  key = made;
  keyFile = path.join(folder, 'identity');
  fs.writeFileSync(keyFile, clientKeyText(key));
});
afterAll(() => remove());

async function writeAge(name: string, plain: Uint8Array, step: number): Promise<string> {
  const file = path.join(folder, name);
  const parts: Uint8Array[] = [];
  const writer = new AgeWriter(await startAgeFile(key.recipient), (sealed) => parts.push(sealed.slice()));
  for (let at = 0; at < plain.length; at += step) writer.push(plain.subarray(at, at + step));
  writer.end();
  fs.writeFileSync(file, Buffer.concat(parts));
  return file;
}

async function openAge(file: string): Promise<AgeSource> {
  const source = openFileSource(file);
  const start = await openAgeFile(source, key.identity);
  if (start === null) throw new Error('the header does not open');
  return new AgeSource(source, start);
}

describe('a sealed piece', () => {
  const plain = randomBytes(300_000);
  const room = () => Buffer.alloc(plain.length + 16);
  const seal = new GcmSeal(randomBytes(32), 'copy');
  const into = room();
  const sealed = into.subarray(0, seal.seal(SEAL_FRAME, 7, plain, into));

  test('opens as what it is', () => {
    expect(seal.open(SEAL_FRAME, 7, sealed, room())?.equals(plain)).toBe(true);
  });

  test('opens neither in another place, nor as another kind, in another copy, changed or cut off', () => {
    expect(seal.open(SEAL_FRAME, 8, sealed, room())).toBeNull();
    for (const kind of [SEAL_SEGMENT, SEAL_INDEX]) expect(seal.open(kind, 7, sealed, room())).toBeNull();
    const key32 = randomBytes(32);
    const one = new GcmSeal(key32, 'one');
    const other = room();
    one.seal(SEAL_FRAME, 0, plain, other);
    expect(new GcmSeal(key32, 'one').open(SEAL_FRAME, 0, other, room())).not.toBeNull();
    expect(new GcmSeal(key32, 'two').open(SEAL_FRAME, 0, other, room())).toBeNull();
    expect(seal.open(SEAL_FRAME, 7, sealed.subarray(0, -1), room())).toBeNull();
    expect(seal.open(SEAL_FRAME, 7, sealed.subarray(0, 3), room())).toBeNull();
    const changed = Buffer.from(sealed);
    changed[1000] = (changed[1000] ?? 0) ^ 1;
    expect(seal.open(SEAL_FRAME, 7, changed, room())).toBeNull();
  });
});

/** Bytes that wait for a collection when `work` was done so often, without the event loop between. */
function leftBy(times: number, work: () => void): number {
  work();
  const before = process.memoryUsage().arrayBuffers;
  for (let time = 0; time < times; time += 1) work();
  return process.memoryUsage().arrayBuffers - before;
}

describe('memory of what is sealed and opened is given back at once', () => {
  const plain = randomBytes(1_048_576);

  test('of the pieces of a file', () => {
    const seal = new GcmSeal(randomBytes(32), 'copy');
    const into = Buffer.alloc(plain.length + 16);
    const back = Buffer.alloc(plain.length);
    const left = leftBy(16, () => {
      const length = seal.seal(SEAL_FRAME, 7, plain, into);
      seal.open(SEAL_FRAME, 7, into.subarray(0, length), back);
    });
    expect(back.equals(plain)).toBe(true);
    expect(left).toBeLessThan(plain.length);
  });

  test('of blocks', () => {
    const seal = new BlockSeal(randomBytes(32), 'store', 32);
    const name = Buffer.alloc(32);
    seal.nameOf(plain, name);
    const into = Buffer.alloc(plain.length + BLOCK_SEAL_BYTES);
    const left = leftBy(16, () => {
      const sealed = into.subarray(0, seal.seal(name, 0, plain, into));
      expect(seal.isSealed(name, sealed, 0, plain)).toBe(true);
    });
    expect(left).toBeLessThan(plain.length);
    into[1000] = (into[1000] ?? 0) ^ 1;
    expect(seal.isSealed(name, into, 0, plain)).toBe(false);
  });
});

test('each sealing of a block has a salt of its own, and opens to its content and encoding', () => {
  const seal = new BlockSeal(randomBytes(32), 'store', 32);
  const name = randomBytes(32);
  const salts = new Set<string>();
  for (let time = 0; time < 1000; time += 1) {
    const content = randomBytes(time % 90);
    const into = Buffer.alloc(content.length + BLOCK_SEAL_BYTES);
    const sealed = into.subarray(0, seal.seal(name, time % 3, content, into));
    salts.add(sealed.toString('hex', 0, 16));
    expect(seal.open(name, sealed)).toEqual({ encoding: time % 3, content });
  }
  expect(salts.size).toBe(1000);
});

describe('ciphers that stand in for each other', () => {
  const system = systemCrypto();
  const ways: Readonly<Record<AeadName, Readonly<Record<string, Aead | null | undefined>>>> = {
    'aes-256-gcm': { system: system?.aeads['aes-256-gcm'], runtime: nodeAead('aes-256-gcm') },
    'chacha20-poly1305': {
      system: system?.aeads['chacha20-poly1305'],
      runtime: nodeAead('chacha20-poly1305'),
      script: scriptedChaCha,
    },
  };

  test('are there: the library of the system too, where there is glibc', () => {
    expect(
      Object.values(ways)
        .flatMap((of) => Object.values(of))
        .filter((way) => !way),
    ).toEqual([]);
  });

  describe.each(Object.entries(ways))('%s', (_name, of) => {
    const all = Object.values(of) as Aead[];

    test.each([0, 1, 15, 16, 17, 63, 64, 65_536, 131_073, 300_000])('%i bytes are the same', (length) => {
      const [key32, nonce, plain] = [randomBytes(32), randomBytes(12), randomBytes(length)];
      for (const bound of [Buffer.alloc(0), randomBytes(1), randomBytes(80)]) {
        const made = all.map((way) => {
          const into = Buffer.alloc(length + 16);
          expect(way.seal(key32, nonce, bound, plain, into)).toBe(into.length);
          return into;
        });
        for (const sealed of made) expect(sealed.equals(made[0] ?? plain)).toBe(true);
        for (const way of all) {
          const into = Buffer.alloc(length);
          expect(way.open(key32, nonce, bound, made[0] ?? plain, into)).toBe(true);
          expect(into.equals(plain)).toBe(true);
        }
      }
    });

    test('open nothing but what was sealed so', () => {
      const [key32, nonce, bound, plain] = [32, 12, 20, 1000].map((bytes) => randomBytes(bytes)) as Four;
      for (const way of all) {
        const sealed = Buffer.alloc(plain.length + 16);
        const into = Buffer.alloc(plain.length);
        way.seal(key32, nonce, bound, plain, sealed);
        const opens = (...[k, n, b, s]: Four) => way.open(k, n, b, s, into);
        for (const at of [0, 500, 999, 1000, 1015]) {
          expect(opens(key32, nonce, bound, flipped(sealed, at))).toBe(false);
        }
        expect(opens(flipped(key32, 31), nonce, bound, sealed)).toBe(false);
        expect(opens(key32, flipped(nonce, 11), bound, sealed)).toBe(false);
        expect(opens(key32, nonce, flipped(bound, 19), sealed)).toBe(false);
        expect(opens(key32, nonce, Buffer.alloc(0), sealed)).toBe(false);
        expect(opens(key32, nonce, bound, sealed.subarray(0, -1))).toBe(false);
        expect(opens(key32, nonce, bound, sealed.subarray(0, 15))).toBe(false);
        expect(opens(key32, nonce, bound, Buffer.alloc(0))).toBe(false);
        // What failed leaves nothing behind that the next one would meet.
        expect(opens(key32, nonce, bound, sealed)).toBe(true);
        expect(into.equals(plain)).toBe(true);
      }
    });
  });

  test('the library of the system gets no wrong lengths, since it would read and write what lies behind', () => {
    const way = ways['aes-256-gcm'].system;
    const [key32, nonce, none, plain] = [32, 12, 0, 100].map((bytes) => Buffer.alloc(bytes)) as Four;
    const room = Buffer.alloc(116);
    expect(() => way?.seal(key32.subarray(1), nonce, none, plain, room)).toThrow(/wrong length/);
    expect(() => way?.seal(key32, nonce.subarray(1), none, plain, room)).toThrow(/wrong length/);
    expect(() => way?.seal(key32, nonce, none, plain, room.subarray(1))).toThrow(/no room/);
    expect(() => way?.open(key32, nonce, none, room, plain.subarray(1))).toThrow(/no room/);
    expect(() => system?.mac(key32, plain, room.subarray(0, 31))).toThrow(/no room/);
  });

  test('codes are the same, whichever key was the last', () => {
    const keys = [randomBytes(32), randomBytes(32), randomBytes(64), randomBytes(100)];
    for (const length of [0, 1, 48, 64, 1000]) {
      for (const each of [...keys, ...keys.slice(0, 2)].flatMap((one) => [one, one])) {
        const message = randomBytes(length);
        const wanted = createHmac('sha256', each).update(message).digest();
        for (const way of [system?.mac, nodeMac]) {
          const into = Buffer.alloc(32);
          way?.(each, message, into);
          expect(into.equals(wanted)).toBe(true);
        }
      }
    }
  });
});

type Four = [Buffer, Buffer, Buffer, Buffer];

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

describe.each([0, 1, 65_535, 65_536, 65_537, 131_072, 300_001])('an age file of %i bytes', (length) => {
  const plain = randomBytes(length);

  test('is opened by the age program', async () => {
    const file = await writeAge(`w${length}`, plain, 10_007);
    const out = execFileSync('age', ['-d', '-i', keyFile, file], { maxBuffer: 1_000_000 });
    expect(out.equals(plain)).toBe(true);
  });

  test('of the age program is read at any place', async () => {
    const file = path.join(folder, `r${length}`);
    fs.writeFileSync(
      file,
      execFileSync('age', ['-r', key.recipient], { input: plain, maxBuffer: 1_000_000 }),
    );
    const source = await openAge(file);
    expect(source.size).toBe(length);
    for (const [from, count] of [
      [0, length],
      [65_530, 20],
      [length - 1, 1],
      [Math.floor(length / 3), 70_000],
    ] as const) {
      if (from < 0) continue;
      const into = Buffer.alloc(count);
      const read = source.read(into, from);
      expect(into.subarray(0, read).equals(plain.subarray(from, from + count)), `${from}`).toBe(true);
    }
    source.close();
  });
});

test('pieces of an age file that are swapped, or cut off at their border, are found', async () => {
  const file = await writeAge('swap', randomBytes(200_000), 200_000);
  const bytes = fs.readFileSync(file);
  const sealedChunk = 65_536 + 16;
  const begin = bytes.length - 3 * sealedChunk - (200_000 - 3 * 65_536 + 16);
  const chunk = (index: number) =>
    bytes.subarray(begin + index * sealedChunk, begin + (index + 1) * sealedChunk);
  const changed = {
    swapped: Buffer.concat([bytes.subarray(0, begin), chunk(1), chunk(0), chunk(2), chunk(3)]),
    'cut off': bytes.subarray(0, begin + 2 * sealedChunk),
  };
  for (const [name, content] of Object.entries(changed)) {
    fs.writeFileSync(file, content);
    const source = await openAge(file);
    expect(() => source.read(Buffer.alloc(source.size), 0), name).toThrow(/not what was written/);
    source.close();
  }
});

test('the text of a key gives the same key; a text that was changed or cut off gives none', async () => {
  const aes = await newClientKey('aes-256-gcm');
  for (const made of [aes, key]) {
    const text = clientKeyText(made);
    expect(await parseClientKey(made.cipher, text)).toEqual(made);
    expect(await parseClientKey(made.cipher, text.slice(0, -3))).toBeNull();
    const last = text.at(-2);
    const changed = `${text.slice(0, -2)}${last === '0' ? '1' : '0'}\n`;
    expect(await parseClientKey(made.cipher, changed)).toBeNull();
  }
});
