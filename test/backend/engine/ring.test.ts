import { expect, it } from 'vitest';
import { Control } from '../../../backend/engine/job/control.ts';
import { plentySlotsFor, Ring, slotsFor } from '../../../backend/engine/job/ring.ts';

const blockBytes = 131_072;

function ringOf(slots: number): Ring {
  return new Ring(Ring.memoryFor(slots, blockBytes), slots, Control.create());
}

function fill(ring: Ring, sequence: number): void {
  const slot = ring.acquire(sequence);
  slot.first = sequence;
  ring.publish(sequence);
}

it('a codec takes what else is filled, each slot once, in order, and does not wait for more', () => {
  const ring = ringOf(4);
  for (const sequence of [0, 1, 2]) fill(ring, sequence);
  expect(ring.claim()?.sequence).toBe(0);
  expect(ring.claimMore()).toMatchObject({ sequence: 1, slot: { first: 1 } });
  expect(ring.claim()?.sequence).toBe(2);
  expect(ring.claimMore()).toBeNull();
  // What was refused is not lost.
  fill(ring, 3);
  expect(ring.claimMore()?.sequence).toBe(3);
});

it('a slot that is used again is not taken for the one before', () => {
  const ring = ringOf(2);
  fill(ring, 0);
  const first = ring.claimMore();
  expect(first?.sequence).toBe(0);
  ring.finish(0);
  ring.take(0);
  ring.release(0);
  fill(ring, 1);
  fill(ring, 2);
  expect([ring.claimMore()?.sequence, ring.claimMore()?.sequence, ring.claimMore()]).toEqual([1, 2, null]);
});

it('small frames get more slots than large ones', () => {
  expect(plentySlotsFor(2, 0, blockBytes)).toBe(32);
  expect(plentySlotsFor(2, 1, 8_323_072)).toBe(slotsFor(2, 1));
});
