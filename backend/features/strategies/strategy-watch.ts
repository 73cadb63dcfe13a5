import type { Db } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { toUtcTime } from '../../platform/wire-time.ts';
import { bytesPerGb, strategyLimitBytes } from '../capacity-rules.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import { createStrategyNoticeStore } from './strategy-notice-store.ts';

const dayMs = 86_400_000;

/**
 * Notices in the log of the server, each with what to do: once that a strategy ends within
 * `strategy_validity_end_notification_period` days, and, at once and then every
 * `strategy_storage_capacity_notification_period` days, that its copies have reached its capacity less the reserve. A
 * period of 0 means none. A restart of the server tells again.
 */
export function createStrategyWatch(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly configuration: Pick<ConfigurationService, 'read'>;
}): () => Promise<void> {
  const { clock, log } = deps;
  const store = createStrategyNoticeStore(deps.db);
  /** The end that was told, by strategy: another one is told again. */
  let ends: ReadonlyMap<number, number | null> = new Map();
  /** When it was told last, by strategy that is full. */
  const full = new Map<number, number>();

  const watchEnds = async (nowMs: number, periodDays: number): Promise<void> => {
    const rows = periodDays === 0 ? [] : await store.ending(nowMs, nowMs + periodDays * dayMs);
    for (const { id, name, valid_until_ms: endMs } of rows) {
      if (ends.get(id) === endMs) continue;
      log.warn('a strategy ends soon: its rules make no more copies then; set a later end or none', {
        strategy: id,
        name,
        ends: toUtcTime(endMs ?? nowMs),
      });
    }
    ends = new Map(rows.map((row) => [row.id, row.valid_until_ms]));
  };

  const watchCapacities = async (
    nowMs: number,
    settings: { readonly periodDays: number; readonly reservePercent: number; readonly isEnforced: boolean },
  ): Promise<void> => {
    const { periodDays, reservePercent, isEnforced } = settings;
    const rows = periodDays === 0 ? [] : await store.limited();
    for (const id of full.keys()) if (!rows.some((row) => row.id === id)) full.delete(id);
    for (const { id, name, capacity } of rows) {
      const storedBytes = await store.storedBytes(id);
      const capacityBytes = capacity * bytesPerGb;
      const facts = { strategy: id, name, storedBytes, capacityBytes, reservePercent };
      const toldMs = full.get(id);
      if (storedBytes < strategyLimitBytes(capacity, reservePercent)) {
        if (full.delete(id)) log.info('a strategy has room for copies again', facts);
        continue;
      }
      // A clock that went back counts from where it is now.
      if (toldMs !== undefined && Math.abs(nowMs - toldMs) < periodDays * dayMs) continue;
      const effect = isEnforced
        ? 'its backups end in error'
        : 'its backups go on, since no limit is enforced';
      log.warn(
        `the copies of a strategy have reached its capacity less the reserve: ${effect}; raise the capacity or remove copies`,
        facts,
      );
      full.set(id, nowMs);
    }
  };

  return async () => {
    const settings = await deps.configuration.read();
    const nowMs = clock.now();
    await watchEnds(nowMs, settings.strategy_validity_end_notification_period);
    await watchCapacities(nowMs, {
      periodDays: settings.strategy_storage_capacity_notification_period,
      reservePercent: settings.strategy_storage_capacity_reserve,
      isEnforced: settings.backup_strategies_capacity_limits,
    });
  };
}
