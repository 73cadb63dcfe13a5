import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../../platform/files.ts';
import { createInTurn } from '../../../platform/in-turn.ts';
import { DeviceError, toDeviceError } from '../../device-error.ts';
import type { ScsiCommand, ScsiResult, ScsiTransport } from '../transport.ts';
import { check, codes, good, reservationConflict, type SenseCode } from './answers.ts';
import { answerInquiry, answerReportLuns, blockOf, noSense } from './common-commands.ts';
import {
  addressesOf,
  cartridgePath,
  type DriveFaults,
  isCleaningBarcode,
  kindAt,
  type LibraryFaults,
  type LibraryState,
  readState,
  writeState,
} from './library-state.ts';
import { makeTapeFile, openTapeFile } from './tape-file.ts';
import { changerIdentity, runChanger } from './virtual-changer.ts';
import { createVirtualDrive, driveIdentity, type VirtualDrive } from './virtual-drive.ts';

/** A simulated library, running: robot and drives as a target, and what a person does at its door. */
export interface VirtualLibrary {
  readonly state: LibraryState;
  /** Another user of the same library; its units tell each new one that they have started. */
  connect(): ScsiTransport;
  setFaults(faults: LibraryFaults): Promise<void>;
  /**
   * The cartridges that are to be inside. New ones come to the mail slots, then to the storage slots; one that was taken out
   * keeps its data and comes back with them. `busy`: it is in a drive. `noSpace`: no place is free.
   */
  setCartridges(barcodes: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** A cleaning cartridge serves as often as this. */
const mostCleanings = 50;
/** Flags of TapeAlert that ask for cleaning. */
const cleaningAlerts: readonly number[] = [20, 21];
const cleaningUsedUp = 22;

interface Nexus {
  /** By unit: what it has to tell this user. */
  readonly attentions: Map<number, SenseCode[]>;
}

export const changerLun = 0;

export async function openVirtualLibrary(folder: string): Promise<VirtualLibrary> {
  let state = await readState(folder);
  const inTurn = createInTurn();
  const users = new Set<Nexus>();
  /** Units that a user has reserved, or whose cartridge he has locked in. */
  const reservations = new Map<number, Nexus>();
  const locks = new Map<number, Nexus>();

  /** On the disk first. Nothing else is waited for meanwhile, so that whoever holds a drive or the robot may call it. */
  const update = (change: (now: LibraryState) => LibraryState): Promise<void> =>
    inTurn('state', async () => {
      const next = change(state);
      await writeState(folder, next);
      state = next;
    });
  const driveAddress = (number: number): number => addressesOf(state, 'drive')[number - 1] ?? -1;
  const driveFaults = (number: number): DriveFaults | null =>
    state.faults.drives.find(({ drive }) => drive === number) ?? null;
  const tell = (lun: number, code: SenseCode): void => {
    for (const { attentions } of users) attentions.set(lun, [...(attentions.get(lun) ?? []), code]);
  };

  const makeDrive = (number: number): VirtualDrive =>
    createVirtualDrive({
      cartridge: () => state.places[driveAddress(number)]?.barcode ?? null,
      faults: () => driveFaults(number),
      faultsOf: (barcode) => state.faults.cartridges.find((one) => one.barcode === barcode) ?? null,
      cartridgeBytes: state.cartridgeBytes,
      openTape: (barcode) => openTapeFile(cartridgePath(folder, barcode)),
      pulled: (barcode) => update((now) => withoutPulled(now, barcode, driveAddress(number))),
      cleaned: (barcode) => update((now) => withCleaning(now, number, barcode)),
    });
  const units = Array.from({ length: state.drives }, (_, index) => makeDrive(index + 1));
  const luns = [changerLun, ...units.map((_, index) => index + 1)];
  const identityOf = (lun: number) =>
    lun === changerLun ? changerIdentity(state.serial) : driveIdentity(state.serial, lun);

  const changerHost = {
    get state() {
      return state;
    },
    update,
    driveIdentity: (number: number) => driveIdentity(state.serial, number),
    whyDriveHolds: (number: number) => (units[number - 1]?.isHolding ? check(codes.removalPrevented) : null),
    exchanged: async (number: number) => {
      await inTurn(`drive ${number}`, async () => units[number - 1]?.exchanged());
      tell(number, codes.mediumChanged);
    },
  };

  const runUnit = (user: Nexus, lun: number, cdb: Buffer, command: ScsiCommand): Promise<ScsiResult> => {
    if (lun === changerLun) return inTurn('library', () => runChanger(cdb, changerHost));
    const drive = units[lun - 1];
    if (drive === undefined) return Promise.resolve(check(codes.noSuchUnit));
    if (cdb.readUInt8(0) === 0x1e && (cdb.readUInt8(4) & 1) === 1) locks.set(lun, user);
    return inTurn(`drive ${lun}`, () => drive.run(cdb, command.dataOut));
  };
  const isReservedForOthers = (user: Nexus, lun: number): boolean => {
    const owner = reservations.get(lun);
    return driveFaults(lun)?.reserved === true || (owner !== undefined && owner !== user);
  };
  const answer = async (user: Nexus, command: ScsiCommand): Promise<ScsiResult> => {
    const { lun } = command;
    const cdb = blockOf(command);
    const operation = cdb.readUInt8(0);
    if (operation === 0xa0) return answerReportLuns(cdb, luns);
    if (!luns.includes(lun)) {
      return operation === 0x12
        ? answerInquiry(cdb, { type: 0x7f, model: '', serial: '' })
        : check(codes.noSuchUnit);
    }
    if (operation === 0x12) return answerInquiry(cdb, identityOf(lun));
    if (operation === 0x03) return noSense();
    const [attention, ...later] = user.attentions.get(lun) ?? [];
    if (attention !== undefined) {
      user.attentions.set(lun, later);
      return check(attention);
    }
    if (isReservedForOthers(user, lun)) return reservationConflict;
    if (operation === 0x16) {
      reservations.set(lun, user);
      return good();
    }
    if (operation === 0x17) {
      reservations.delete(lun);
      return good();
    }
    return runUnit(user, lun, cdb, command);
  };

  const leave = (user: Nexus): void => {
    users.delete(user);
    for (const [lun, owner] of reservations) if (owner === user) reservations.delete(lun);
    for (const [lun, owner] of locks) {
      if (owner !== user) continue;
      locks.delete(lun);
      units[lun - 1]?.allowRemoval();
    }
  };

  return {
    get state() {
      return state;
    },
    connect: () => {
      const user: Nexus = { attentions: new Map(luns.map((lun) => [lun, [codes.reset]])) };
      users.add(user);
      return {
        execute: async (command) => {
          const gone = (): DeviceError =>
            new DeviceError('cancelled', 'The command to the virtual library was cancelled.');
          if (command.signal?.aborted) throw gone();
          if (!users.has(user)) throw new DeviceError('transient', 'The virtual library was left.');
          const result = await answer(user, command);
          const data = result.data.subarray(0, command.dataIn ?? 0);
          const residual = result.residual === 0 ? (command.dataIn ?? 0) - data.length : result.residual;
          return { ...result, data, residual };
        },
        close: async () => leave(user),
      };
    },
    setFaults: (faults) =>
      inTurn('library', async () => {
        const wasOpen = state.faults.doorOpen;
        const told = faults.drives.filter(({ attention }) => attention !== null);
        // A unit tells of a change once, so that it does not stay.
        const drives = faults.drives.map((one) => ({ ...one, attention: null }));
        await update((now) => ({ ...now, faults: { ...faults, drives } }));
        if (wasOpen && !faults.doorOpen) tell(changerLun, codes.mailSlotUsed);
        for (const { drive, attention } of told) {
          if (attention === 'reset') await inTurn(`drive ${drive}`, async () => units[drive - 1]?.reset());
          tell(drive, attention === 'reset' ? codes.reset : codes.mediumChanged);
        }
      }),
    setCartridges: (barcodes) =>
      inTurn('library', async () => {
        const places = placesFor(state, barcodes);
        await makeMissing(folder, barcodes);
        await update((now) => ({ ...now, places }));
        tell(changerLun, codes.mailSlotUsed);
      }),
    close: async () => {
      for (const user of [...users]) leave(user);
      for (const [index, drive] of units.entries()) await inTurn(`drive ${index + 1}`, () => drive.close());
    },
  };
}

/** The cartridge is outside, with its data, and is not pulled a second time when it comes back. */
function withoutPulled(state: LibraryState, barcode: string, address: number): LibraryState {
  const { [address]: _gone, ...places } = state.places;
  const cartridges = state.faults.cartridges.map((one) =>
    one.barcode === barcode ? { ...one, pulledAt: null } : one,
  );
  return { ...state, places, faults: { ...state.faults, cartridges } };
}

/** A cleaning cartridge that is not used up takes away what asked for it; one that is says so. */
function withCleaning(state: LibraryState, number: number, barcode: string): LibraryState {
  const done = state.cleanings[barcode] ?? 0;
  const isUsedUp =
    done >= mostCleanings ||
    state.faults.cartridges.some((one) => one.barcode === barcode && one.usedUp === true);
  const known = state.faults.drives.find(({ drive }) => drive === number);
  const others = state.faults.drives.filter(({ drive }) => drive !== number);
  const left = (known?.alerts ?? []).filter(
    (flag) => isUsedUp || (!cleaningAlerts.includes(flag) && flag !== cleaningUsedUp),
  );
  const alerts = isUsedUp ? [...new Set([...left, cleaningUsedUp])] : left;
  const usual = { drive: number, reserved: false, becomingReady: 0, attention: null };
  return {
    ...state,
    faults: { ...state.faults, drives: [...others, { ...usual, ...known, alerts }] },
    cleanings: isUsedUp ? state.cleanings : { ...state.cleanings, [barcode]: done + 1 },
  };
}

/** The places when these cartridges are inside. Throws a `DeviceError` when that cannot be. */
function placesFor(state: LibraryState, barcodes: readonly string[]): LibraryState['places'] {
  const wanted = new Set(barcodes);
  const entries = Object.entries(state.places);
  for (const [address, { barcode }] of entries) {
    if (wanted.has(barcode)) continue;
    const kind = kindAt(state, Number(address));
    if (kind === 'drive' || kind === 'robot') {
      const where = kind === 'drive' ? 'a drive' : 'the hand of the robot';
      throw new DeviceError('busy', `${barcode} is in ${where}; move it to a slot before it is taken out.`);
    }
  }
  const kept = entries.filter(([, { barcode }]) => wanted.has(barcode));
  const present = new Set(kept.map(([, { barcode }]) => barcode));
  const taken = new Set(kept.map(([address]) => Number(address)));
  const free = [...addressesOf(state, 'mail'), ...addressesOf(state, 'storage')].filter(
    (one) => !taken.has(one),
  );
  const added = barcodes.filter((barcode) => !present.has(barcode));
  if (added.length > free.length) {
    throw new DeviceError(
      'noSpace',
      `There are ${free.length} free slots for ${added.length} more cartridges; take others out, or make a larger library.`,
    );
  }
  const put = added.map((barcode, index) => [String(free[index]), { barcode, source: null }] as const);
  return Object.fromEntries([...kept, ...put]);
}

/** A cleaning cartridge has no tape to write on. */
async function makeMissing(folder: string, barcodes: readonly string[]): Promise<void> {
  const there = new Set(await readdir(join(folder, 'cartridges')));
  for (const barcode of barcodes) {
    if (there.has(`${barcode}.tape`) || isCleaningBarcode(barcode)) continue;
    await makeTapeFile(cartridgePath(folder, barcode));
  }
}

/** Makes the folder of a library, whole or not at all, with its cartridges in the first storage slots. */
export async function makeVirtualLibrary(
  folder: string,
  library: Pick<LibraryState, 'serial' | 'slots' | 'drives' | 'mailSlots' | 'cartridgeBytes' | 'faults'>,
  barcodes: readonly string[],
): Promise<void> {
  const making = join(dirname(folder), `.making-${library.serial}`);
  try {
    await mkdir(join(making, 'cartridges'), { recursive: true, mode: 0o700 });
    await makeMissing(making, barcodes);
    const storage = addressesOf(library, 'storage');
    const places = Object.fromEntries(
      barcodes.map((barcode, index) => [String(storage[index]), { barcode, source: null }]),
    );
    await writeState(making, { ...library, places, cleanings: {} });
    await syncDirectory(join(making, 'cartridges'));
    await rename(making, folder);
    await syncDirectory(dirname(folder));
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    throw toDeviceError(error, `The virtual library in ${folder} cannot be made`);
  }
}
