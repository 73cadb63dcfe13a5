import { afterEach, expect, it, vi } from 'vitest';
import type { Db } from '../../../backend/db/index.ts';
import {
  createLibraryDrivers,
  type LibraryDriver,
  type MediaChanger,
} from '../../../backend/engine/index.ts';
import { createLibraryDevices } from '../../../backend/features/tape-libraries/library-devices.ts';
import { tellWhileSlow } from '../../../backend/features/tape-libraries/tell-while-slow.ts';
import { silentLog } from '../../../backend/platform/log.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A robot that says when it was closed, and is there as soon as `opening` is. */
const devicesOf = (opening: Promise<void>, openMs: number) => {
  const closed = vi.fn(async () => undefined);
  const changer = { close: closed } as unknown as MediaChanger;
  const driver = {
    kind: 'slow',
    owns: () => true,
    openChanger: async () => {
      await opening;
      return changer;
    },
  } as unknown as LibraryDriver;
  const { signal: stopping } = new AbortController();
  // Nothing here asks the database.
  const db = {} as Db;
  const drivers = createLibraryDrivers([driver]);
  return { devices: createLibraryDevices({ db, drivers, log: silentLog, stopping, openMs }), closed };
};

/** After a limit of so many milliseconds that began before has passed too: timers end in their order. */
const after = (ms: number): Promise<void> =>
  new Promise((resolve) => AbortSignal.timeout(ms + 1).addEventListener('abort', () => resolve()));

it('a robot that does not log in is given up, and closed when it comes after all (case 116)', async () => {
  let open = (): void => undefined;
  const opening = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { devices, closed } = devicesOf(opening, 1);
  const used = vi.fn(async () => undefined);
  await expect(devices.withChanger('slow', used)).rejects.toMatchObject({
    kind: 'cancelled',
    message: 'The device did not answer in time.',
  });
  open();
  await expect.poll(() => closed.mock.calls.length).toBe(1);
  expect(used).not.toHaveBeenCalled();
});

it('what an opened robot does is not cut off by the limit for opening it (case 116)', async () => {
  const { devices, closed } = devicesOf(Promise.resolve(), 20);
  const cut = await devices.withChanger('slow', async (_changer, signal) => {
    await after(20);
    return signal.aborted;
  });
  expect([cut, closed.mock.calls.length]).toEqual([false, 1]);
});

it('that a robot still moves or a drive still calibrates is told, ever more seldom, until it ends (case 116)', async () => {
  vi.useFakeTimers();
  const told: string[] = [];
  let end: (what: string) => void = () => undefined;
  const moving = new Promise<string>((resolve) => {
    end = resolve;
  });
  const result = tellWhileSlow(moving, (_level, message) => told.push(message), 'moving A');
  await vi.advanceTimersByTimeAsync(29_999);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(2 * 60 * 60_000);
  expect(told.slice(0, 3)).toEqual([
    'Still moving A, for 30 s.',
    'Still moving A, for 90 s.',
    'Still moving A, for 210 s.',
  ]);
  expect(told.length).toBeLessThan(20);
  end('there');
  expect(await result).toBe('there');
  expect(vi.getTimerCount()).toBe(0);
});
