import { expect, it } from 'vitest';
import { createDriveQueue } from '../../../backend/features/tape-libraries/drive-queue.ts';
import type { StoredDevice } from '../../../backend/features/tape-libraries/tape-device-store.ts';

const drive = (id: number): StoredDevice => ({ id }) as StoredDevice;

it('a drive that is given back wakes who can use it, though the first in the queue needs another one', async () => {
  const queue = createDriveQueue();
  const { signal } = new AbortController();
  const got: string[] = [];
  const use = async (name: string, wanted: StoredDevice): Promise<void> => {
    while (queue.take([wanted]) === null) await queue.wait(1, signal);
    got.push(name);
  };
  queue.take([drive(1)]);
  queue.take([drive(2)]);
  const first = use('first', drive(1));
  const second = use('second', drive(2));
  const third = use('third', drive(2));
  queue.release(1, 2);
  // Whoever was woken has looked again by then.
  await new Promise((resolve) => setImmediate(resolve));
  expect(got).toEqual(['second']);
  queue.release(1, 1);
  await first;
  queue.release(1, 2);
  await Promise.all([second, third]);
  expect(got).toEqual(['second', 'first', 'third']);
});
