import type { FoundDevices, MediaChanger, TapeDrive } from '../device.ts';
import type { ErrorData } from '../device-error.ts';
import type { IscsiPortal } from '../scsi/iscsi/initiator.ts';
import type { VirtualLibraries } from '../scsi/virtual/virtual-driver.ts';
import type { CopyRest } from '../tape/copy-files.ts';
import type { ReadPart, TapePart, TapeReading } from '../tape/read-part.ts';
import type { TapeCopySource, TapeTarget, WrittenPart } from '../tape/write-part.ts';

export const tapeDriverKinds = ['linux-scsi', 'virtual', 'iscsi'] as const;
export type TapeDriverKind = (typeof tapeDriverKinds)[number];

export interface TapeThreadInput {
  readonly virtualFolder: string;
  readonly initiatorName: string;
}

/** What is called on something opened: its name and what goes before the signal. */
interface Use<Methods> {
  readonly handle: number;
  readonly method: Methods;
  readonly args: readonly unknown[];
}

export type ChangerMethod = Exclude<keyof MediaChanger, 'close'>;
export type DriveMethod = Exclude<keyof TapeDrive, 'close'>;
export type VirtualMethod = Exclude<keyof VirtualLibraries, 'driver' | 'close'>;

/** What the thread does for its owner. A handle is a number for something that stays open there until `release`. */
export interface TapeCalls {
  scan: { readonly input: { readonly kind: TapeDriverKind }; readonly output: FoundDevices };
  isThere: {
    readonly input: { readonly kind: TapeDriverKind; readonly path: string };
    readonly output: boolean;
  };
  openChanger: {
    readonly input: { readonly kind: TapeDriverKind; readonly path: string };
    readonly output: number;
  };
  openDrive: {
    readonly input: { readonly kind: TapeDriverKind; readonly path: string };
    readonly output: number;
  };
  changer: { readonly input: Use<ChangerMethod>; readonly output: unknown };
  drive: { readonly input: Use<DriveMethod>; readonly output: unknown };
  virtual: { readonly input: Omit<Use<VirtualMethod>, 'handle'>; readonly output: unknown };
  openWriter: {
    readonly input: Omit<TapeCopySource, 'onBytes'>;
    readonly output: { readonly handle: number; readonly totalBytes: number | null };
  };
  completeWriter: {
    readonly input: { readonly handle: number; readonly rest: CopyRest };
    readonly output: null;
  };
  writePart: {
    readonly input: {
      readonly handle: number;
      readonly drive: number;
      readonly target: Omit<TapeTarget, 'drive'>;
    };
    readonly output: WrittenPart;
  };
  openReader: {
    readonly input: { readonly folder: string | null; readonly reading: TapeReading };
    readonly output: number;
  };
  readPart: {
    readonly input: { readonly handle: number; readonly drive: number; readonly part: TapePart };
    readonly output: ReadPart;
  };
  finishReader: { readonly input: { readonly handle: number }; readonly output: null };
  release: { readonly input: { readonly handle: number }; readonly output: null };
  /** Closes everything; the thread ends. */
  close: { readonly input: null; readonly output: null };
}
export type TapeCall = keyof TapeCalls;

export type ToTapeThread =
  | { readonly type: 'call'; readonly id: number; readonly call: TapeCall; readonly input: unknown }
  | { readonly type: 'abort'; readonly id: number }
  /** The call stops between two blocks, and goes on. */
  | { readonly type: 'hold' | 'go'; readonly id: number }
  | { readonly type: 'portals'; readonly id: number; readonly portals: readonly IscsiPortal[] | ErrorData };

export type FromTapeThread =
  | { readonly type: 'done'; readonly id: number; readonly output: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly error: ErrorData }
  /** Bytes since the last such word. */
  | { readonly type: 'progress'; readonly id: number; readonly bytes: number }
  | { readonly type: 'askPortals'; readonly id: number }
  | { readonly type: 'leftOut'; readonly where: string; readonly error: ErrorData };
