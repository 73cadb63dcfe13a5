import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pieceSums } from '../../../../backend/engine/tape/piece-sums.ts';

const abc = Buffer.from('abc');
const def = Buffer.from('def');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The test vector of the algorithm's authors: BLAKE3 of "abc". */
const blake3OfAbc = '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85';

describe('the hashes of a file on tape', () => {
  it('are BLAKE3 of each piece, and of the pieces’ hashes for the whole', () => {
    const sums = pieceSums(3);
    sums.begin();
    for (const byte of ['a', 'b', 'c']) sums.update(Buffer.from(byte));
    expect(sums.end()).toBe(blake3OfAbc);
    const hashOfHash = pieceSums(3);
    hashOfHash.begin();
    hashOfHash.update(Buffer.from(blake3OfAbc, 'hex'));
    expect(sums.whole()).toBe(hashOfHash.end());
  });

  it.each([1, 2] as const)('of version %d are SHA-256 of each piece and of all bytes', (version) => {
    const sums = pieceSums(version);
    sums.begin();
    sums.update(abc);
    expect(sums.end()).toBe(sha256('abc'));
    sums.begin();
    sums.update(def);
    expect(sums.end()).toBe(sha256('def'));
    expect(sums.whole()).toBe(sha256('abcdef'));
  });

  it.each([1, 2, 3] as const)('of version %d: a piece that is not kept leaves no trace', (version) => {
    const told = (sums: ReturnType<typeof pieceSums>): readonly string[] => {
      sums.begin();
      sums.update(def);
      return [sums.end(), sums.whole()];
    };
    const sums = pieceSums(version);
    sums.begin();
    sums.update(abc);
    sums.end();
    const before = sums.copy();
    sums.begin();
    sums.update(Buffer.from('lost'));
    sums.end();
    const without = pieceSums(version);
    without.begin();
    without.update(abc);
    without.end();
    expect(told(before)).toEqual(told(without));
  });

  it.each([1, 2, 3] as const)(
    'of version %d: a piece without bytes, which is on no tape, changes nothing',
    (version) => {
      const [sums, without] = [pieceSums(version), pieceSums(version)];
      for (const data of [abc, Buffer.alloc(0), def]) {
        sums.begin();
        sums.update(data);
        sums.end();
        if (data.length === 0) continue;
        without.begin();
        without.update(data);
        without.end();
      }
      expect(sums.whole()).toBe(without.whole());
    },
  );

  it('see memory that threads share', () => {
    const shared = Buffer.from(new SharedArrayBuffer(3));
    shared.set(abc);
    const sums = pieceSums(3);
    sums.begin();
    sums.update(shared);
    expect(sums.end()).toBe(blake3OfAbc);
  });
});
