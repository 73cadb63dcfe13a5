import type { Db, Tx } from '../../db/index.ts';
import type { QueuedTask } from '../../jobs/index.ts';
import { limitBroken, strategyLimitBytes } from '../capacity-rules.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import { clientCapacityRefusal } from './client-capacity.ts';
import { createPlacementStore } from './placement-store.ts';

type Settings = Pick<
  Awaited<ReturnType<ConfigurationService['read']>>,
  'clients_capacity_limits' | 'backup_strategies_capacity_limits' | 'strategy_storage_capacity_reserve'
>;

/**
 * Why no copy of `addedBytes` may be kept for the task's client or strategy, or null. Asked before a backup begins
 * (0 bytes: is a limit reached already?) and again in the transaction that registers the copy.
 */
export async function capacityRefusal(
  db: Db | Tx,
  task: QueuedTask,
  options: { readonly settings: Settings; readonly addedBytes: number },
): Promise<string | null> {
  const { settings, addedBytes } = options;
  const isLimited = settings.clients_capacity_limits;
  const ofClient = await clientCapacityRefusal(db, task, { isLimited, addedBytes });
  if (ofClient !== null || !settings.backup_strategies_capacity_limits) return ofClient;
  if (task.strategy_rule_id === null) return null;
  const places = createPlacementStore(db);
  const strategy = await places.strategyOfRule(task.strategy_rule_id);
  if (strategy === null || strategy.capacity === 0) return null;
  const reservePercent = settings.strategy_storage_capacity_reserve;
  const broken = limitBroken({
    storedBytes: await places.storedBytesOfStrategy(strategy.id),
    addedBytes,
    limitBytes: strategyLimitBytes(strategy.capacity, reservePercent),
  });
  if (broken === null) return null;
  return `The copies of the strategy ${strategy.name} ${broken} its capacity of ${strategy.capacity} GB less the reserve of ${reservePercent} %. Raise the capacity or remove copies.`;
}
