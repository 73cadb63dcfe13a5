import type { SchedulePreview, SchedulePreviewQuery } from '../../../contract/strategies/schedule-preview.ts';
import {
  Strategy,
  type StrategyDetails,
  type StrategyDraft,
  type StrategyPatch,
  shownRuns,
} from '../../../contract/strategies/strategy.ts';
import { type Db, type ListRequest, listRecords, type Page } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { notFound, Refusal } from '../../platform/errors.ts';
import type { Announce } from '../announce.ts';
import { distinctIds, refuseIfAny, requireAllFound } from '../bulk.ts';
import { strategyLimitBytes } from '../capacity-rules.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import { normaliseDuration } from '../duration.ts';
import { requireFreeName } from '../free-name.ts';
import { unknownReference } from '../references.ts';
import { createScheduleChangesStore } from '../schedule-changes-store.ts';
import { whyCryptoDoesNotFit } from '../working-crypto.ts';
import { nextRuns, serverTimeZone } from './schedule-rules.ts';
import { isSame } from './schedule-spans.ts';
import { createStrategyNoticeStore } from './strategy-notice-store.ts';
import {
  recordsWithRuns,
  recordWithRuns,
  schedulesInForce,
  schedulesOf,
  toRecord,
  toRun,
} from './strategy-record.ts';
import { msOf, strategyRefusals, whyStrategyStays } from './strategy-rules.ts';
import {
  createStrategyStore,
  type StoredStrategy,
  type StrategyStore,
  type StrategyValues,
} from './strategy-store.ts';

export { nextRuns, type Run, type Schedules } from './schedule-rules.ts';
export {
  type ScheduleChange,
  type ScheduleSpan,
  scheduleSpans,
  withoutSchedules,
} from './schedule-spans.ts';
export { schedulesInForce, schedulesOf } from './strategy-record.ts';

export type StrategyService = ReturnType<typeof createStrategyService>;

const dayMs = 86_400_000;
const fields = Object.keys(Strategy.shape) as (keyof Strategy)[];

