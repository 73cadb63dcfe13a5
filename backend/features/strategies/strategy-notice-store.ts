import type { Db } from '../../db/index.ts';
import { storedBytesOfStrategy } from '../stored-bytes-store.ts';

export type EndingStrategy = Awaited<
  ReturnType<ReturnType<typeof createStrategyNoticeStore>['ending']>
>[number];

/** What notices of strategies are about. Strategies that are switched off are none of it. */
export function createStrategyNoticeStore(db: Db) {
  const enabled = () => db.selectFrom('strategies').where('enabled', '=', 1).orderBy('id');
  return {
    /** Those whose validity ends after `afterMs`, but not after `untilMs`. */
    ending: (afterMs: number, untilMs: number) =>
      enabled()
        .select(['id', 'name', 'valid_until_ms'])
        .where('valid_until_ms', '>', afterMs)
        .where('valid_until_ms', '<=', untilMs)
        .execute(),

    /** Those that have a capacity, in GB. */
    limited: () => enabled().select(['id', 'name', 'capacity']).where('capacity', '>', 0).execute(),

    storedBytes: (strategyId: number): Promise<number> => storedBytesOfStrategy(db, strategyId),
  };
}
