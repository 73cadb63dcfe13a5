import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { createAnswering, NotAnswering, whileAnswering } from '../../../backend/platform/answering.ts';
import { withinDeadline } from '../../../backend/platform/within-deadline.ts';

/** Calls on a path that do not come back until they are let. */
function hangingMount() {
  const { promise, resolve, reject } = open<void>();
  return { ask: vi.fn(() => promise), comesBack: resolve, fails: reject };
}

function open<T>() {
  let [resolve, reject] = [(_value: T): void => undefined, (_reason: Error): void => undefined];
  const promise = new Promise<T>((...ends) => {
    [resolve, reject] = ends;
  });
  return { promise, resolve: (value: T) => resolve(value), reject: (reason: Error) => reject(reason) };
}

it('an answer that lies there when a held-up process comes to its deadline still counts', async () => {
  const { port1, port2 } = new MessageChannel();
  const answer = once(port1, 'message').then(() => 'here');
  const told = withinDeadline(answer, 'late', 1);
  port2.postMessage('');
  // Holds up the whole thread until long after the deadline.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  expect(await told).toBe('here');
  port1.close();
});

describe('a path that does not answer', () => {
  it('is asked once, however many want to know, and answers again once the call has come back', async () => {
    const mount = hangingMount();
    const isAnswering = createAnswering(mount.ask);
    expect(await Promise.all([isAnswering('/mute', 5), isAnswering('/mute', 5)])).toEqual([false, false]);
    expect(await isAnswering('/mute', 5)).toBe(false);
    expect(mount.ask).toHaveBeenCalledTimes(1);
    const patient = isAnswering('/mute', 60_000);
    mount.comesBack();
    expect(await patient).toBe(true);
    expect(await isAnswering('/mute', 60_000)).toBe(true);
    expect(mount.ask).toHaveBeenCalledTimes(2);
  });

  it('says nothing of another path, and one that is not there answers too', async () => {
    const mount = hangingMount();
    const isAnswering = createAnswering((path) =>
      path === '/mute' ? mount.ask() : Promise.reject(new Error('ENOENT')),
    );
    expect(await isAnswering('/mute', 5)).toBe(false);
    expect(await isAnswering('/gone', 60_000)).toBe(true);
    mount.fails(new Error('EIO'));
    await vi.waitFor(async () => expect(await isAnswering('/mute', 60_000)).toBe(true));
  });
});

describe('work on a path', () => {
  it('may take as long as it likes while the path answers, and ends as it ends', async () => {
    const isThere = vi.fn(async () => true);
    const { promise, resolve } = open<string>();
    const work = whileAnswering('/slow', () => promise, { isThere, everyMs: 1 });
    await vi.waitFor(() => expect(isThere.mock.calls.length).toBeGreaterThan(3));
    resolve('done');
    expect(await work).toBe('done');
    const fails = whileAnswering('/slow', () => Promise.reject(new Error('EIO')), { isThere });
    await expect(fails).rejects.toThrow('EIO');
  });

  it('is not begun on one that does not answer, and not waited for once it does not any more', async () => {
    const begun = vi.fn(() => new Promise<void>(() => undefined));
    const never = async () => false;
    await expect(whileAnswering('/mute', begun, { isThere: never })).rejects.toThrow(NotAnswering);
    expect(begun).not.toHaveBeenCalled();
    const isThere = vi.fn(async () => isThere.mock.calls.length < 3);
    await expect(whileAnswering('/mute', begun, { isThere, everyMs: 1 })).rejects.toThrow(
      '/mute does not answer; see to its mount or its disk',
    );
    expect(begun).toHaveBeenCalledTimes(1);
  });
});
