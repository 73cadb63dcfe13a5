import type { Auditor } from '../../../contract/auditors/auditor.ts';
import {
  type Db,
  type Dialect,
  type ListColumns,
  type ListRequest,
  listPage,
  type Tx,
} from '../../db/index.ts';
import { toWireTime } from '../../platform/wire-time.ts';

const columns: ListColumns = {
  id: { column: 'auditors.id', kind: 'integer' },
  auditor: { column: 'users.user_name', kind: 'text', search: true },
  assigned_by: { column: 'auditors.assigned_by', kind: 'text', search: true },
  created: { column: 'auditors.created_ms', kind: 'time' },
};

export type AuditorStore = ReturnType<typeof createAuditorStore>;

/** The role itself stands in `user_roles`; this keeps when and by whom it was given. */
export function createAuditorStore(db: Db | Tx) {
  const selection = () =>
    db
      .selectFrom('auditors')
      .innerJoin('users', 'users.id', 'auditors.user_id')
      .select([
        'auditors.id',
        'auditors.user_id',
        'users.user_name',
        'auditors.assigned_by',
        'auditors.created_ms',
      ]);
  type Row = Awaited<ReturnType<ReturnType<typeof selection>['executeTakeFirstOrThrow']>>;
  const toRecord = (row: Row): Auditor => ({
    id: row.id,
    auditor: row.user_name,
    assigned_by: row.assigned_by,
    created: toWireTime(row.created_ms),
  });

  return {
    list: async (list: ListRequest, dialect: Dialect) => {
      const page = await listPage(selection(), { list, columns, dialect, tieBreaker: 'auditors.id' });
      return { rows: page.rows.map(toRecord), total: page.total };
    },

    get: async (id: number): Promise<Auditor | null> => {
      const row = await selection().where('auditors.id', '=', id).executeTakeFirst();
      return row ? toRecord(row) : null;
    },

    /** The auditors among `ids`, with the user behind each. */
    usersOf: async (ids: readonly number[]) =>
      selection()
        .where('auditors.id', 'in', [...ids])
        .execute(),

    idOfUser: async (userId: number): Promise<number | null> => {
      const row = await db
        .selectFrom('auditors')
        .select('id')
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row?.id ?? null;
    },
  };
}
