/** Calls of the window that can be given up by the id that the window chose. */
export interface RunningCalls {
  /** Runs with a signal that `cancel(id)` aborts. A second call under a running id is refused. */
  readonly run: <T>(id: string | undefined, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  readonly cancel: (id: string) => void;
  /** The window went or was loaded anew: nobody waits for anything any more. */
  readonly cancelAll: () => void;
  readonly count: () => number;
}

export function createRunningCalls(): RunningCalls {
  const running = new Map<string, AbortController>();
  return {
    run: async (id, work) => {
      const controller = new AbortController();
      if (id === undefined) return work(controller.signal);
      if (running.has(id)) throw new Error(`a call ${id} is running already`);
      running.set(id, controller);
      try {
        return await work(controller.signal);
      } finally {
        running.delete(id);
      }
    },
    cancel: (id) => running.get(id)?.abort(),
    cancelAll: () => {
      for (const controller of running.values()) controller.abort();
    },
    count: () => running.size,
  };
}
