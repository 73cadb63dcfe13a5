/** A typed list of listeners. A listener that throws does not keep the others from hearing. */
export interface Signal<T> {
  readonly listen: (listener: (value: T) => void) => () => void;
  readonly tell: (value: T) => void;
  readonly count: () => number;
}

export function createSignal<T>(): Signal<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    listen: (listener) => {
      // Wrapped, so that the same function may listen twice and each `off` ends its own.
      const own = (value: T): void => listener(value);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
    tell: (value) => {
      for (const listener of [...listeners]) {
        try {
          listener(value);
        } catch (error) {
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
    count: () => listeners.size,
  };
}
