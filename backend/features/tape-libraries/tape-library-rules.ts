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

interface PlacedDrive {
  readonly id: number;
  readonly serial: string;
  readonly sgPath: string;
}

/**
 * Which drive stands at which element, and what is in it. They are matched by serial number where both tell one that no other has. Of the
 * rest a single drive belongs to the single element that is left; several at one target belong to the elements in the order of their units,
 * when all elements have a drive here: one that were the wrong one would be empty when it is loaded, and the task would say so. A drive that is
 * not matched counts as empty: nothing is known of it.
 */
export function driveStates(
  drives: readonly PlacedDrive[],
  elements: readonly LibraryElement[],
): readonly DriveState[] {
  const places = elements.filter(({ kind }) => kind === 'drive');
  const serials = places.map(({ driveSerial }) => driveSerial);
  const isOwn = (serial: string | null): serial is string =>
    serial !== null &&
    serials.filter((other) => other === serial).length === 1 &&
    drives.filter((drive) => drive.serial === serial).length === 1;
  const matched = new Map<number, LibraryElement>();
  for (const place of places) {
    const { driveSerial } = place;
    const drive = isOwn(driveSerial) && drives.find(({ serial }) => serial === driveSerial);
    if (drive) matched.set(drive.id, place);
  }
  const left = inOrder(drives.filter(({ id }) => !matched.has(id)));
  const taken = new Set(matched.values());
  // One that tells a serial number which none of ours has is that of another drive.
  const open = places.filter(
    (place) =>
      !taken.has(place) &&
      (place.driveSerial === null || drives.some(({ serial }) => serial === place.driveSerial)),
  );
  if (left !== null && drives.length === places.length && left.length === open.length) {
    const byAddress = [...open].sort((one, other) => one.address - other.address);
    for (const [index, { id }] of left.entries()) {
      const place = byAddress[index];
      if (place) matched.set(id, place);
    }
  }
  return drives.map(({ id }) => {
    const place = matched.get(id);
    if (!place) return { id, elementAddress: null, status: 'Empty', barcode: null };
    return { id, elementAddress: place.address, status: statusOf(place), barcode: barcodeText(place) };
  });
}

/** By their units at one target; null when there are several and they are not units of one. */
function inOrder(drives: readonly PlacedDrive[]): readonly PlacedDrive[] | null {
  if (drives.length < 2) return drives;
  const units = drives.map((drive) => ({ drive, unit: /^(.+\/)(\d+)$/.exec(drive.sgPath) }));
  const [first] = units;
  if (!units.every(({ unit }) => unit !== null && unit[1] === first?.unit?.[1])) return null;
  return units
    .sort((one, other) => Number(one.unit?.[2]) - Number(other.unit?.[2]))
    .map(({ drive }) => drive);
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
