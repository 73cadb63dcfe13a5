import type { Db } from '../../db/index.ts';
import type { DriveHealth, LibraryElement, MediaChanger, TapeDrive } from '../../engine/index.ts';
import { DeviceError, wordsOfAlert } from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import { isInside } from './cartridge-rules.ts';
import { createCartridgeStore } from './cartridge-store.ts';
import { isCleaningDue } from './cleaning-rules.ts';
import { barcodeKey, barcodeText } from './inventory-rules.ts';
import type { LibraryDevices } from './library-devices.ts';
import { createTapeDeviceStore, type StoredDevice } from './tape-device-store.ts';
import type { TapeSettings } from './tape-settings.ts';
import { type Cartridge, createTapeStore } from './tape-store.ts';

/** Where a task writes down what a person may want to know; the server's log has it anyway. */
export type Tell = (level: 'info' | 'warning', message: string) => void;

export interface DriveCare {
  /** Asks an opened drive how it is, and notes what is new. Never rejects: it is not what the drive was opened for. */
  look(drive: StoredDevice, opened: TapeDrive, tell: Tell): Promise<void>;
  /**
   * Brings a cleaning cartridge to an empty drive that asks for cleaning, and takes it back; says what a person has to do where there
   * is none. The drive is the caller's. Never rejects.
   */
  cleanWhereNeeded(drive: StoredDevice, tell: Tell): Promise<void>;
  /**
   * Whether the schedule wants it cleaned now. Where nothing can clean it, it is marked so and told of, once. Never rejects.
   */
  isDueNow(drive: StoredDevice): Promise<boolean>;
}

const lookMs = 30_000;
const cleaningMs = 40 * 60_000;
/** A cleaning by schedule that failed is tried again after so long. */
const againMs = 6 * 60 * 60_000;