/** Templates of schedules, pool, retention and encryption; rules bind resources to them. */
export function createStrategyService(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly announce: Announce;
  readonly configuration: Pick<ConfigurationService, 'read'>;
}) {
  const { clock } = deps;
  const store = createStrategyStore(deps.db);
  const notices = createStrategyNoticeStore(deps.db);
  const changed = () => deps.announce({ kind: 'configuration', action: 'changed', id: null });
  const load = async (id: number): Promise<StoredStrategy> => {
    const strategy = await store.get(id);
    if (!strategy) throw notFound('Strategy', id);
    return strategy;
  };
  const get = async (id: number): Promise<Strategy> => recordWithRuns(await load(id), clock.now());
  const requireFree = (inside: StrategyStore, name: string, own: number | null): Promise<void> =>
    requireFreeName(inside, { what: 'strategy', field: 'name', name, own });
  const poolId = async (name: string, crypto: string): Promise<number> => {
    const pool = await store.poolByName(name);
    if (pool === null) throw unknownReference('pool', `pool named \`${name}\``);
    const misfit = whyCryptoDoesNotFit(pool.pool_type, crypto);
    if (misfit !== null) {
      throw new Refusal('request.invalid', { message: `crypto ${misfit}.`, errors: { crypto: misfit } });
    }
    return pool.id;
  };
  const requirePossible = (body: StrategyPatch, known: StoredStrategy | null): void => {
    const errors = strategyRefusals(body, {
      ...schedulesOf(known ?? defaults()),
      nowMs: clock.now(),
    });
    const [first] = Object.entries(errors);
    if (first) throw new Refusal('request.invalid', { message: `${first[0]} ${first[1]}.`, errors });
  };

  return {
    list: async (list: ListRequest): Promise<Page<Strategy>> => {
      const nowMs = clock.now();
      const all = await store.all();
      // Runs take long to work out: of many strategies only for those that are shown, unless the list goes by them.
      if (list.sort === 'next_runs' || Object.hasOwn(list.filters, 'next_runs')) {
        return listRecords(await recordsWithRuns(all, nowMs), list, fields);
      }
      const { rows, total } = listRecords(
        all.map((strategy) => toRecord(strategy, [])),
        list,
        fields,
      );
      const byId = new Map(all.map((strategy) => [strategy.id, strategy]));
      return {
        rows: await recordsWithRuns(
          rows.flatMap(({ id }) => byId.get(id) ?? []),
          nowMs,
        ),
        total,
      };
    },

    get: async (id: number, runsDays?: number): Promise<StrategyDetails> => {
      const known = await load(id);
      const strategy = await recordWithRuns(known, clock.now(), runsDays);
      const settings = await deps.configuration.read();
      const nowMs = clock.now();
      const stored = await notices.storedBytes(id);
      const endMs = known.valid_until_ms;
      const soonMs = nowMs + settings.strategy_validity_end_notification_period * dayMs;
      const limitBytes = strategyLimitBytes(strategy.capacity, settings.strategy_storage_capacity_reserve);
      return {
        ...strategy,
        stored,
        capacity_reached: strategy.capacity > 0 && stored >= limitBytes,
        ends_soon: endMs !== null && endMs > nowMs && endMs <= soonMs,
      };
    },

    /** What schedules would lead to, by the rules by which they are saved. */
    preview: (asked: SchedulePreviewQuery): SchedulePreview => {
      const { full_schedule: full, incremental_schedule: incremental, differential_schedule } = asked;
      requirePossible(asked, null);
      const timeZone = asked.time_zone ?? serverTimeZone();
      const schedules = {
        full: full ?? null,
        incremental: incremental ?? null,
        differential: differential_schedule ?? null,
        timeZone,
        validFromMs: msOf(asked.valid_from ?? null),
        validUntilMs: msOf(asked.valid_until ?? null),
      };
      return {
        time_zone: timeZone,
        server_time_zone: serverTimeZone(),
        next_runs: nextRuns(schedules, clock.now(), shownRuns).map(toRun),
      };
    },

    create: async (draft: StrategyDraft): Promise<{ readonly id: number }> => {
      requirePossible(draft, null);
      const nowMs = clock.now();
      const values = {
        ...valuesOf(draft),
        name: draft.name,
        pool_id: await poolId(draft.pool, draft.crypto ?? defaults().crypto),
        created_ms: nowMs,
        changed_ms: nowMs,
      };
      const id = await deps.db.transaction().execute(async (tx) => {
        const inside = createStrategyStore(tx);
        await requireFree(inside, draft.name, null);
        return inside.insert({ ...defaults(), ...values });
      });
      changed();
      return { id };
    },

    update: async (id: number, patch: StrategyPatch): Promise<Strategy> => {
      const known = await load(id);
      requirePossible(patch, known);
      const crypto = patch.crypto === undefined ? known.crypto : (patch.crypto ?? defaults().crypto);
      const isOtherPair = patch.pool !== undefined || patch.crypto !== undefined;
      const pool_id = isOtherPair ? await poolId(patch.pool ?? known.pool_name, crypto) : undefined;
      await deps.db.transaction().execute(async (tx) => {
        const inside = createStrategyStore(tx);
        if (patch.name !== undefined) await requireFree(inside, patch.name, id);
        const nowMs = clock.now();
        // First, so that nobody else changes it between the look at what held and the change.
        await inside.update(id, { changed_ms: nowMs });
        const before = await inside.get(id);
        await inside.update(id, {
          ...valuesOf(patch),
          ...(patch.name === undefined ? {} : { name: patch.name }),
          ...(pool_id === undefined ? {} : { pool_id }),
          changed_ms: nowMs,
        });
        const after = await inside.get(id);
        if (before === null || after === null) throw notFound('Strategy', id);
        const schedules = schedulesInForce(before);
        if (isSame(schedules, schedulesInForce(after))) return;
        await createScheduleChangesStore(tx).add(id, { schedules, untilMs: nowMs });
      });
      changed();
      return get(id);
    },

    /** All or nothing. */
    remove: async (given: readonly number[]): Promise<{ readonly ids: number[] }> => {
      const ids = distinctIds(given);
      await deps.db.transaction().execute(async (tx) => {
        const inside = createStrategyStore(tx);
        const found = await inside.getMany(ids);
        requireAllFound(
          'Strategy',
          ids,
          found.map(({ id }) => id),
        );
        refuseIfAny(found.map(whyStrategyStays), 'object.inUse');
        await inside.remove(ids);
      });
      changed();
      return { ids: [...ids] };
    },
  };
}

type Settings = Omit<StrategyValues, 'name' | 'pool_id' | 'created_ms' | 'changed_ms'>;

function defaults(): Settings {
  return {
    priority: 100,
    full_schedule: null,
    incremental_schedule: null,
    differential_schedule: null,
    time_zone: serverTimeZone(),
    storage_duration: null,
    crypto: 'nocrypt',
    capacity: 0,
    enabled: 1,
    valid_from_ms: null,
    valid_until_ms: null,
    verify_period: null,
    restore_proof_files: null,
    restore_proof_size: null,
    notification_user_groups: null,
  };
}

/** The columns for the fields that were sent; null puts one back to its default. */
function valuesOf(body: StrategyPatch): Partial<Settings> {
  const fallback = defaults();
  const sent: Partial<{ -readonly [K in keyof Settings]: Settings[K] }> = {};
  const plain = [
    'priority',
    'full_schedule',
    'incremental_schedule',
    'differential_schedule',
    'time_zone',
    'crypto',
    'capacity',
    'verify_period',
    'restore_proof_files',
    'restore_proof_size',
  ] as const;
  for (const field of plain) {
    const value = body[field];
    if (value !== undefined) Object.assign(sent, { [field]: value ?? fallback[field] });
  }
  const { storage_duration: duration } = body;
  if (duration !== undefined) sent.storage_duration = duration === null ? null : normaliseDuration(duration);
  const { notification_user_groups: told } = body;
  if (told !== undefined) sent.notification_user_groups = told?.length ? JSON.stringify(told) : null;
  if (body.enabled !== undefined) sent.enabled = body.enabled === false ? 0 : 1;
  if (body.valid_from !== undefined) sent.valid_from_ms = msOf(body.valid_from);
  if (body.valid_until !== undefined) sent.valid_until_ms = msOf(body.valid_until);
  return sent;
}
