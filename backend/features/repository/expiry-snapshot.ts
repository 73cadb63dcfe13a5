import type { ConfigurationService } from '../configuration/configuration-service.ts';
import type { CopyStore } from './copy-store.ts';
import type { ExpirySettings, ExpirySnapshot } from './expiry-rules.ts';

export function expirySettings(settings: Awaited<ReturnType<ConfigurationService['read']>>): ExpirySettings {
  return {
    mandatoryStorageDays: settings.mandatory_storage_time,
    immutableArchives: settings.immutable_archives,
    removesChain: settings.repository_remove_chain === 'yes',
    keepsLastOfRule: settings.dont_delete_last_gs_rule_archive,
    keepsLastOfStrategyRule: settings.dont_delete_last_strategy_rule_archive,
    removesBroken: settings.auto_delete_archive_from_broken_chain === 'yes',
  };
}

/** What is due at `nowMs` (which may lie ahead), with everything else as it is now. */
export async function readExpiry(
  store: CopyStore,
  settings: ExpirySettings,
  nowMs: number,
): Promise<ExpirySnapshot> {
  const due = await store.expired(nowMs, { broken: settings.removesBroken });
  return {
    due,
    dependants: await store.dependants(due),
    facts: await store.deletionFacts(due, null),
    copiesOfRule: await store.countByRule('rule_id'),
    copiesOfStrategyRule: await store.countByRule('strategy_rule_id'),
    settings,
    nowMs,
  };
}