export function createDriveCare(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly announce: Announce;
  readonly devices: LibraryDevices;
  readonly configuration: TapeSettings;
  readonly withRobot: <R>(
    libraryId: number,
    work: (changer: MediaChanger, signal: AbortSignal) => Promise<R>,
  ) => Promise<R>;
}): DriveCare {
  const { db, log, devices } = deps;
  const drivesStore = createTapeDeviceStore(db);
  /** By drive: when the schedule last had it cleaned, with whatever end. */
  const triedMs = new Map<number, number>();

  const changed = ({ libraryId }: StoredDevice): void => {
    if (libraryId !== null) deps.announce({ kind: 'library', action: 'changed', id: libraryId });
  };
  const save = async (
    drive: StoredDevice,
    { alerts, needsCleaning }: DriveHealth,
    tell: Tell,
  ): Promise<void> => {
    const known = (await drivesStore.drive(drive.id)) ?? drive;
    const nowMs = deps.clock.now();
    // The schedule looks at when it was used; that is now.
    const isWanted = needsCleaning || (await isDue({ ...known, alertsMs: nowMs }));
    const flags = alerts ?? [];
    const fresh = flags.filter((flag) => !known.alerts.includes(flag));
    for (const flag of fresh) {
      const { severity, message } = wordsOfAlert(flag);
      const text = `The drive ${drive.sgPath} tells (TapeAlert ${flag}): ${message}.`;
      if (severity !== 'information')
        log.warn('a tape drive tells of trouble', { drive: drive.sgPath, flag, message });
      tell(severity === 'information' ? 'info' : 'warning', text);
    }
    const isSame = known.needsCleaning === isWanted && known.alerts.join() === flags.join();
    await drivesStore.saveHealth(drive.id, { alerts: flags, needsCleaning: isWanted, readMs: nowMs });
    if (!isSame) changed(drive);
  };

  const isDue = async (drive: StoredDevice): Promise<boolean> => {
    const { clean_tape_drives_period: days } = await deps.configuration.read();
    return isCleaningDue(drive, days, deps.clock.now());
  };

  /** The cleaning cartridges that the robot reaches and that are not used up. */
  const cleaners = async (drive: StoredDevice): Promise<readonly Cartridge[]> =>
    (await createTapeStore(db).all()).filter(
      (one) =>
        one.libraryId === drive.libraryId && one.state === 'cleaning' && isInside(one) && !one.isUsedUp,
    );

  const move = async (
    libraryId: number,
    cartridge: Cartridge,
    way: (elements: readonly LibraryElement[]) => { readonly from: number; readonly to: LibraryElement },
  ): Promise<number> =>
    deps.withRobot(libraryId, async (changer, signal) => {
      const { from, to } = way(await changer.inventory(signal));
      await changer.move(from, to.address, signal);
      await createCartridgeStore(db).place(cartridge.id, {
        location: to.kind,
        elementAddress: to.address,
      });
      return from;
    });

  /** One cleaning cartridge goes into the drive, does its work and goes back. */
  const cleanWith = async (
    drive: StoredDevice,
    cartridge: Cartridge,
    place: { readonly libraryId: number; readonly element: number },
  ) => {
    const { libraryId, element } = place;
    const home = await move(libraryId, cartridge, (elements) => {
      const here = elements.find(
        (one) => barcodeKey(barcodeText(one) ?? '') === barcodeKey(cartridge.barcode),
      );
      const target = elements.find(({ address }) => address === element);
      if (here === undefined || here.kind === 'drive') {
        throw new DeviceError(
          'busy',
          `${cartridge.barcode} is not in a slot of the library; synchronise it.`,
        );
      }
      if (target === undefined || target.full) {
        throw new DeviceError('busy', `There is something in ${drive.sgPath}, so that it cannot be cleaned.`);
      }
      return { from: here.address, to: target };
    });
    const patience = AbortSignal.timeout(cleaningMs);
    try {
      return await devices.withDrive(drive.sgPath, patience, async (opened, signal) => {
        try {
          return { end: await opened.clean(signal), health: await opened.health(signal) };
        } finally {
          await opened.unload(signal);
        }
      });
    } finally {
      await move(libraryId, cartridge, (elements) => {
        const before = elements.find(({ address }) => address === home);
        const slot =
          before && !before.full ? before : elements.find(({ kind, full }) => kind === 'storage' && !full);
        if (slot === undefined) {
          throw new DeviceError('busy', `No slot is free for ${cartridge.barcode}; it stays in the drive.`);
        }
        return { from: element, to: slot };
      });
    }
  };

  const clean = async (drive: StoredDevice, tell: Tell): Promise<void> => {
    const { libraryId, elementAddress: element } = drive;
    if (libraryId === null || element === null) return;
    const isScheduled = await isDue(drive);
    for (const cartridge of await cleaners(drive)) {
      const { end, health } = await cleanWith(drive, cartridge, { libraryId, element });
      const store = createTapeStore(db);
      if (end === 'cleaned') {
        await store.countCleaning(cartridge.id);
        await deps.configuration.noteCleaning('clean_tape_drives_last_time', deps.clock.now());
        // What was said before the cleaning, and with sense data only, is settled by it.
        await drivesStore.saveCleaned(drive.id, deps.clock.now());
        await save(drive, { alerts: health.alerts, needsCleaning: false }, tell);
        changed(drive);
        const why = isScheduled ? 'as its time had come (clean_tape_drives_period)' : 'as it had asked';
        tell('info', `The drive ${drive.sgPath} was cleaned with ${cartridge.barcode}, ${why}.`);
        return;
      }
      if (end === 'expired') await store.markUsedUp(cartridge.id);
      const why = end === 'expired' ? 'is used up; replace it' : 'did not clean the drive; look at both';
      log.warn('a cleaning cartridge was of no use', {
        barcode: cartridge.barcode,
        drive: drive.sgPath,
        end,
      });
      tell('warning', `The cleaning cartridge ${cartridge.barcode} ${why}.`);
      await save(drive, { alerts: health.alerts, needsCleaning: true }, tell);
      if (end === 'failed') return;
    }
    const reason = isScheduled ? 'has to be cleaned by its schedule' : 'asks to be cleaned';
    const wish = `The drive ${drive.sgPath} ${reason}, and no cleaning cartridge is there that can: put a new one into the library (its barcode begins with CLN) and register it, or clean the drive by hand.`;
    log.warn('a tape drive cannot be cleaned', { drive: drive.sgPath });
    tell('warning', wish);
  };

  return {
    look: async (drive, opened, tell) => {
      try {
        await save(drive, await opened.health(AbortSignal.timeout(lookMs)), tell);
      } catch (error) {
        log.warn('a tape drive did not tell how it is', { drive: drive.sgPath, error });
      }
    },
    cleanWhereNeeded: async (drive, tell) => {
      try {
        const now = await drivesStore.drive(drive.id);
        if (!now?.needsCleaning) return;
        const { auto_clean_tape_drives: isWished } = await deps.configuration.read();
        if (isWished === 'yes') await clean(now, tell);
        else
          tell('warning', `The drive ${drive.sgPath} has to be cleaned, and auto_clean_tape_drives is off.`);
      } catch (error) {
        log.warn('a tape drive was not cleaned', { drive: drive.sgPath, error });
        const why = error instanceof DeviceError ? error.message : 'see the log of the server.';
        tell('warning', `The drive ${drive.sgPath} has to be cleaned and was not: ${why}`);
      }
    },
    isDueNow: async (drive) => {
      try {
        const now = (await drivesStore.drive(drive.id)) ?? drive;
        const nowMs = deps.clock.now();
        if (nowMs - (triedMs.get(now.id) ?? Number.NEGATIVE_INFINITY) < againMs || !(await isDue(now)))
          return false;
        const { auto_clean_tape_drives: isWished } = await deps.configuration.read();
        const canBe = isWished === 'yes' && (await cleaners(now)).length > 0;
        if (canBe) triedMs.set(now.id, nowMs);
        if (now.needsCleaning) return canBe;
        await drivesStore.markForCleaning(now.id);
        if (canBe) return true;
        changed(now);
        const why = isWished === 'yes' ? 'no cleaning cartridge is there' : 'auto_clean_tape_drives is off';
        log.warn('a tape drive has to be cleaned by its schedule, and nothing cleans it', {
          drive: now.sgPath,
          why,
        });
      } catch (error) {
        log.warn('it was not found out whether a tape drive has to be cleaned', {
          drive: drive.sgPath,
          error,
        });
      }
      return false;
    },
  };
}
