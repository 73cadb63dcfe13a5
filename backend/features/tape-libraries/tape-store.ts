import { sql } from 'kysely';
import type { Db, Tx } from '../../db/index.ts';
import type { CopyOnCartridge } from './media-sets.ts';
import type { WrittenSet } from './written-set.ts';

export interface Cartridge {
  readonly id: number;
  readonly libraryId: number;
  readonly poolId: number;
  readonly pool: string;
  readonly barcode: string;
  readonly state: string;
  /** Kind of the element that it is in, or `outside`. */
  readonly location: string;
  readonly elementAddress: number | null;
  readonly labelUuid: string | null;
  /** Of a label that is about to be written, or was when the process ended. */
  readonly nextLabelUuid: string | null;
  /** As a drive has told it last; null when none has yet. */
  readonly isWriteProtected: boolean | null;
  /** Why the robot could not bring it to a drive from where it is; null when it could, or did not try. */
  readonly moveFailure: string | null;
  /** Named by a person; null: a scratch cartridge. */
  readonly mediaSet: string | null;
  readonly written: number;
  readonly capacity: number | null;
  readonly nextFile: number;
  readonly createdMs: number;
  /** Copies in the catalogue that lie here, whole or in part. */
  readonly copies: number;
  /** Parts of what is being written, or of copies that are not known whole. */
  readonly openParts: number;
  /** When the last of its copies is kept no longer; null when there is none, or one is kept for ever. */
  readonly expiresMs: number | null;
  /** Of a cleaning cartridge: how often it has served, and whether it serves no more. */
  readonly cleanings: number;
  readonly isUsedUp: boolean;
}

export interface TapePartRow {
  readonly cartridgeId: number;
  readonly copyUuid: string;
  readonly number: number;
  readonly file: number;
  readonly bytes: number;
  readonly isLast: boolean;
  readonly state: 'writing' | 'found' | 'stored';
  readonly facts: string | null;
}

/** A part with where it is. */
export interface PlacedPart extends TapePartRow {
  readonly barcode: string;
  readonly libraryId: number;
  readonly labelUuid: string | null;
  readonly location: string;
}

export interface CartridgeChange {
  readonly state?: string;
  readonly labelUuid?: string | null;
  readonly nextLabelUuid?: string | null;
  readonly isWriteProtected?: boolean;
  readonly moveFailure?: string;
  readonly written?: number;
  readonly capacity?: number | null;
  readonly nextFile?: number;
}

