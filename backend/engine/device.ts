/**
 * What a driver of tape libraries and drives offers. A driver knows the devices of one kind (SCSI generic nodes of
 * Linux, portals of iSCSI, simulated libraries in a folder); who uses one knows none of that.
 *
 * All calls: a failure is a `DeviceError` whose `kind` says what can be done. `permanent`, `notFound`, `permission` and
 * `corrupt` do not go away by asking again; `busy` and `transient` may. An aborted signal rejects with `cancelled`; what the
 * device was doing meanwhile may still come to its end, so after an aborted move the inventory has to be read again.
 */

/** Robot of a library, as a scan finds it. */
export interface FoundChanger {
  /** `/dev/sg3`, `iscsi://address:port/iqn/lun`, `virtual://name/lun`: opens the device, but may change at a restart. */
  readonly path: string;
  readonly vendor: string;
  readonly model: string;
  /** Empty when the device tells none; then only its path tells it from others. */
  readonly serial: string;
  /** Storage slots; null when only the opened device could tell. */
  readonly slotsCount: number | null;
  readonly drivesCount: number | null;
}

export interface FoundDrive {
  readonly path: string;
  /** The tape node of the operating system (`/dev/st0`), where it has one. */
  readonly stPath: string | null;
  readonly vendor: string;
  readonly model: string;
  readonly serial: string;
  /** Path of the changer that this drive seems to belong to; null when nothing tells. */
  readonly changerPath: string | null;
}

export interface FoundDevices {
  readonly changers: readonly FoundChanger[];
  readonly drives: readonly FoundDrive[];
}

export const elementKinds = ['storage', 'mail', 'drive', 'robot'] as const;
export type ElementKind = (typeof elementKinds)[number];

/** One place for a cartridge. */
export interface LibraryElement {
  /** As the device numbers it: gaps, any start and any order of the kinds are usual. Moves take these numbers. */
  readonly address: number;
  readonly kind: ElementKind;
  readonly full: boolean;
  /** As it was read, without the blanks that fill it up: hostile text. Null when there is none or it cannot be read. */
  readonly barcode: string | null;
  /** The device reports that this place needs a person (an unreadable label, a jammed cartridge). */
  readonly exception: boolean;
  /** Why it needs one, with the codes that the device told; null when it does not, or does not tell. */
  readonly reason: string | null;
  /**
   * The robot gets at this place. False of import/export: its door is open, or its magazine is out. A device that says so of none of its
   * places tells nothing of it, and then it is null.
   */
  readonly reachable: boolean | null;
  /** Of import/export: a person has put the cartridge in, and not the robot. */
  readonly fromOutside: boolean;
  /** For a drive, the serial number of the drive that is built in there, if the device tells it. */
  readonly driveSerial: string | null;
}

/** The robot of a library, opened. One call at a time; `close` always. */
export interface MediaChanger {
  /**
   * All elements, by address. Reads only, may be repeated. An empty list never means an empty library: a device that
   * answers no elements is a failure (`corrupt`).
   */
  inventory(signal: AbortSignal): Promise<readonly LibraryElement[]>;
  /**
   * Moves the cartridge at `from` to `to`. Never repeated by the driver. `busy`: the source is empty, the target is full or
   * the drive does not release it; the cartridge is where it was. Any other failure leaves its place unknown: read the inventory.
   */
  move(from: number, to: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** What one read of a tape met. `data` stay as they are until the read after the next one is asked for; whoever needs them longer copies them. */
export type TapeRead =
  | { readonly kind: 'block'; readonly data: Uint8Array }
  | { readonly kind: 'filemark' }
  | { readonly kind: 'endOfData' };

/** What a drive says of itself and of the cartridge in it. */
export interface DriveHealth {
  /** Flags of TapeAlert that are set, 1 to 64; null when the drive tells none. */
  readonly alerts: readonly number[] | null;
  /** It asks to be cleaned, by an alert or with any answer since it was opened. */
  readonly needsCleaning: boolean;
}

/** `expired`: the cleaning cartridge is used up. `failed`: the drive did not clean with it. */
export type CleaningEnd = 'cleaned' | 'expired' | 'failed';

/** What a drive tells of a cartridge when it is loaded. */
export interface LoadedTape {
  readonly isWriteProtected: boolean;
}

/** A drive, opened. One call at a time; `close` always, it leaves the cartridge where it is. */
export interface TapeDrive {
  /** Waits until the cartridge in the drive is ready; the position is the beginning. Idempotent. */
  load(signal: AbortSignal): Promise<LoadedTape>;
  /** Releases the cartridge so that the robot can take it; the position is lost. Idempotent. */
  unload(signal: AbortSignal): Promise<void>;
  /** Rewinds, and lets the robot take the cartridge out by itself; the position is lost. Idempotent. */
  letGo(signal: AbortSignal): Promise<void>;
  /** Idempotent; the position is the beginning. */
  rewind(signal: AbortSignal): Promise<void>;
  /** Forward past `count` filemarks; the position is behind the last of them. A failure leaves the position unknown. */
  skipFilemarks(count: number, signal: AbortSignal): Promise<void>;
  /** Idempotent; the position is behind what was written last. */
  goToEndOfData(signal: AbortSignal): Promise<void>;
  /** Of `maxBytes` at most; a longer block is `corrupt`. The position is behind what was met; at the end of data it stays. */
  read(maxBytes: number, signal: AbortSignal): Promise<TapeRead>;
  /**
   * Writes one block here; everything behind it is gone. `true`: written, but the end of the tape is near, so that only what
   * closes the tape may follow. `noSpace`: not written. Never repeated by the driver; another failure leaves the position unknown.
   */
  write(block: Uint8Array, signal: AbortSignal): Promise<boolean>;
  /** 0 writes no mark and only makes sure that everything before is on the tape. Otherwise as `write`. */
  writeFilemarks(count: number, signal: AbortSignal): Promise<boolean>;
  /** Blocks and filemarks before the place, by the drive's own count; null when it does not tell. */
  readPosition(signal: AbortSignal): Promise<number | null>;
  /** To a place that `readPosition` told, or so many blocks behind it. A failure leaves the position unknown. */
  locate(block: number, signal: AbortSignal): Promise<void>;
  /** Moves no tape; with or without a cartridge. */
  health(signal: AbortSignal): Promise<DriveHealth>;
  /** Waits for the end of the cleaning by the cleaning cartridge in the drive, which begins by itself. `unload` it after. */
  clean(signal: AbortSignal): Promise<CleaningEnd>;
  close(): Promise<void>;
}

export interface LibraryDriver {
  /** Word for logs; each driver has its own. */
  readonly kind: string;
  /** What is there now. Moves nothing, may be repeated; a single device that does not answer is left out. */
  scan(signal: AbortSignal): Promise<FoundDevices>;
  /** Whether `path` is one that this driver opens, by its form alone. */
  owns(path: string): boolean;
  /** Whether the device is there, without asking it anything that may take long; never rejects. */
  isThere(path: string): Promise<boolean>;
  openChanger(path: string, signal: AbortSignal): Promise<MediaChanger>;
  openDrive(path: string, signal: AbortSignal): Promise<TapeDrive>;
}
