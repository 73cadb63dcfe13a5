/** So many go into one statement. */
const largestBatch = 200;

interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects what arrives in one turn of the event loop and writes it together: a commit to the disk costs the same for
 * one record and for many. Each caller waits until its own is written.
 */
export function createBatches<T>(write: (items: readonly T[]) => Promise<void>) {
  let waiting: readonly Waiting<T>[] = [];
  let writing: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    const batch = waiting.slice(0, largestBatch);
    waiting = waiting.slice(largestBatch);
    if (waiting.length > 0) begin();
    try {
      await write(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const begin = (): void => {
    const turn = new Promise<void>((resolve) => setImmediate(resolve));
    writing = Promise.all([writing, turn]).then(flush);
  };

  return {
    /** Resolves when the item is written. */
    add: (item: T): Promise<void> =>
      new Promise((resolve, reject) => {
        waiting = [...waiting, { item, resolve, reject }];
        if (waiting.length === 1) begin();
      }),
    /** Resolves when everything that was added before is written, or could not be. */
    settled: async (): Promise<void> => {
      for (let seen: Promise<void> | null = null; seen !== writing; ) {
        seen = writing;
        await seen;
      }
    },
  };
}