/** Cartridges and what lies on them. */
export function createTapeStore(db: Db | Tx) {
  const liveParts = sql`tape_parts join copies on copies.uuid = tape_parts.copy_uuid
    where tape_parts.cartridge_id = cartridges.id`;
  const cartridges = () =>
    db
      .selectFrom('cartridges')
      .innerJoin('pools', 'pools.id', 'cartridges.pool_id')
      .selectAll('cartridges')
      .select('pools.name as pool')
      .select([
        sql<number>`(select count(distinct copies.id) from ${liveParts})`.as('copies'),
        sql<number>`(select count(*) from tape_parts where tape_parts.cartridge_id = cartridges.id
          and tape_parts.state <> 'stored')`.as('open_parts'),
        sql<number>`(select count(*) from ${liveParts} and copies.store_until_ms is null)`.as('endless'),
        sql<number | null>`(select max(copies.store_until_ms) from ${liveParts})`.as('until'),
      ])
      .orderBy('cartridges.id');
  type Row = Awaited<ReturnType<ReturnType<typeof cartridges>['execute']>>[number];
  const toCartridge = (row: Row): Cartridge => ({
    id: row.id,
    libraryId: row.tape_library_id,
    poolId: row.pool_id,
    pool: row.pool,
    barcode: row.barcode,
    state: row.state,
    location: row.location,
    elementAddress: row.element_address,
    labelUuid: row.label_uuid,
    nextLabelUuid: row.next_label_uuid,
    isWriteProtected: row.is_write_protected === null ? null : row.is_write_protected === 1,
    moveFailure: row.move_failure,
    mediaSet: row.media_set_name,
    written: row.written,
    capacity: row.capacity,
    nextFile: row.next_file,
    createdMs: row.created_ms,
    copies: Number(row.copies),
    openParts: Number(row.open_parts),
    expiresMs: Number(row.endless) > 0 || row.until === null ? null : Number(row.until),
    cleanings: row.cleanings,
    isUsedUp: row.is_used_up === 1,
  });
  const parts = () =>
    db
      .selectFrom('tape_parts')
      .innerJoin('cartridges', 'cartridges.id', 'tape_parts.cartridge_id')
      .selectAll('tape_parts')
      .select([
        'cartridges.barcode',
        'cartridges.tape_library_id',
        'cartridges.label_uuid',
        'cartridges.location',
      ])
      .orderBy('tape_parts.number')
      .orderBy('tape_parts.file');
  type PartRow = Awaited<ReturnType<ReturnType<typeof parts>['execute']>>[number];
  const toPart = (row: PartRow): PlacedPart => ({
    cartridgeId: row.cartridge_id,
    copyUuid: row.copy_uuid,
    number: row.number,
    file: row.file,
    bytes: row.bytes,
    isLast: row.is_last === 1,
    state: row.state as TapePartRow['state'],
    facts: row.facts,
    barcode: row.barcode,
    libraryId: row.tape_library_id,
    labelUuid: row.label_uuid,
    location: row.location,
  });

  return {
    all: async (): Promise<readonly Cartridge[]> => (await cartridges().execute()).map(toCartridge),

    some: async (ids: readonly number[]): Promise<readonly Cartridge[]> =>
      (
        await cartridges()
          .where('cartridges.id', 'in', [...ids, -1])
          .execute()
      ).map(toCartridge),

    ofPool: async (poolId: number): Promise<readonly Cartridge[]> =>
      (await cartridges().where('cartridges.pool_id', '=', poolId).execute()).map(toCartridge),

    /** The named set of its copies; null: any cartridge of the pool. */
    setOfPool: async (poolId: number): Promise<WrittenSet | null> => {
      const row = await db
        .selectFrom('pools')
        .select(['media_set_name', 'takes_scratch'])
        .where('id', '=', poolId)
        .executeTakeFirst();
      if (row == null || row.media_set_name === null) return null;
      return { name: row.media_set_name, takesScratch: row.takes_scratch === 1 };
    },

    assign: async (ids: readonly number[], mediaSet: string | null): Promise<void> => {
      await db
        .updateTable('cartridges')
        .set({ media_set_name: mediaSet })
        .where('id', 'in', [...ids, -1])
        .execute();
    },

    /** True: it had no set, and has this one now. */
    joinSet: async (id: number, mediaSet: string): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable('cartridges')
        .set({ media_set_name: mediaSet })
        .where('id', '=', id)
        .where('media_set_name', 'is', null)
        .executeTakeFirst();
      return Number(numUpdatedRows) > 0;
    },

    change: async (id: number, change: CartridgeChange): Promise<void> => {
      const { state, labelUuid, nextLabelUuid, isWriteProtected, moveFailure } = change;
      const { written, capacity, nextFile } = change;
      const values = {
        ...(state === undefined ? {} : { state }),
        ...(labelUuid === undefined ? {} : { label_uuid: labelUuid }),
        ...(nextLabelUuid === undefined ? {} : { next_label_uuid: nextLabelUuid }),
        ...(isWriteProtected === undefined ? {} : { is_write_protected: isWriteProtected ? 1 : 0 }),
        ...(moveFailure === undefined ? {} : { move_failure: moveFailure }),
        ...(written === undefined ? {} : { written }),
        ...(capacity === undefined ? {} : { capacity }),
        ...(nextFile === undefined ? {} : { next_file: nextFile }),
      };
      await db.updateTable('cartridges').set(values).where('id', '=', id).execute();
    },

    countCleaning: async (id: number): Promise<void> => {
      await db
        .updateTable('cartridges')
        .set({ cleanings: sql<number>`cleanings + 1` })
        .where('id', '=', id)
        .execute();
    },

    markUsedUp: async (id: number): Promise<void> => {
      await db.updateTable('cartridges').set({ is_used_up: 1 }).where('id', '=', id).execute();
    },

    remove: async (ids: readonly number[]): Promise<void> => {
      await db
        .deleteFrom('cartridges')
        .where('id', 'in', [...ids, -1])
        .execute();
    },

    partsOn: async (cartridgeId: number): Promise<readonly PlacedPart[]> =>
      (
        await parts()
          .where('tape_parts.cartridge_id', '=', cartridgeId)
          .clearOrderBy()
          .orderBy('file')
          .execute()
      ).map(toPart),

    /** In the order of the copy. */
    partsOf: async (copyUuid: string): Promise<readonly PlacedPart[]> =>
      (await parts().where('tape_parts.copy_uuid', '=', copyUuid).execute()).map(toPart),

    /** Cartridges of the copies of the catalogue that lie on more than one. */
    copiesOnSeveral: async (): Promise<readonly CopyOnCartridge[]> => {
      const rows = await db
        .selectFrom('tape_parts')
        .select(['cartridge_id', 'copy_uuid'])
        .distinct()
        .where(
          'copy_uuid',
          'in',
          db
            .selectFrom('tape_parts')
            .innerJoin('copies', 'copies.uuid', 'tape_parts.copy_uuid')
            .select('tape_parts.copy_uuid')
            .groupBy('tape_parts.copy_uuid')
            .having(sql<number>`count(distinct tape_parts.cartridge_id)`, '>', 1),
        )
        .execute();
      return rows.map((row) => ({ cartridgeId: row.cartridge_id, copyUuid: row.copy_uuid }));
    },

    addPart: async (part: TapePartRow): Promise<void> => {
      await db
        .insertInto('tape_parts')
        .values({
          cartridge_id: part.cartridgeId,
          copy_uuid: part.copyUuid,
          number: part.number,
          file: part.file,
          bytes: part.bytes,
          is_last: part.isLast ? 1 : 0,
          state: part.state,
          facts: part.facts,
        })
        .execute();
    },

    settleParts: async (copyUuid: string): Promise<void> => {
      await db.updateTable('tape_parts').set({ state: 'stored' }).where('copy_uuid', '=', copyUuid).execute();
    },

    removePart: async (cartridgeId: number, file: number): Promise<void> => {
      await db
        .deleteFrom('tape_parts')
        .where('cartridge_id', '=', cartridgeId)
        .where('file', '=', file)
        .execute();
    },

    removePartsOn: async (cartridgeId: number): Promise<void> => {
      await db.deleteFrom('tape_parts').where('cartridge_id', '=', cartridgeId).execute();
    },

    /** What a process that ended was writing is of no copy; its room comes back when the cartridge is used anew. */
    forgetWriting: async (): Promise<void> => {
      await db.updateTable('tape_parts').set({ state: 'stored' }).where('state', '=', 'writing').execute();
    },
  };
}
