import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { CopyOutlook, RetentionPreviewQuery } from '../../../contract/repository/retention-preview.ts';
import type { Db, Dialect, ListRequest, Page } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import { fromWireTime, toWireTimeOrNull } from '../../platform/wire-time.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import type { Groups } from '../own-clients-store.ts';
import { toRecord } from './copy-record.ts';
import { createCopyStore } from './copy-store.ts';
import type { ExpiryHoldService } from './expiry-hold.ts';
import { planExpiry } from './expiry-rules.ts';
import { expirySettings, readExpiry } from './expiry-snapshot.ts';
import {
  type Verdict,
  verdictInServiceMode,
  verdictOfOther,
  verdictsOf,
  verdictWhileHeld,
} from './retention-verdicts.ts';

export type RetentionPreview = ReturnType<typeof createRetentionPreview>;

const stepsPerTurn = 500;

/**
 * Which copies are there at a moment to come, by the very plan that the expiry carries out. Nothing else changes
 * until then: no new copy, no other setting, and what is used now is used still.
 */
export function createRetentionPreview(deps: {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  readonly hold: Pick<ExpiryHoldService, 'isHeld'>;
}) {
  const store = createCopyStore(deps.db);

  return async (
    query: z.output<typeof RetentionPreviewQuery>,
    list: ListRequest,
    groups: Groups,
  ): Promise<Page<CopyOutlook>> => {
    const askedMs = deps.clock.now();
    const atMs = query.at === undefined ? askedMs : fromWireTime(query.at);
    if (atMs === null || atMs < askedMs) {
      throw invalidField('at', 'must not lie in the past: what is gone by now is not known any more');
    }
    const configuration = await deps.configuration.read();
    const settings = expirySettings(configuration);
    const snapshot = await readExpiry(store, settings, atMs);
    const isHeld = await deps.hold.isHeld();
    const verdicts = new Map<number, Verdict>();
    let steps = 0;
    for (const step of planExpiry(snapshot)) {
      for (const [id, verdict] of verdictsOf(step, { ...snapshot, askedMs })) verdicts.set(id, verdict);
      steps += 1;
      // Other callers are served in between.
      if (steps % stepsPerTurn === 0) await nextTurn();
    }
    const { rows, total } = await store.list(list, groups, deps.dialect);
    const shown = rows.map((row): CopyOutlook => {
      const other = {
        storeUntilMs: row.store_until_ms,
        isArchiving: row.archiving === 1,
        isBroken: row.status === 'Broken',
      };
      const dependants = snapshot.dependants.get(row.id) ?? [];
      const found = verdicts.get(row.id) ?? verdictOfOther(other, { atMs, settings, dependants });
      const allowed = isHeld ? verdictWhileHeld(found) : found;
      const verdict = configuration.service_mode ? verdictInServiceMode(allowed) : allowed;
      const {
        id,
        client,
        resource_type,
        resource,
        backup_type,
        status,
        pool,
        created,
        store_until,
        real_size,
      } = toRecord(row);
      return {
        id,
        client,
        resource_type,
        resource,
        backup_type,
        status,
        pool,
        real_size,
        created,
        store_until,
        kept: verdict.kept,
        rule: verdict.rule,
        reason: verdict.reason,
        goes: toWireTimeOrNull(verdict.goesMs),
      };
    });
    return { rows: shown, total };
  };
}
