import type { Insertable } from 'kysely';
import type { AuditRecord } from '../../../contract/audit/audit-log.ts';
import {
  type AuditTable,
  type Db,
  type Dialect,
  type ListColumns,
  type ListRequest,
  listPage,
  type Page,
} from '../../db/index.ts';
import type { AuditEntry } from '../../http/mount.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import { createBatches } from './batches.ts';

const keptByDefault = 100_000;
/** A thousand ids have room. */
const mostDetails = 16_384;
/** How many new records pass before the oldest are looked after. */
const lookAfterEvery = 1_000;

const columns: ListColumns = {
  id: { column: 'audit.id', kind: 'integer' },
  time: { column: 'audit.time_ms', kind: 'time' },
  user_name: { column: 'audit.user_name', kind: 'text', search: true },
  address: { column: 'audit.address', kind: 'text', search: true },
  action: { column: 'audit.action', kind: 'text', search: true },
  object_id: { column: 'audit.object_id', kind: 'integer' },
  status: { column: 'audit.status', kind: 'integer' },
  details: { column: 'audit.details', kind: 'text', search: true },
};

export type AuditStore = ReturnType<typeof createAuditStore>;

/** Who did what. The newest records are kept, a bounded number of them: failed logins come without end. */
export function createAuditStore(
  { db, dialect }: { readonly db: Db; readonly dialect: Dialect },
  now: () => number,
  kept = keptByDefault,
) {
  const forgetOldest = async (newestId: number): Promise<void> => {
    await db
      .deleteFrom('audit')
      .where('id', '<=', newestId - kept)
      .execute();
  };
  const batches = createBatches<Insertable<AuditTable>>(async (records) => {
    const ids = await db
      .insertInto('audit')
      .values([...records])
      .returning('id')
      .execute();
    const due = ids.findLast(({ id }) => id % lookAfterEvery === 0);
    if (due) await forgetOldest(due.id);
  });
  return {
    list: async (list: ListRequest): Promise<Page<AuditRecord>> => {
      // A caller finds what they have done before.
      await batches.settled();
      const page = await listPage(db.selectFrom('audit').selectAll(), {
        list,
        columns,
        dialect,
        tieBreaker: 'audit.id',
        selectsId: true,
        defaultOrder: 'desc',
      });
      const rows = page.rows.map(({ time_ms, user_id, ...row }) => ({ ...row, time: toWireTime(time_ms) }));
      return { rows, total: page.total };
    },

    /** Resolves when the record is on the disk. */
    record: (entry: AuditEntry): Promise<void> =>
      batches.add({
        time_ms: now(),
        user_id: entry.user?.id ?? null,
        user_name: entry.userName?.slice(0, 255) ?? null,
        address: entry.address,
        action: entry.action,
        object_id: entry.objectId,
        status: entry.status,
        details: entry.details?.slice(0, mostDetails) ?? null,
      }),
  };
}
