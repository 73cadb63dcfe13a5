import type { DirectoryMapping } from '../../../contract/directory/directory.ts';
import type { Role } from '../../../contract/permissions.ts';
import {
  type Db,
  type Dialect,
  foldCase,
  type ListColumns,
  type ListRequest,
  listPage,
  type Tx,
} from '../../db/index.ts';

export interface StoredConnection {
  /** JSON of what may be answered. */
  readonly settings: string;
  /** Sealed. */
  readonly secrets: string;
}

const columns: ListColumns = {
  id: { column: 'directory_mappings.id', kind: 'integer' },
  group: { column: 'directory_mappings.group_name', kind: 'text', search: true },
  role: { column: 'directory_mappings.role', kind: 'text', search: true },
  sid: { column: 'directory_mappings.group_sid', kind: 'text', search: true },
};

const theOne = 1;

export type DirectoryStore = ReturnType<typeof createDirectoryStore>;

export function createDirectoryStore(db: Db | Tx) {
  type Row = { id: number; group_name: string; group_sid: string | null; role: string };
  const toMapping = (row: Row): DirectoryMapping => ({
    id: row.id,
    group: row.group_name,
    role: row.role,
    sid: row.group_sid,
  });

  return {
    connection: async (): Promise<StoredConnection | null> =>
      (await db
        .selectFrom('directory_connection')
        .select(['settings', 'secrets'])
        .where('id', '=', theOne)
        .executeTakeFirst()) ?? null,

    setConnection: async (connection: StoredConnection, nowMs: number): Promise<void> => {
      const values = { ...connection, changed_ms: nowMs };
      await db
        .insertInto('directory_connection')
        .values({ id: theOne, ...values })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
        .execute();
    },

    removeConnection: async (): Promise<void> => {
      await db.deleteFrom('directory_connection').where('id', '=', theOne).execute();
    },

    list: async (list: ListRequest, dialect: Dialect) => {
      const query = db.selectFrom('directory_mappings').selectAll();
      const page = await listPage(query, { list, columns, dialect, tieBreaker: 'directory_mappings.id' });
      return { rows: page.rows.map(toMapping), total: page.total };
    },

    mappings: async (): Promise<readonly DirectoryMapping[]> =>
      (await db.selectFrom('directory_mappings').selectAll().orderBy('id').execute()).map(toMapping),

    mappingIds: async (ids: readonly number[]): Promise<readonly number[]> =>
      (
        await db
          .selectFrom('directory_mappings')
          .select('id')
          .where('id', 'in', [...ids])
          .execute()
      ).map(({ id }) => id),

    hasMapping: async (group: string, sid: string | null, role: Role): Promise<boolean> => {
      const row = await db
        .selectFrom('directory_mappings')
        .select('id')
        .where('role', '=', role)
        .where(({ eb, or }) =>
          or([eb('group_key', '=', foldCase(group)), ...(sid === null ? [] : [eb('group_sid', '=', sid)])]),
        )
        .executeTakeFirst();
      return row !== undefined;
    },

    addMapping: async (mapping: {
      readonly group: string;
      readonly sid: string | null;
      readonly role: Role;
      readonly nowMs: number;
    }): Promise<number> => {
      const row = await db
        .insertInto('directory_mappings')
        .values({
          group_name: mapping.group,
          group_key: foldCase(mapping.group),
          group_sid: mapping.sid,
          role: mapping.role,
          created_ms: mapping.nowMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    setSid: async (id: number, sid: string): Promise<void> => {
      await db.updateTable('directory_mappings').set({ group_sid: sid }).where('id', '=', id).execute();
    },

    removeMappings: async (ids: readonly number[]): Promise<void> => {
      await db
        .deleteFrom('directory_mappings')
        .where('id', 'in', [...ids])
        .execute();
    },

    endAllSessions: async (): Promise<void> => {
      await db.deleteFrom('sessions').where('directory_account_id', 'is not', null).execute();
    },
  };
}
