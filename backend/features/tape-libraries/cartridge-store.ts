import type { Db, Tx } from '../../db/index.ts';

export interface StoredCartridge {
  readonly id: number;
  readonly barcode: string;
  readonly location: string;
  readonly elementAddress: number | null;
  readonly moveFailure: string | null;
}

export interface CartridgePlace {
  /** Kind of the element, or `outside`. */
  readonly location: string;
  readonly elementAddress: number | null;
}

/** The cartridges that are registered. One that was taken out of its library stays registered, and is `outside`. */
export function createCartridgeStore(db: Db | Tx) {
  return {
    ofLibrary: async (libraryId: number): Promise<readonly StoredCartridge[]> =>
      db
        .selectFrom('cartridges')
        .select(['id', 'barcode', 'location', 'element_address as elementAddress'])
        .select('move_failure as moveFailure')
        .where('tape_library_id', '=', libraryId)
        .orderBy('id')
        .execute(),

    register: async (
      cartridges: readonly (CartridgePlace & { readonly barcode: string; readonly state: string })[],
      owner: { readonly libraryId: number; readonly poolId: number; readonly createdMs: number },
    ): Promise<void> => {
      for (const cartridge of cartridges) {
        await db
          .insertInto('cartridges')
          .values({
            tape_library_id: owner.libraryId,
            pool_id: owner.poolId,
            barcode: cartridge.barcode,
            state: cartridge.state,
            location: cartridge.location,
            element_address: cartridge.elementAddress,
            label_uuid: null,
            capacity: null,
            expires_ms: null,
            created_ms: owner.createdMs,
          })
          .execute();
      }
    },

    /** Whatever the robot could not do with it was about the place before, or is to be tried again. */
    place: async (id: number, place: CartridgePlace): Promise<void> => {
      await db
        .updateTable('cartridges')
        .set({ location: place.location, element_address: place.elementAddress, move_failure: null })
        .where('id', '=', id)
        .execute();
    },
  };
}
