import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import { mediaSets } from './media-sets.ts';
import type { createTapeStore, Cartridge as StoredCartridge } from './tape-store.ts';

/** As the API gives them, with the cartridges that each belongs to. */
export async function toCartridgeRecords(
  store: ReturnType<typeof createTapeStore>,
  cartridges: readonly StoredCartridge[],
): Promise<Cartridge[]> {
  const sets = mediaSets(await store.copiesOnSeveral());
  const wanted = cartridges.flatMap(({ id }) => sets.get(id) ?? []);
  const known = wanted.length === 0 ? [] : await store.some([...new Set(wanted)]);
  const barcodes = new Map(known.map(({ id, barcode }) => [id, barcode]));
  return cartridges.map((cartridge) =>
    toRecord(
      cartridge,
      (sets.get(cartridge.id) ?? []).flatMap((id) => barcodes.get(id) ?? []),
    ),
  );
}

function toRecord(cartridge: StoredCartridge, mediaSet: readonly string[]): Cartridge {
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
    media_set: [...mediaSet],
    media_set_name: cartridge.mediaSet,
    expires: cartridge.expiresMs === null ? null : toWireTime(cartridge.expiresMs),
    created: toWireTime(cartridge.createdMs),
    cleanings: cartridge.cleanings,
    used_up: cartridge.isUsedUp,
    write_protected: cartridge.isWriteProtected,
  };
}
