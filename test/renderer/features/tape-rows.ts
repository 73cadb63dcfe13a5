import type { Cartridge, LibraryElementRecord } from '../../../contract/cartridges/cartridge.ts';
import type { TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';
import type { VirtualFaults, VirtualLibrary } from '../../../contract/virtual-libraries/virtual-library.ts';

export function cartridge(id: number, change: Partial<Cartridge> = {}): Cartridge {
  return {
    id,
    tape_library: 1,
    barcode: `SR000${id}L8`,
    pool: 'Tapes',
    location: 'storage',
    element_address: 1000 + id,
    state: 'labelled',
    label_uuid: null,
    written: 0,
    capacity: null,
    copies: 0,
    media_set: [],
    media_set_name: null,
    expires: null,
    cleanings: 0,
    used_up: false,
    write_protected: null,
    created: '2026-01-01T00:00:00',
    ...change,
  };
}

/** A place; with a barcode it is full. */
export function element(
  type: string,
  number: number,
  barcode: string | null = null,
  change: Partial<LibraryElementRecord> = {},
): LibraryElementRecord {
  const first: Readonly<Record<string, number>> = { robot: 0, drive: 1, mail: 16, storage: 1001 };
  return {
    address: (first[type] ?? 0) + number - 1,
    number,
    type,
    full: barcode !== null,
    barcode,
    needs_person: false,
    reason: null,
    reachable: null,
    from_outside: false,
    cartridge: null,
    ...change,
  };
}

export function library(change: Partial<TapeLibrary> = {}): TapeLibrary {
  return {
    id: 1,
    pool: 'Tapes',
    media_server: 'here',
    description: null,
    vendor: 'LAB',
    model: 'TAPE-LIBRARY',
    serial: 'LIB1',
    sg_path: 'virtual://rack-1/0',
    slots_count: 4,
    status: 'Online',
    medium_changers: [],
    tape_drives: [],
    last_sync: null,
    robot_unloads: false,
    ...change,
  };
}

export const allWell: VirtualFaults = {
  door_open: false,
  robot: 'works',
  unreadable_barcodes: [],
  drives: [],
  cartridges: [],
};

export function virtualLibrary(change: Partial<VirtualLibrary> = {}): VirtualLibrary {
  return {
    id: 1,
    media_server: 'here',
    name: 'rack-1',
    sg_path: 'virtual://rack-1/0',
    slots: 4,
    drives: 1,
    mail_slots: 1,
    cartridges: ['SR0001L8', 'CLN001L1'],
    cartridge_size: 1024,
    faults: allWell,
    status: 'Online',
    created: '2026-01-01T00:00:00',
    ...change,
  };
}
