import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import type { PoolService } from './pool-service.ts';

/**
 * Warns once when less of a pool is free than `pool_storage_capacity_reserve`, and says when there is room again.
 * Pools whose space is unknown (no storage, none that can be reached, tapes) are not judged.
 */
export function createPoolWatch(deps: {
  readonly pools: Pick<PoolService, 'list'>;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  readonly announce: Announce;
  readonly log: Log;
}): () => Promise<void> {
  let low: ReadonlySet<number> = new Set();

  return async () => {
    const { pool_storage_capacity_reserve: reservePercent } = await deps.configuration.read();
    const { rows } = await deps.pools.list({ filters: {} });
    const known = rows.filter((pool) => pool.total_space > 0);
    const isLow = (pool: (typeof known)[number]) =>
      pool.free_space < (pool.total_space * reservePercent) / 100;
    for (const pool of known) {
      if (isLow(pool) === low.has(pool.id)) continue;
      const facts = { pool: pool.pool_name, freeBytes: pool.free_space, totalBytes: pool.total_space };
      if (isLow(pool))
        deps.log.warn('a pool has less free space than its reserve', { ...facts, reservePercent });
      else deps.log.info('a pool has more free space than its reserve again', facts);
      deps.announce({ kind: 'pool', action: 'changed', id: pool.id });
    }
    low = new Set(known.filter(isLow).map((pool) => pool.id));
  };
}
