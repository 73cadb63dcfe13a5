import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import type { Cartridge as StoredCartridge } from './tape-store.ts';

export function toCartridgeRecord(cartridge: StoredCartridge): Cartridge {
  return {
    id: cartridge.id,
    tape_library: cartridge.libraryId,
    barcode: cartridge.barcode,
    pool: cartridge.pool,
    location: cartridge.location,
    element_address: cartridge.elementAddress,
    state: cartridge.state,
    label_uuid: cartridge.labelUuid,
    written: cartridge.written,
    capacity: cartridge.capacity,
    copies: cartridge.copies,
    expires: cartridge.expiresMs === null ? null : toWireTime(cartridge.expiresMs),
    created: toWireTime(cartridge.createdMs),
    cleanings: cartridge.cleanings,
    used_up: cartridge.isUsedUp,
    write_protected: cartridge.isWriteProtected,
  };
}
