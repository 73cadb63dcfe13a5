import {
  DeviceError,
  type DeviceErrorKind,
  type ElementKind,
  type FoundChanger,
  type FoundDrive,
  type LibraryDriver,
  type LibraryElement,
  type MediaChanger,
} from '../../backend/engine/index.ts';

interface Place {
  readonly address: number;
  readonly kind: ElementKind;
  readonly driveSerial: string | null;
  full: boolean;
  barcode: string | null;
  exception: boolean;
  reason: string | null;
  reachable: boolean | null;
  readonly fromOutside: boolean;
}

export interface ScriptedLibraryOptions {
  readonly name?: string;
  readonly serial?: string;
  /** Addresses by kind; a library of eight slots, one mail slot and two drives unless told. */
  readonly storage?: readonly number[];
  readonly mail?: readonly number[];
  readonly drives?: readonly number[];
  readonly robot?: number;
  /** Barcodes of the cartridges in the first storage slots. */
  readonly barcodes?: readonly string[];
  /** The robot tells which drive stands where. */
  readonly tellsDriveSerials?: boolean;
}

export interface ScriptedLibrary {
  readonly driver: LibraryDriver;
  readonly path: string;
  /** Puts a cartridge at an address, as a person would. `null` = without a readable barcode. */
  insert(address: number, barcode: string | null): void;
  takeOut(address: number): void;
  /** Plugged in again it has other paths, as after a restart of the host. */
  replug(suffix: string): void;
  unplug(): void;
  plugIn(): void;
  /** A place that needs a person. */
  jam(address: number): void;
  /** From now on the call fails, or is right again (`null`). */
  fail(call: 'scan' | 'open' | 'inventory' | 'move', kind: DeviceErrorKind | 'bug' | null): void;
  /** From now on the robot tells nothing of this kind of place. */
  hide(kind: ElementKind): void;
  /** Inventories wait until the answer is called. */
  hold(): () => void;
  /** Moves through the interface, as a job would. */
  move(from: number, to: number): Promise<void>;
  /** Opened robots that were not closed. */
  openChangers(): number;
}

const range = (start: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => start + index);

/** A library in memory behind the interface of the drivers: it has a state, and does what it is told to do wrong. */
export function createScriptedLibrary(options: ScriptedLibraryOptions = {}): ScriptedLibrary {
  const name = options.name ?? 'one';
  const serial = options.serial ?? `LIB-${name}`;
  const driveAddresses = options.drives ?? [1, 2];
  const driveSerial = (index: number): string => `DRV-${name}-${index + 1}`;
  const placesOf = (kind: ElementKind, addresses: readonly number[]): Place[] =>
    addresses.map((address, index) => ({
      address,
      kind,
      driveSerial: kind === 'drive' && (options.tellsDriveSerials ?? true) ? driveSerial(index) : null,
      full: false,
      barcode: null,
      exception: false,
      reason: null,
      reachable: null,
      fromOutside: false,
    }));
  const places: readonly Place[] = [
    ...placesOf('robot', [options.robot ?? 16]),
    ...placesOf('drive', driveAddresses),
    ...placesOf('mail', options.mail ?? [768]),
    ...placesOf('storage', options.storage ?? range(1024, 8)),
  ];
  const failures = new Map<string, DeviceErrorKind | 'bug'>();
  const hidden = new Set<ElementKind>();
  let suffix = '';
  let isPlugged = true;
  let opened = 0;
  let held: Promise<void> = Promise.resolve();

  const path = (): string => `scripted://${name}${suffix}/0`;
  const failIfTold = (call: string): void => {
    const kind = failures.get(call);
    if (kind === 'bug') throw new TypeError(`secret detail of ${call}`);
    if (kind) throw new DeviceError(kind, `${path()}: the script fails ${call}.`);
  };
  const at = (address: number): Place => {
    const place = places.find((one) => one.address === address);
    if (!place) throw new DeviceError('permanent', `${path()}: there is no element ${address}.`);
    return place;
  };
  for (const [index, barcode] of (options.barcodes ?? []).entries()) {
    const slot = places.filter(({ kind }) => kind === 'storage')[index];
    if (!slot) throw new Error('more cartridges than slots');
    Object.assign(slot, { full: true, barcode });
  }

  const changer: MediaChanger = {
    inventory: async (signal) => {
      await held;
      signal.throwIfAborted();
      failIfTold('inventory');
      return places.filter(({ kind }) => !hidden.has(kind)).map((place): LibraryElement => ({ ...place }));
    },
    move: async (from, to) => {
      failIfTold('move');
      const source = at(from);
      const target = at(to);
      if (!source.full) throw new DeviceError('busy', `${path()}: element ${from} is empty.`);
      if (target.full) throw new DeviceError('busy', `${path()}: element ${to} is full.`);
      Object.assign(target, { full: true, barcode: source.barcode });
      Object.assign(source, { full: false, barcode: null });
    },
    close: async () => {
      opened -= 1;
    },
  };
  const driver: LibraryDriver = {
    kind: `scripted-${name}`,
    owns: (asked) => asked.startsWith(`scripted://${name}`),
    isThere: async (asked) => isPlugged && asked.startsWith(`scripted://${name}${suffix}/`),
    scan: async () => {
      failIfTold('scan');
      const drives = driveAddresses.map(
        (_address, index): FoundDrive => ({
          path: `scripted://${name}${suffix}/${index + 1}`,
          stPath: null,
          vendor: 'ACME',
          model: 'Drive 9',
          serial: driveSerial(index),
          changerPath: path(),
        }),
      );
      const robot: FoundChanger = {
        path: path(),
        vendor: 'ACME',
        model: 'Robot 3000',
        serial,
        slotsCount: places.filter(({ kind }) => kind === 'storage').length,
        drivesCount: drives.length,
      };
      return isPlugged ? { changers: [robot], drives } : { changers: [], drives: [] };
    },
    openChanger: async (asked) => {
      failIfTold('open');
      if (!isPlugged || asked !== path()) throw new DeviceError('notFound', `${asked}: nothing answers.`);
      opened += 1;
      return changer;
    },
    openDrive: async (asked) => {
      throw new DeviceError('permanent', `${asked}: the drives of this script are not for use.`);
    },
  };

  return {
    driver,
    get path() {
      return path();
    },
    insert: (address, barcode) => {
      Object.assign(at(address), { full: true, barcode });
    },
    takeOut: (address) => {
      Object.assign(at(address), { full: false, barcode: null });
    },
    replug: (next) => {
      suffix = next;
    },
    unplug: () => {
      isPlugged = false;
    },
    plugIn: () => {
      isPlugged = true;
    },
    jam: (address) => {
      at(address).exception = true;
    },
    fail: (call, kind) => {
      if (kind === null) failures.delete(call);
      else failures.set(call, kind);
    },
    hide: (kind) => {
      hidden.add(kind);
    },
    hold: () => {
      let release: () => void = () => undefined;
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    move: (from, to) => changer.move(from, to, new AbortController().signal),
    openChangers: () => opened,
  };
}
