import { type Insertable, sql } from 'kysely';
import type { CopyDamage } from '../../../contract/repository/copy.ts';
import type { CopiesTable, Db, Dialect, ListRequest, Page, Tx } from '../../db/index.ts';
import { active } from '../active-tasks.ts';
import { isBeingDeleted, isListed } from '../listed-copies-store.ts';
import type { Groups } from '../own-clients-store.ts';
import { listCopies } from './copy-list-store.ts';
import { joinedCopies, type StoredCopy, visibleCopies } from './copy-query-store.ts';
import type { CopyCounts } from './deletion-rules.ts';
import type { ExpiryFacts } from './expiry-rules.ts';

export type NewCopyRow = Insertable<CopiesTable>;

/** Copies that a restore may not bring back whole. */
const bad: string[] = ['Broken', 'Suspicious'];

export type CopyStore = ReturnType<typeof createCopyStore>;

/** A statement takes so many values only, and after a long stop very many copies are due. */
async function inParts<R>(
  ids: readonly number[],
  ask: (some: readonly number[]) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  const atOnce = 5000;
  const found: R[] = [];
  for (let from = 0; from < ids.length; from += atOnce) {
    for (const row of await ask(ids.slice(from, from + atOnce))) found.push(row);
  }
  return found;
}

export function createCopyStore(db: Db | Tx) {
  const targets = db
    .selectFrom('pools')
    .innerJoin('media_servers', 'media_servers.id', 'pools.media_server_id')
    .select(['pools.id', 'pools.name', 'pools.pool_type', 'media_servers.id as media_server_id'])
    .select('media_servers.name as media_server_name');

  const joined = () => joinedCopies(db);
  const visible = (groups: Groups) => visibleCopies(db, groups);

  return {
    list: (list: ListRequest, groups: Groups, dialect: Dialect): Promise<Page<StoredCopy>> =>
      listCopies(db, list, { groups, dialect }),

    get: async (id: number, groups: Groups): Promise<StoredCopy | null> =>
      (await visible(groups).where('copies.id', '=', id).executeTakeFirst()) ?? null,

    getMany: async (ids: readonly number[], groups: Groups): Promise<readonly StoredCopy[]> =>
      visible(groups)
        .where('copies.id', 'in', [...ids, -1])
        .orderBy('copies.id')
        .execute(),

    byUuid: async (uuid: string): Promise<StoredCopy | null> =>
      (await joined().where('copies.uuid', '=', uuid).executeTakeFirst()) ?? null,

    /** Copies whose deletion has begun and not ended, dependants before what they build on. */
    deleting: async (): Promise<readonly StoredCopy[]> =>
      joined().where(isBeingDeleted).orderBy('copies.id', 'desc').execute(),

    /** By copy: all that reach it through their references, in the order in which they were made. */
    dependants: async (ids: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> => {
      // `union` keeps each pair once, so that even a circle in a damaged database comes to an end.
      const rows = await inParts(ids, async (some) => {
        const found = await sql<{ root: number; id: number }>`
        with recursive reached(root, id) as (
          select id, id from copies where id in (${sql.join([...some, -1])})
          union
          select reached.root, copies.id from copies join reached on copies.reference_id = reached.id
          where copies.deleting = 0
        )
        select reached.root as root, reached.id as id from reached join copies on copies.id = reached.id
        where reached.root <> reached.id order by copies.created_ms, copies.id`.execute(db);
        return found.rows;
      });
      const found = new Map<number, number[]>(ids.map((id) => [id, []]));
      for (const { root, id } of rows) found.get(root)?.push(id);
      return found;
    },

    /** What the copy builds on: its reference, the reference of that, and so on. */
    predecessors: async (id: number): Promise<readonly number[]> => {
      const { rows } = await sql<{ id: number }>`
        with recursive reached(id) as (
          select reference_id from copies where id = ${id} and reference_id is not null
          union
          select copies.reference_id from copies join reached on copies.id = reached.id
          where copies.reference_id is not null
        )
        select id from reached`.execute(db);
      return rows.map((row) => row.id);
    },

    /** `exceptTask`: the task on whose behalf the deletion is, which does not stand in its way. */
    deletionFacts: async (
      ids: readonly number[],
      exceptTask: number | null,
    ): Promise<ReadonlyMap<number, ExpiryFacts>> => {
      const copies = await inParts(ids, (some) =>
        db
          .selectFrom('copies')
          .select([
            'id',
            'created_ms',
            'store_until_ms',
            'rule_id',
            'strategy_rule_id',
            'archiving',
            'status',
          ])
          .where('id', 'in', [...some, -1])
          .execute(),
      );
      const tasks = await inParts(ids, (some) =>
        db
          .selectFrom('tasks')
          .select(['id', 'copy_id'])
          .where('copy_id', 'in', [...some, -1])
          .where('status', 'in', active)
          .where('id', '<>', exceptTask ?? -1)
          .orderBy('id')
          .execute(),
      );
      const usersOf = new Map<number | null, number[]>();
      for (const { id, copy_id: copy } of tasks) usersOf.set(copy, [...(usersOf.get(copy) ?? []), id]);
      return new Map(
        copies.map((row) => [
          row.id,
          {
            id: row.id,
            createdMs: row.created_ms,
            storeUntilMs: row.store_until_ms,
            ruleId: row.rule_id,
            strategyRuleId: row.strategy_rule_id,
            usedByTasks: usersOf.get(row.id) ?? [],
            isArchiving: row.archiving === 1,
            isBroken: row.status === 'Broken',
            isGood: !bad.includes(row.status),
          },
        ]),
      );
    },

    /** Of the listed copies, by rule. */
    countByRule: async (column: 'rule_id' | 'strategy_rule_id'): Promise<ReadonlyMap<number, CopyCounts>> => {
      const counted = (isBadOnly: boolean) =>
        db
          .selectFrom('copies')
          .select([column, ({ fn }) => fn.countAll<number>().as('count')])
          .where(isListed)
          .where(column, 'is not', null)
          // The few bad ones are found by an index of their own: all are counted without a look at their rows.
          .$if(isBadOnly, (query) => query.where('status', 'in', bad))
          .groupBy(column)
          .execute();
      const badOnes = new Map((await counted(true)).map((row) => [row[column], Number(row.count)]));
      return new Map(
        (await counted(false)).map((row) => {
          const all = Number(row.count);
          return [row[column] ?? 0, { all, good: all - (badOnes.get(row[column]) ?? 0) }];
        }),
      );
    },

    insert: async (row: NewCopyRow): Promise<number> => {
      const { id } = await db.insertInto('copies').values(row).returning('id').executeTakeFirstOrThrow();
      return id;
    },

    setChain: async (id: number, chainId: number): Promise<void> => {
      await db.updateTable('copies').set({ chain_id: chainId }).where('id', '=', id).execute();
    },

    setStoreUntil: async (
      ids: readonly number[],
      end: { readonly ms: number | null; readonly text: string | null },
    ): Promise<void> => {
      await db
        .updateTable('copies')
        .set({ store_until_ms: end.ms, store_until_text: end.text })
        .where('id', 'in', [...ids, -1])
        .execute();
    },

    /** False when the copy is not there any more. */
    setVerification: async (
      id: number,
      found: { readonly status: string; readonly damage: readonly CopyDamage[] },
      nowMs: number,
    ): Promise<boolean> => {
      const result = await db
        .updateTable('copies')
        .set({
          status: found.status,
          damage: found.damage.length === 0 ? null : JSON.stringify(found.damage),
          verified_ms: nowMs,
        })
        .where('id', '=', id)
        .where(isListed)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    retentionOfPool: async (poolId: number | null): Promise<string | null> => {
      const row = await db
        .selectFrom('pools')
        .select('retention_period')
        .where('id', '=', poolId ?? -1)
        .executeTakeFirst();
      return row?.retention_period ?? null;
    },

    /** False when the copy is not there any more. */
    relocate: async (
      id: number,
      place: {
        readonly uuid: string;
        readonly storageId: number | null;
        readonly poolId: number | null;
        readonly storedBytes: number;
        /** Null: it was not read back. */
        readonly verifiedMs: number | null;
      },
    ): Promise<boolean> => {
      const result = await db
        .updateTable('copies')
        .set({
          uuid: place.uuid,
          storage_id: place.storageId,
          pool_id: place.poolId,
          real_size: place.storedBytes,
          status: place.verifiedMs === null ? 'Not Verified' : 'Trusted',
          damage: null,
          verified_ms: place.verifiedMs,
        })
        .where('id', '=', id)
        .where(isListed)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    /** Active tasks that use a copy, by type. */
    tasksOn: (id: number) =>
      db
        .selectFrom('tasks')
        .select(['id', 'task_type'])
        .where('copy_id', '=', id)
        .where('status', 'in', active)
        .execute(),

    poolByName: async (name: string) =>
      (await targets.where('pools.name', '=', name).executeTakeFirst()) ?? null,

    poolById: async (id: number) => (await targets.where('pools.id', '=', id).executeTakeFirst()) ?? null,

    markDeleting: async (ids: readonly number[]): Promise<void> => {
      await db
        .updateTable('copies')
        .set({ deleting: 1 })
        .where('id', 'in', [...ids, -1])
        .execute();
    },

    remove: async (id: number): Promise<void> => {
      await db.deleteFrom('copies').where('id', '=', id).execute();
    },

    /** Copies that the server removes by itself: those whose time has passed and, if asked for, broken ones. */
    expired: async (nowMs: number, options: { readonly broken: boolean }): Promise<readonly number[]> => {
      const rows = await db
        .selectFrom('copies')
        .select('id')
        .where(isListed)
        .where(({ and, or, eb }) =>
          or([
            and([eb('store_until_ms', '<=', nowMs), eb('archiving', '=', 0)]),
            ...(options.broken ? [eb('status', '=', 'Broken')] : []),
          ]),
        )
        .orderBy('id')
        .execute();
      return rows.map(({ id }) => id);
    },

    /** The tasks that made these copies: `done` becomes `obsoleted`. Answers those that changed. */
    obsoleteTasks: async (
      copyIds: readonly number[],
    ): Promise<readonly { readonly id: number; readonly clientGroupId: number | null }[]> => {
      const rows = await inParts(copyIds, (some) =>
        db
          .updateTable('tasks')
          .set({ status: 'obsoleted' })
          .where('status', '=', 'done')
          .where('id', 'in', (inner) =>
            inner
              .selectFrom('copies')
              .select('copies.task_id')
              .where('copies.id', 'in', [...some, -1])
              .where('copies.task_id', 'is not', null),
          )
          .returning(['id', 'client_id'])
          .execute(),
      );
      const clientIds = [...new Set(rows.flatMap(({ client_id }) => client_id ?? []))];
      const groups = await inParts(clientIds, (some) =>
        db
          .selectFrom('clients')
          .select(['id', 'client_group_id'])
          .where('id', 'in', [...some, -1])
          .execute(),
      );
      const groupOf = new Map(groups.map((client) => [client.id, client.client_group_id]));
      return rows.map(({ id, client_id }) => ({ id, clientGroupId: groupOf.get(client_id ?? -1) ?? null }));
    },
  };
}
