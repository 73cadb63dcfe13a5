import type { TapeDriveStatus, TapeLibraryStatus } from '../../../contract/tape-libraries/tape-library.ts';
import type { LibraryElement } from '../../engine/index.ts';
import { counted } from '../bulk.ts';
import { barcodeText } from './inventory-rules.ts';

/**
 * By which a robot or drive is found again, so that it keeps its id when its path changes. One that tells no serial
 * number, or shares it with another one, has nothing but its path.
 */
export function deviceKeys(
  devices: readonly {
    readonly path: string;
    readonly vendor: string;
    readonly model: string;
    readonly serial: string;
  }[],
): readonly string[] {
  const bySerial = devices.map(
    ({ vendor, model, serial }) => `serial ${JSON.stringify([vendor, model, serial])}`,
  );
  return devices.map((device, index) => {
    const key = bySerial[index] ?? '';
    const isShared = bySerial.filter((other) => other === key).length > 1;
    return device.serial === '' || isShared ? `path ${device.path}` : key;
  });
}

export interface DriveState {
  readonly id: number;
  readonly elementAddress: number | null;
  readonly status: TapeDriveStatus;
  readonly barcode: string | null;
}

/**
 * Which drive stands at which element, and what is in it. They are matched by serial number; a single drive at a single
 * element needs none. A drive that is not matched counts as empty: nothing is known of it.
 */
export function driveStates(
  drives: readonly { readonly id: number; readonly serial: string }[],
  elements: readonly LibraryElement[],
): readonly DriveState[] {
  const places = elements.filter(({ kind }) => kind === 'drive');
  return drives.map(({ id, serial }) => {
    const bySerial = places.find((place) => serial !== '' && place.driveSerial === serial);
    const onlyOne = places.length === 1 && drives.length === 1 ? places[0] : undefined;
    const place = bySerial ?? (onlyOne?.driveSerial === null ? onlyOne : undefined);
    if (!place) return { id, elementAddress: null, status: 'Empty', barcode: null };
    return { id, elementAddress: place.address, status: statusOf(place), barcode: barcodeText(place) };
  });
}

function statusOf(place: LibraryElement): TapeDriveStatus {
  if (place.exception) return 'Error';
  return place.full ? 'Loaded' : 'Empty';
}

export function libraryStatus(facts: {
  readonly isSyncing: boolean;
  readonly isThere: boolean;
  readonly hasFailed: boolean;
}): TapeLibraryStatus {
  if (facts.isSyncing) return 'Sync';
  if (!facts.isThere) return 'Offline';
  return facts.hasFailed ? 'Error' : 'Online';
}

export interface LibraryUse {
  readonly id: number;
  readonly pool: string;
  /** Cartridges that hold anything. */
  readonly writtenCartridges: number;
  readonly activeTasks: number;
  /** Of these, those that do not wait for something to be brought. */
  readonly workingTasks: number;
}

/** Why the library cannot go, or null. */
export function whyLibraryStays(use: LibraryUse): string | null {
  if (use.writtenCartridges > 0) {
    return `the library of pool \`${use.pool}\` has ${counted(use.writtenCartridges, 'cartridge')} with copies; delete the copies first`;
  }
  return whyUsed(use.pool, use.activeTasks);
}

/** Why the library cannot be read now, or null. A task that waits for a cartridge waits for just that. */
export function whyLibraryIsBusy(use: LibraryUse): string | null {
  return whyUsed(use.pool, use.workingTasks);
}

function whyUsed(pool: string, tasks: number): string | null {
  if (tasks === 0) return null;
  return `the library of pool \`${pool}\` is used by ${counted(tasks, 'active task')}; wait for the end`;
}
