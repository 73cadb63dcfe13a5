import { sql } from 'kysely';
import type { Db, Tx } from '../../db/index.ts';
import { active } from '../active-tasks.ts';
import { isListed } from '../listed-copies-store.ts';

const dayMs = 86_400_000;
/** A verification that could not be done is tried again after a day, not at each look. */
const againAfterMs = dayMs;

export type DueCopy = Awaited<ReturnType<typeof dueCopies>>[number];

/** Whether any strategy asks for verification: without one the copies, which may be very many, need no look. */
export async function isVerificationAsked(db: Db): Promise<boolean> {
  const strategy = await db
    .selectFrom('strategies')
    .select('id')
    .where('enabled', '=', 1)
    .where('verify_period', 'is not', null)
    .executeTakeFirst();
  return strategy !== undefined;
}

/** Reading wears a tape, so that a round reads it no more often, whatever the strategy says. */
const leastTapeDays = 90;

/** Of a copy on tape: it was not verified for long, and no person has to bring anything for it. */
function isTapeDue(nowMs: number) {
  return sql<boolean>`(pools.pool_type = 'Tape library'
    and coalesce(copies.verified_ms, copies.created_ms) <= ${nowMs - leastTapeDays * dayMs}
    and exists (select 1 from tape_parts where tape_parts.copy_uuid = copies.uuid)
    and not exists (select 1 from tape_parts join cartridges on cartridges.id = tape_parts.cartridge_id
      where tape_parts.copy_uuid = copies.uuid and cartridges.location in ('outside', 'unknown')))`;
}

/** Copies of strategies whose last verification is longer ago than `verify_period` says, at most `mostAtOnce`. */
export function dueCopies(tx: Tx, nowMs: number, mostAtOnce: number) {
  return (
    tx
      .selectFrom('copies')
      .innerJoin('strategy_rules', 'strategy_rules.id', 'copies.strategy_rule_id')
      .innerJoin('strategies', 'strategies.id', 'strategy_rules.strategy_id')
      .leftJoin('clients', 'clients.id', 'copies.client_id')
      .leftJoin('pools', 'pools.id', 'copies.pool_id')
      .leftJoin('media_servers', 'media_servers.id', 'pools.media_server_id')
      .select([
        'copies.id',
        'copies.resource_type',
        'copies.resource',
        'copies.client_id',
        'copies.client_text',
        'copies.backup_type',
        'copies.crypto',
        'copies.pool_id',
        'pools.name as pool_name',
        'media_servers.id as media_server_id',
        'media_servers.name as media_server_name',
        'clients.client_group_id',
      ])
      .where('strategies.enabled', '=', 1)
      .where('strategies.verify_period', 'is not', null)
      .where(isListed)
      .where(({ or, eb }) => or([eb('copies.storage_id', 'is not', null), isTapeDue(nowMs)]))
      .where(
        sql<boolean>`coalesce(copies.verified_ms, copies.created_ms) + strategies.verify_period * ${sql.lit(dayMs)} <= ${nowMs}`,
      )
      // One at a time, and none of a copy that is on its way to another place.
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('tasks')
              .select('tasks.id')
              .whereRef('tasks.copy_id', '=', 'copies.id')
              .where('tasks.task_type', 'in', ['verify', 'move', 'delete'])
              .where(({ eb, or, and }) =>
                or([
                  eb('tasks.status', 'in', active),
                  and([
                    eb('tasks.task_type', '=', 'verify'),
                    eb('tasks.created_ms', '>', nowMs - againAfterMs),
                    eb('tasks.created_ms', '<=', nowMs),
                  ]),
                ]),
              ),
          ),
        ),
      )
      .orderBy('copies.id')
      .limit(mostAtOnce)
      .execute()
  );
}
