import {
  defaultStatisticsDays,
  maxStatisticsDays,
  type Statistics,
  type StatisticsQuery,
} from '../../../contract/statistics/statistics.ts';
import type { Db } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import type { CopyProofService } from '../repository/copy-proof-service.ts';
import type { StrategyRuleService } from '../strategy-rules/strategy-rule-service.ts';
import { overdueRule } from './overdue-rule.ts';
import { endOfDays, localDays, periodOf } from './statistics-rules.ts';
import { createStatisticsStore } from './statistics-store.ts';

const secondMs = 1000;

export type StatisticsService = ReturnType<typeof createStatisticsService>;

/** What has been going on, by day; and the regular look at the pools that it is made from. */
export function createStatisticsService(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  readonly overdue: StrategyRuleService['overdue'];
  readonly failedProofs: CopyProofService['failedProofs'];
}) {
  const { clock } = deps;
  const store = createStatisticsStore(deps.db);
  /** Last known bytes by pool: a pool where nothing has changed needs no new row. */
  const known = new Map<number, number>();
  let lastMs: number | null = null;

  return {
    read: async (query: StatisticsQuery, groups: readonly number[] | null): Promise<Statistics> => {
      const limits = { default: defaultStatisticsDays, most: maxStatisticsDays };
      const period = periodOf(query, clock.now(), limits);
      if (period.kind === 'refused') throw invalidField(period.field, period.reason);
      const shown = localDays(period.lastMs, period.count);
      const fromMs = shown[0]?.fromMs ?? 0;
      const toMs = shown.at(-1)?.toMs ?? 0;
      const counts = new Map<string, number[]>();
      const bytes: number[] = [];
      const seconds: number[] = [];
      // Day by day, so that other callers are served in between.
      for (const [index, day] of shown.entries()) {
        const ended = await store.endedTasks(day.fromMs, day.toMs, groups);
        for (const { status, count } of ended) {
          const series = counts.get(status) ?? shown.map(() => 0);
          series[index] = count;
          counts.set(status, series);
        }
        bytes.push(ended.reduce((sum, row) => sum + row.bytes, 0));
        seconds.push(ended.reduce((sum, row) => sum + Math.max(0, row.workingMs), 0) / secondMs);
      }
      const stored: Statistics['stored_bytes'] = [];
      for (const pool of await store.pools()) {
        const samples = await store.samples(pool.id, fromMs, toMs);
        stored.push({ pool_id: pool.id, pool: pool.name, bytes: endOfDays(shown, samples) });
      }
      return {
        days: shown.map(({ name }) => name),
        stored_bytes: stored,
        tasks: [...counts].sort().map(([status, series]) => ({ status, counts: series })),
        throughput: { bytes, seconds },
        overdue: (await deps.overdue(groups)).map(overdueRule),
        failed_proofs: await deps.failedProofs(groups),
      };
    },

    /** Looks at the pools, not more often than `monitoring_period` says. */
    sample: async (): Promise<void> => {
      const nowMs = clock.now();
      const settings = await deps.configuration.read();
      const isDue = lastMs === null || Math.abs(nowMs - lastMs) >= settings.monitoring_period * secondMs;
      if (!isDue) return;
      lastMs = nowMs;
      const stored = await store.storedBytes();
      const changed = (await store.pools())
        .map((pool) => ({
          poolId: pool.id,
          mediaServerId: pool.media_server_id,
          bytes: stored.get(pool.id) ?? 0,
        }))
        .filter(({ poolId, bytes }) => known.get(poolId) !== bytes);
      await store.addSamples(changed, nowMs);
      for (const { poolId, bytes } of changed) known.set(poolId, bytes);
      // 0 = all are kept.
      if (settings.max_system_monitoring_records === 0) return;
      for (const id of new Set(changed.map(({ mediaServerId }) => mediaServerId))) {
        await store.forgetOldest(id, settings.max_system_monitoring_records);
      }
    },
  };
}
