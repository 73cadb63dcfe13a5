import { untilAborted } from '../platform/waiting.ts';

interface Shared {
  readonly result: Promise<unknown>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Equal reads that run at the same time are one request: polls of a slow server do not pile up. The request is given
 * up when nobody waits for it any more.
 */
export function createSharedReads() {
  const running = new Map<string, Shared>();
  return async (
    key: string,
    signal: AbortSignal | undefined,
    read: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<unknown> => {
    const known = running.get(key);
    const shared = known ?? start(key, read);
    shared.waiting++;
    try {
      return await untilAborted(shared.result, signal);
    } finally {
      shared.waiting--;
      if (shared.waiting === 0 && running.get(key) === shared) {
        running.delete(key);
        shared.controller.abort();
      }
    }
  };

  function start(key: string, read: (signal: AbortSignal) => Promise<unknown>): Shared {
    const controller = new AbortController();
    const shared: Shared = { result: read(controller.signal), controller, waiting: 0 };
    running.set(key, shared);
    const forget = (): void => {
      if (running.get(key) === shared) running.delete(key);
    };
    shared.result.then(forget, forget);
    return shared;
  }
}
