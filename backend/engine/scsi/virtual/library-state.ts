import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../platform/files.ts';
import type { ElementKind } from '../../device.ts';
import { DeviceError, toDeviceError } from '../../device-error.ts';

/** What a drive of a virtual library does wrong. */
export interface DriveFaults {
  /** 1 is the first drive. */
  readonly drive: number;
  /** Another host has reserved it. */
  readonly reserved: boolean;
  /** How often after each load it answers that it is becoming ready. */
  readonly becomingReady: number;
  /** Told once to everybody who uses the drive. */
  readonly attention: 'medium_changed' | 'reset' | null;
  /** Flags of TapeAlert that are set, 1 to 64; 20 and 21 ask for cleaning, which a cleaning cartridge does. */
  readonly alerts: readonly number[];
}

/** What is wrong with a cartridge. */
export interface CartridgeFaults {
  readonly barcode: string;
  readonly writeProtected: boolean;
  /** Bytes of data after which the early warning comes; null = as its size has it. */
  readonly earlyWarningAt: number | null;
  /** Bytes of data after which nothing more fits; null = its size. */
  readonly endAt: number | null;
  /** The block or filemark with this number, from 0, cannot be read. */
  readonly readErrorAt: number | null;
  /** The block or filemark with this number, from 0, cannot be written. */
  readonly writeErrorAt: number | null;
  /** A person pulls it out of the drive just before the block or filemark with this number is read or written, once. */
  readonly pulledAt?: number | null;
  /** A cleaning cartridge that cleans no more. */
  readonly usedUp: boolean;
}

export interface LibraryFaults {
  readonly doorOpen: boolean;
  /** `jams`: the next cartridge stays in the hand of the robot. */
  readonly robot: 'works' | 'stuck' | 'jams';
  readonly unreadableBarcodes: readonly string[];
  readonly drives: readonly DriveFaults[];
  readonly cartridges: readonly CartridgeFaults[];
}

export const noFaults: LibraryFaults = {
  doorOpen: false,
  robot: 'works',
  unreadableBarcodes: [],
  drives: [],
  cartridges: [],
};

export interface LibraryLayout {
  readonly slots: number;
  readonly drives: number;
  readonly mailSlots: number;
  /** Bytes of each cartridge. */
  readonly cartridgeBytes: number;
}

export interface Placed {
  readonly barcode: string;
  /** Where it was before; null when a person put it there. */
  readonly source: number | null;
}

/** All that a virtual library knows, but for the contents of its cartridges. */
export interface LibraryState extends LibraryLayout {
  readonly serial: string;
  /** By element address; what is not here is empty. */
  readonly places: Readonly<Record<string, Placed>>;
  readonly faults: LibraryFaults;
  /** Cleanings that were done, by barcode of the cleaning cartridge. */
  readonly cleanings: Readonly<Record<string, number>>;
}

/** Where each kind of element begins: not in the order of the kinds, with gaps, as real libraries have it. */
const firstAddresses: Readonly<Record<ElementKind, number>> = {
  robot: 1,
  mail: 16,
  drive: 256,
  storage: 1000,
};

export const mostSlots = 2_000;
export const mostDrives = 16;
export const mostMailSlots = 100;

export function rangeOf(
  layout: LibraryLayout,
  kind: ElementKind,
): { readonly first: number; readonly count: number } {
  const counts = { robot: 1, mail: layout.mailSlots, drive: layout.drives, storage: layout.slots };
  return { first: firstAddresses[kind], count: counts[kind] };
}

export function addressesOf(layout: LibraryLayout, kind: ElementKind): readonly number[] {
  const { first, count } = rangeOf(layout, kind);
  return Array.from({ length: count }, (_, index) => first + index);
}

export function kindAt(layout: LibraryLayout, address: number): ElementKind | null {
  const kinds: readonly ElementKind[] = ['robot', 'mail', 'drive', 'storage'];
  const isAt = (kind: ElementKind): boolean => {
    const { first, count } = rangeOf(layout, kind);
    return address >= first && address < first + count;
  };
  return kinds.find(isAt) ?? null;
}

export const isCleaningBarcode = (barcode: string): boolean => /^CLN/i.test(barcode);
/** Such text is a name of a file too. */
export const isBarcode = (text: string): boolean => /^[A-Za-z0-9_-]{1,32}$/.test(text);
export const isLibraryName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(text);

export function cartridgePath(folder: string, barcode: string): string {
  return join(folder, 'cartridges', `${barcode}.tape`);
}

const stateName = 'library.json';
const stateFormat = 'strongroom-virtual-library';

export async function writeState(folder: string, state: LibraryState): Promise<void> {
  const text = JSON.stringify({ format: stateFormat, version: 1, ...state }, null, 2);
  try {
    await writeFileAtomic(join(folder, stateName), `${text}\n`);
  } catch (error) {
    throw toDeviceError(error, `The virtual library in ${folder} cannot be written`);
  }
}

/** Throws `notFound` when there is none, `corrupt` when it is no library of this version. */
export async function readState(folder: string): Promise<LibraryState> {
  const file = join(folder, stateName);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw toDeviceError(error, `The virtual library in ${folder} cannot be read`);
  });
  const damaged = (cause?: unknown): DeviceError =>
    new DeviceError('corrupt', `${file} is not what a virtual library writes; put a whole one back.`, {
      cause,
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw damaged(error);
  }
  if (!isState(parsed)) throw damaged();
  const { serial, slots, drives, mailSlots, cartridgeBytes, places, faults, cleanings } = parsed;
  return { serial, slots, drives, mailSlots, cartridgeBytes, places, faults, cleanings };
}

function isState(value: unknown): value is LibraryState {
  if (typeof value !== 'object' || value === null) return false;
  const state = value as Partial<LibraryState> & { readonly format?: unknown; readonly version?: unknown };
  const isCount = (count: unknown, least: number, most: number): boolean =>
    Number.isInteger(count) && (count as number) >= least && (count as number) <= most;
  const isObject = (part: unknown): boolean => typeof part === 'object' && part !== null;
  return (
    state.format === stateFormat &&
    state.version === 1 &&
    typeof state.serial === 'string' &&
    isCount(state.slots, 1, mostSlots) &&
    isCount(state.drives, 1, mostDrives) &&
    isCount(state.mailSlots, 0, mostMailSlots) &&
    isCount(state.cartridgeBytes, 1, Number.MAX_SAFE_INTEGER) &&
    isObject(state.places) &&
    Object.values(state.places ?? {}).every((placed) => isBarcode(placed?.barcode ?? '')) &&
    isObject(state.faults) &&
    isObject(state.cleanings)
  );
}
