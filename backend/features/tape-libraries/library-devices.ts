import type { Db } from '../../db/index.ts';
import {
  DeviceError,
  type LibraryDrivers,
  type LibraryElement,
  type MediaChanger,
  type TapeDrive,
} from '../../engine/index.ts';
import { createInTurn } from '../../platform/in-turn.ts';
import type { Log } from '../../platform/log.ts';
import { createTapeDeviceStore, type ScannedDevice, type StoredDevice } from './tape-device-store.ts';
import { deviceKeys } from './tape-library-rules.ts';

const scanMs = 30_000;
/**
 * To log in and to ask a robot what it is. What it does then has a limit for each command, in the driver: a robot crosses halls, and an
 * inventory of thousands of places comes in pieces; one limit for all of it would cut a move off that goes well.
 */
const usualOpenMs = 2 * 60_000;

/** A robot or drive that is there now. */
export interface PresentDevice extends StoredDevice {
  /** Of a drive: the robot that it seems to belong to. */
  readonly changerId: number | null;
}

export interface LibraryDevices {
  /** What is there now; each has an id that it keeps. */
  scan(mediaServerId: number): Promise<readonly PresentDevice[]>;
  /** All elements of an opened robot. Rejects with a `DeviceError` whose message is for a person. */
  readElements(sgPath: string): Promise<readonly LibraryElement[]>;
  isThere(sgPath: string): Promise<boolean>;
  /** Work with an opened robot, one at a time for each; it is closed after. */
  withChanger<R>(
    sgPath: string,
    work: (changer: MediaChanger, signal: AbortSignal) => Promise<R>,
  ): Promise<R>;
  /** Work with an opened drive, which takes as long as it takes. Who else uses the drive is the caller's to know. */
  withDrive<R>(
    sgPath: string,
    signal: AbortSignal,
    work: (drive: TapeDrive, signal: AbortSignal) => Promise<R>,
  ): Promise<R>;
}

/** Between the drivers and what is known of their devices: time limits, one call at a time for each device, stable ids. */
export function createLibraryDevices(deps: {
  readonly db: Db;
  readonly drivers: LibraryDrivers;
  readonly log: Log;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  readonly openMs?: number;
}): LibraryDevices {
  const { drivers, log, stopping, openMs = usualOpenMs } = deps;
  const inTurn = createInTurn();
  const within = <T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    untilAborted(AbortSignal.any([stopping, AbortSignal.timeout(ms)]), work, () =>
      stopping.aborted ? 'The server is stopping.' : 'The device did not answer in time.',
    );
  const openChanger = (sgPath: string): Promise<MediaChanger> =>
    within(openMs, async (signal) => {
      const changer = await drivers.openChanger(sgPath, signal);
      // Nobody waits for it any more.
      if (signal.aborted) await changer.close();
      return changer;
    });

  const withChanger: LibraryDevices['withChanger'] = (sgPath, work) =>
    inTurn(sgPath, async () => {
      const changer = await openChanger(sgPath);
      const use = async (signal: AbortSignal) => {
        try {
          return await work(changer, signal);
        } finally {
          await changer.close();
        }
      };
      return untilAborted(stopping, use, () => 'The server is stopping.');
    });

  return {
    scan: (mediaServerId) =>
      inTurn('scan', async () => {
        const found = await within(scanMs, (signal) => drivers.scan(signal));
        for (const { driver, error } of found.problems) {
          log.warn('a driver could not look for tape libraries', { driver, error });
        }
        const changerKeys = deviceKeys(found.changers);
        const driveKeys = deviceKeys(found.drives);
        const changers: readonly ScannedDevice[] = found.changers.map((changer, index) => ({
          ...changer,
          kind: 'changer',
          key: changerKeys[index] ?? '',
          sgPath: changer.path,
          stPath: null,
        }));
        const drives: readonly ScannedDevice[] = found.drives.map((drive, index) => ({
          ...drive,
          kind: 'drive',
          key: driveKeys[index] ?? '',
          sgPath: drive.path,
          slotsCount: null,
          drivesCount: null,
        }));
        const known = await remember(deps.db, mediaServerId, [...changers, ...drives]);
        const idOf = (kind: string, key: string): number | null =>
          known.find((device) => device.kind === kind && device.key === key)?.id ?? null;
        const changerIdOf = (drive: StoredDevice): number | null => {
          const path = found.drives.find((one) => one.path === drive.sgPath)?.changerPath ?? null;
          const index = found.changers.findIndex((changer) => changer.path === path);
          return index === -1 ? null : idOf('changer', changerKeys[index] ?? '');
        };
        const present = new Set([...changers, ...drives].map(({ kind, key }) => `${kind} ${key}`));
        return known
          .filter(({ kind, key }) => present.has(`${kind} ${key}`))
          .map((device) => ({
            ...device,
            changerId: device.kind === 'drive' ? changerIdOf(device) : null,
          }));
      }),

    readElements: (sgPath) =>
      withChanger(sgPath, async (changer, signal) => checked(sgPath, await changer.inventory(signal))),

    withChanger,

    withDrive: async (sgPath, own, work) => {
      const signal = AbortSignal.any([stopping, own]);
      const drive = await drivers.openDrive(sgPath, signal);
      try {
        return await work(drive, signal);
      } finally {
        await drive.close();
      }
    },

    isThere: (sgPath) => drivers.isThere(sgPath),
  };
}

/** Writes only what is new, so that a scan that finds what it found before changes nothing. */
async function remember(
  db: Db,
  mediaServerId: number,
  devices: readonly ScannedDevice[],
): Promise<readonly StoredDevice[]> {
  const known = await createTapeDeviceStore(db).on(mediaServerId);
  const isKnown = (device: ScannedDevice): boolean =>
    known.some(
      (old) =>
        old.kind === device.kind &&
        old.key === device.key &&
        old.sgPath === device.sgPath &&
        old.stPath === device.stPath &&
        (device.slotsCount === null || old.slotsCount === device.slotsCount) &&
        (device.drivesCount === null || old.drivesCount === device.drivesCount),
    );
  const changed = devices.filter((device) => !isKnown(device));
  if (changed.length === 0) return known;
  return db.transaction().execute(async (tx) => {
    const inside = createTapeDeviceStore(tx);
    await inside.save(mediaServerId, changed);
    return inside.on(mediaServerId);
  });
}

/** A robot without storage slots did not answer rightly; and one address names one place. */
function checked(sgPath: string, elements: readonly LibraryElement[]): readonly LibraryElement[] {
  if (!elements.some(({ kind }) => kind === 'storage')) {
    throw new DeviceError(
      'corrupt',
      `${sgPath}: the robot tells of no storage slots; its answer was not complete.`,
    );
  }
  if (new Set(elements.map(({ address }) => address)).size !== elements.length) {
    throw new DeviceError('corrupt', `${sgPath}: the robot gives one address to several places.`);
  }
  return elements;
}

/** Also ends when the work does not heed the signal. */
async function untilAborted<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  why: () => string,
): Promise<T> {
  let giveUp: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(new DeviceError('cancelled', why()));
    signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work(signal), aborted]);
  } catch (error) {
    if (error instanceof DeviceError) throw error;
    if (signal.aborted) throw new DeviceError('cancelled', why(), { cause: error });
    // A mistake of the driver: what it says is for the log.
    throw new DeviceError('permanent', 'The device could not be used.', { cause: error });
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
