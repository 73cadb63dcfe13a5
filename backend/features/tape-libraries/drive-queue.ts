import { DeviceError } from '../../engine/index.ts';
import type { StoredDevice } from './tape-device-store.ts';

/** Who asks for a drive gets the next one that is free and that serves, as far as it goes in the order of asking. */
export function createDriveQueue() {
  const busy = new Set<number>();
  const waiting = new Map<number, (() => void)[]>();
  return {
    /** Null when all are in use. */
    take: (drives: readonly StoredDevice[]): StoredDevice | null => {
      const free = drives.find(({ id }) => !busy.has(id)) ?? null;
      if (free !== null) busy.add(free.id);
      return free;
    },
    release: (libraryId: number, driveId: number): void => {
      busy.delete(driveId);
      // All look again, in their order: the first one may need another drive than this.
      for (const go of waiting.get(libraryId)?.splice(0) ?? []) go();
    },
    /** Until one is given back, or the signal ends the waiting. */
    wait: (libraryId: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        const queue = waiting.get(libraryId) ?? [];
        waiting.set(libraryId, queue);
        const go = (): void => {
          signal.removeEventListener('abort', stop);
          resolve();
        };
        const stop = (): void => {
          const index = queue.indexOf(go);
          if (index !== -1) queue.splice(index, 1);
          reject(new DeviceError('cancelled', 'It was cancelled while it waited for a drive.'));
        };
        queue.push(go);
        signal.addEventListener('abort', stop, { once: true });
        if (signal.aborted) stop();
      }),
  };
}
