import type { Db, Tx } from '../../db/index.ts';
import { isListed } from '../listed-copies-store.ts';

/** A copy as a tape tells of it. */
export interface FoundFacts {
  readonly resourceType: string;
  readonly resource: string;
  readonly clientText: string;
  readonly clientHwid: string;
  readonly crypto: string;
  readonly size: number;
  readonly storedBytes: number;
  readonly createdMs: number;
  readonly isFileListAvailable: boolean;
  readonly description: string | null;
  readonly skippedItems: number | null;
  readonly filesCount: number | null;
}

/** The copies of the catalogue, as the work with tapes asks for them and finds them anew. */
export function createTapeCopyStore(db: Db | Tx) {
  return {
    noteGivenUp: async (uuid: string, nowMs: number): Promise<void> => {
      await db
        .insertInto('given_up_copies')
        .values({ uuid, given_up_ms: nowMs })
        .onConflict((conflict) => conflict.column('uuid').doNothing())
        .execute();
    },

    /** Those of these copies that were given up. */
    givenUp: async (uuids: readonly string[]): Promise<ReadonlySet<string>> => {
      const rows = await db
        .selectFrom('given_up_copies')
        .select('uuid')
        .where('uuid', 'in', [...uuids, ''])
        .execute();
      return new Set(rows.map(({ uuid }) => uuid));
    },

    /** Null: no copy of that id is in the catalogue. */
    uuidOfCopy: async (id: number): Promise<string | null> => {
      const row = await db
        .selectFrom('copies')
        .select('uuid')
        .where('id', '=', id)
        .where(isListed)
        .executeTakeFirst();
      return row?.uuid ?? null;
    },

    isCopy: async (uuid: string): Promise<boolean> => {
      const row = await db.selectFrom('copies').select('id').where('uuid', '=', uuid).executeTakeFirst();
      return row !== undefined;
    },

    /** What a tape says of a copy, for the day when the catalogue is lost. */
    copyFacts: async (id: number) =>
      (await db
        .selectFrom('copies')
        .select(['resource_type', 'resource', 'client_text', 'client_hwid', 'backup_type', 'crypto', 'size'])
        .select([
          'real_size',
          'created_ms',
          'file_list_available',
          'description',
          'skipped_items',
          'files_count',
        ])
        .where('id', '=', id)
        .where(isListed)
        .executeTakeFirst()) ?? null,

    /** Stored bytes of the newest full copy of the same resource; null when there is none. */
    lastFullBytes: async (of: {
      readonly clientHwid: string;
      readonly resourceType: string;
      readonly resource: string;
    }): Promise<number | null> => {
      const row = await db
        .selectFrom('copies')
        .select('real_size')
        .where('client_hwid', '=', of.clientHwid)
        .where('resource_type', '=', of.resourceType)
        .where('resource', '=', of.resource)
        .where('backup_type', '=', 'full')
        .where(isListed)
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .executeTakeFirst();
      return row?.real_size ?? null;
    },

    clientByHwid: async (hwid: string): Promise<number | null> => {
      const row = await db.selectFrom('clients').select('id').where('hwid', '=', hwid).executeTakeFirst();
      return row?.id ?? null;
    },

    insertCopy: async (row: {
      readonly uuid: string;
      readonly poolId: number;
      readonly clientId: number | null;
      readonly facts: FoundFacts;
    }): Promise<number> => {
      const { facts } = row;
      const { id } = await db
        .insertInto('copies')
        .values({
          uuid: row.uuid,
          reference_id: null,
          chain_id: null,
          copy_of: null,
          resource_type: facts.resourceType,
          resource: facts.resource,
          client_id: row.clientId,
          client_text: facts.clientText,
          client_hwid: facts.clientHwid,
          backup_type: 'full',
          status: 'Not Verified',
          crypto: facts.crypto,
          signed: 0,
          pool_id: row.poolId,
          storage_id: null,
          size: facts.size,
          real_size: facts.storedBytes,
          created_ms: facts.createdMs,
          // Nothing that only a tape tells of goes by itself.
          store_until_ms: null,
          store_until_text: null,
          archiving: 0,
          rule_id: null,
          strategy_rule_id: null,
          task_id: null,
          file_list_available: facts.isFileListAvailable ? 1 : 0,
          description: facts.description,
          skipped_items: facts.skippedItems,
          files_count: facts.filesCount,
          damage: null,
          deleting: 0,
          verified_ms: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await db.updateTable('copies').set({ chain_id: id }).where('id', '=', id).execute();
      return id;
    },
  };
}
