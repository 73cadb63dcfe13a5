import type {
  FoundChanger,
  FoundDevices,
  FoundDrive,
  LibraryDriver,
  MediaChanger,
  TapeDrive,
} from './device.ts';
import { DeviceError } from './device-error.ts';

export interface ScanProblem {
  readonly driver: string;
  readonly error: unknown;
}

/** All drivers as one; the only place that knows which driver opens a device. */
export interface LibraryDrivers {
  /** What the drivers find; one that fails hides nothing of the others and is told in `problems`. */
  scan(signal: AbortSignal): Promise<FoundDevices & { readonly problems: readonly ScanProblem[] }>;
  isThere(path: string): Promise<boolean>;
  /** `notFound` when no driver opens such a path; otherwise as the driver's own. */
  openChanger(path: string, signal: AbortSignal): Promise<MediaChanger>;
  openDrive(path: string, signal: AbortSignal): Promise<TapeDrive>;
}

/** Throws at once when two drivers have the same kind: that is a mistake in the program. */
export function createLibraryDrivers(drivers: readonly LibraryDriver[]): LibraryDrivers {
  const kinds = drivers.map(({ kind }) => kind);
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
  if (twice !== undefined) throw new Error(`two drivers are named ${twice}`);

  const ownerOf = (path: string): LibraryDriver => {
    const owner = drivers.find((driver) => driver.owns(path));
    if (owner) return owner;
    throw new DeviceError('notFound', `${path}: no driver of this server opens such a device.`);
  };

  return {
    scan: async (signal) => {
      const answers = await Promise.allSettled(drivers.map((driver) => driver.scan(signal)));
      signal.throwIfAborted();
      const changers: FoundChanger[] = [];
      const drives: FoundDrive[] = [];
      const problems: ScanProblem[] = [];
      for (const [index, answer] of answers.entries()) {
        if (answer.status === 'fulfilled') {
          changers.push(...answer.value.changers);
          drives.push(...answer.value.drives);
        } else problems.push({ driver: kinds[index] ?? '', error: answer.reason });
      }
      return { changers, drives, problems };
    },
    isThere: async (path) => {
      const owner = drivers.find((driver) => driver.owns(path));
      return owner === undefined ? false : owner.isThere(path);
    },
    openChanger: async (path, signal) => ownerOf(path).openChanger(path, signal),
    openDrive: async (path, signal) => ownerOf(path).openDrive(path, signal),
  };
}
