import { expect, it } from 'vitest';
import { BlockBatch } from '../../../../backend/engine/blocks/block-batch.ts';
import { Control } from '../../../../backend/engine/job/control.ts';
import { Ring, type Slot } from '../../../../backend/engine/job/ring.ts';

const blockBytes = 1_048_576;
const hash = Buffer.alloc(32, 7);

function emptySlot(): Slot {
  return new Ring(Ring.memoryFor(1, blockBytes), 1, Control.create()).acquire(0);
}

it('blocks keep their order, whether they are known, new or found there', () => {
  const slot = emptySlot();
  const batch = BlockBatch.begin(slot, 9);
  batch.add(Buffer.from('first'));
  batch.addKnown(70_000, Buffer.alloc(64, 3).toString('base64'));
  batch.add(Buffer.from('third'));
  expect(slot).toMatchObject({ first: 9, second: 3, rawLength: 70_010 });
  expect([0, 1, 2].map((index) => batch.isToEncode(index))).toEqual([true, false, true]);
  expect(batch.bytesOf(2).toString()).toBe('third');
  batch.setHash(0, hash, 0, hash.length);
  batch.setKnown(0);
  batch.setHash(2, Buffer.concat([Buffer.alloc(5), hash]), 5, hash.length);
  batch.setNew(2, 'lz4', Buffer.from('3'));
  // As whoever takes the slot next sees it.
  const seen = BlockBatch.of(slot);
  expect([0, 1, 2].map((index) => seen.isNew(index))).toEqual([false, false, true]);
  expect([0, 1, 2].map((index) => seen.rawLengthOf(index))).toEqual([5, 70_000, 5]);
  expect([0, 1, 2].map((index) => seen.hashOf(index))).toEqual([hash, Buffer.alloc(64, 3), hash]);
  expect(seen.bytesOf(2).toString()).toBe('3');
  expect(seen.encodingOf(2)).toBe('lz4');
});

it('a slot that is used again holds nothing of what it held', () => {
  const slot = emptySlot();
  const before = BlockBatch.begin(slot, 0);
  before.add(Buffer.from('before'));
  before.setNew(0, 'zstd', Buffer.from('b'));
  const batch = BlockBatch.begin(slot, 1);
  expect(batch.count).toBe(0);
  batch.add(Buffer.from('after'));
  expect(batch.isToEncode(0)).toBe(true);
  expect(batch.bytesOf(0).toString()).toBe('after');
});

it('the largest block fits, and what has become longer than it lies over no other one', () => {
  const whole = BlockBatch.begin(emptySlot(), 0);
  expect(whole.hasRoom(blockBytes)).toBe(true);
  whole.add(Buffer.alloc(blockBytes, 1));
  expect(whole.hasRoom(1)).toBe(false);
  const sealed = Buffer.alloc(blockBytes + 64, 2);
  whole.setNew(0, 'sealed', sealed);
  expect(whole.bytesOf(0).equals(sealed)).toBe(true);
  const pair = BlockBatch.begin(emptySlot(), 0);
  pair.add(Buffer.from('one'));
  pair.add(Buffer.from('two'));
  pair.setNew(0, 'sealed', Buffer.alloc(3 + 64, 2));
  expect(pair.bytesOf(1).toString()).toBe('two');
});

it('takes so many blocks at most, and known ones of any length', () => {
  const batch = BlockBatch.begin(emptySlot(), 0);
  const fills = (): number => {
    for (; batch.hasRoom(0); ) batch.addKnown(blockBytes, hash.toString('base64'));
    return batch.count;
  };
  expect(fills()).toBe(256);
});

it('many known blocks are one entry with their lines', () => {
  const slot = emptySlot();
  const batch = BlockBatch.begin(slot, 5);
  const lines = Buffer.from('[70000,"AA=="]\n[2,"AQ=="]\n');
  batch.add(Buffer.from('before'));
  batch.addRun(lines, 2, 70_002);
  batch.add(Buffer.from('behind'));
  expect(slot).toMatchObject({ second: 3, rawLength: 70_014 });
  const seen = BlockBatch.of(slot);
  expect([0, 1, 2].map((index) => seen.isRun(index))).toEqual([false, true, false]);
  expect([0, 1, 2].map((index) => seen.isToEncode(index))).toEqual([true, false, true]);
  expect(seen.isNew(1)).toBe(false);
  expect(seen.bytesOf(1).equals(lines)).toBe(true);
  expect([seen.runCountOf(1), seen.rawLengthOf(1)]).toEqual([2, 70_002]);
  expect(seen.bytesOf(2).toString()).toBe('behind');
});

it('takes no more of the tar stream by runs than its figures hold', () => {
  const batch = BlockBatch.begin(emptySlot(), 0);
  const lines = Buffer.from('[1048576,"AA=="]\n');
  const quarter = 268_435_456;
  for (let turn = 0; turn < 4; turn += 1) {
    expect(batch.hasRoomForRun(lines.length, quarter)).toBe(true);
    batch.addRun(lines, 256, quarter);
  }
  expect(batch.hasRoomForRun(lines.length, 1)).toBe(false);
});

it('a block that does not become smaller stays where it lies', () => {
  const batch = BlockBatch.begin(emptySlot(), 0);
  batch.add(Buffer.from('as it is'));
  batch.setNew(0, 'raw', null);
  expect(batch.isNew(0)).toBe(true);
  expect(batch.encodingOf(0)).toBe('raw');
  expect(batch.bytesOf(0).toString()).toBe('as it is');
});
