import { type SqlBool, sql } from 'kysely';
import type { Db, Tx } from '../../db/index.ts';
import { active } from '../active-tasks.ts';
import { isListed } from '../listed-copies-store.ts';

/** Copies of one resource of one client that lie in the same pool and were made in the same way for the same rule. */
export interface Series {
  readonly clientHwid: string;
  readonly resourceType: string;
  readonly resource: string;
  readonly crypto: string;
  readonly poolId: number;
  readonly ruleId: number | null;
  readonly strategyRuleId: number | null;
}

/**
 * Nothing is built on what is known to be damaged, has no storage or is being deleted. The words are those of the index
 * `copies_unusable`, which is used only then.
 */
const isUnusable = sql<SqlBool>`(copies.deleting = 1 or copies.storage_id is null
  or copies.status in ('Broken', 'Suspicious'))`;
/** In the statement itself for the same reason. */
const isFullCopy = sql<SqlBool>`copies.backup_type = 'full'`;

/** It is gone from where it is as soon as that ends. */
const isMoving = sql<SqlBool>`exists (select 1 from tasks where tasks.copy_id = copies.id
  and tasks.task_type = 'move' and tasks.status in (${sql.join(active.map((status) => sql.lit(status)))}))`;

const same = (column: string, value: number | null) =>
  value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${value}`;

/** What a new copy can build on. */
export function createBaseStore(db: Db | Tx) {
  return {
    /** The newest copy of a series that is usable with all that it builds on itself, or the newest full one. */
    newest: async (series: Series, { isFull }: { readonly isFull: boolean }): Promise<number | null> => {
      const { clientHwid, resource, poolId, crypto, resourceType } = series;
      // `union` keeps each copy once, so that even a circle in a damaged database comes to an end.
      const { rows } = await sql<{ id: number }>`
        with recursive unusable(id) as (
          select copies.id from copies
          where copies.client_hwid = ${clientHwid} and copies.resource = ${resource} and ${isUnusable}
          union
          select copies.id from copies join unusable on copies.reference_id = unusable.id
        )
        select copies.id from copies
        where ${isListed} and ${isFull ? isFullCopy : sql`true`}
          and copies.client_hwid = ${clientHwid} and copies.resource = ${resource}
          and copies.pool_id = ${poolId} and ${same('copies.strategy_rule_id', series.strategyRuleId)}
          and copies.crypto = ${crypto} and copies.resource_type = ${resourceType}
          and ${same('copies.rule_id', series.ruleId)}
          and copies.id not in (select unusable.id from unusable)
          and not ${isMoving}
        order by copies.created_ms desc, copies.id desc limit 1`.execute(db);
      return rows[0]?.id ?? null;
    },
  };
}
