import type {
  VirtualFaults,
  VirtualFaultsDraft,
} from '../../../contract/virtual-libraries/virtual-library.ts';
import { type LibraryFaults, noFaults } from '../../engine/index.ts';

/** What is named in the draft changes, a list as a whole; null makes all well. Pure. */
export function changedFaults(now: LibraryFaults, draft: VirtualFaultsDraft | null): LibraryFaults {
  if (draft === null) return noFaults;
  const { drives, cartridges } = draft;
  return {
    doorOpen: draft.door_open ?? now.doorOpen,
    robot: draft.robot ?? now.robot,
    unreadableBarcodes: draft.unreadable_barcodes ?? now.unreadableBarcodes,
    drives:
      drives?.map((one) => ({
        drive: one.drive,
        reserved: one.reserved ?? false,
        becomingReady: one.becoming_ready ?? 0,
        attention: one.attention ?? null,
        alerts: one.alerts ?? [],
      })) ?? now.drives,
    cartridges:
      cartridges?.map((one) => ({
        barcode: one.barcode,
        writeProtected: one.write_protected ?? false,
        earlyWarningAt: one.early_warning_at ?? null,
        endAt: one.end_at ?? null,
        readErrorAt: one.read_error_at ?? null,
        writeErrorAt: one.write_error_at ?? null,
        pulledAt: one.pulled_at ?? null,
        usedUp: one.used_up ?? false,
      })) ?? now.cartridges,
  };
}

/** Why such faults cannot be had, or null. */
export function whyNoFaults(faults: LibraryFaults, drives: number): string | null {
  const numbers = faults.drives.map(({ drive }) => drive);
  const beyond = numbers.find((drive) => drive > drives);
  if (beyond !== undefined) return `names drive ${beyond}; the library has drives 1 to ${drives}`;
  if (new Set(numbers).size < numbers.length) return 'names a drive more than once';
  const barcodes = faults.cartridges.map(({ barcode }) => barcode);
  return new Set(barcodes).size < barcodes.length ? 'names a cartridge more than once' : null;
}

export function toFaultsRecord(faults: LibraryFaults): VirtualFaults {
  return {
    door_open: faults.doorOpen,
    robot: faults.robot,
    unreadable_barcodes: [...faults.unreadableBarcodes],
    drives: faults.drives.map((one) => ({
      drive: one.drive,
      reserved: one.reserved,
      becoming_ready: one.becomingReady,
      attention: one.attention,
      alerts: [...one.alerts],
    })),
    cartridges: faults.cartridges.map((one) => ({
      barcode: one.barcode,
      write_protected: one.writeProtected,
      early_warning_at: one.earlyWarningAt,
      end_at: one.endAt,
      read_error_at: one.readErrorAt,
      write_error_at: one.writeErrorAt,
      pulled_at: one.pulledAt ?? null,
      used_up: one.usedUp === true,
    })),
  };
}

/** Why the library cannot go, or null. */
export function whyVirtualLibraryStays(name: string, usedPaths: readonly string[]): string | null {
  const used = usedPaths.find((path) => path.startsWith(`virtual://${name}/`));
  return used === undefined ? null : `a tape library uses ${used}; remove that library first`;
}
