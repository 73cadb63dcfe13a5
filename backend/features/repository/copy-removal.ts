import type { Db, Tx } from '../../db/index.ts';
import { NotAnswering } from '../../platform/answering.ts';
import type { Clock } from '../../platform/clock.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { distinctIds, requireAllFound } from '../bulk.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import type { Groups } from '../own-clients-store.ts';
import type { CopyAnnouncements } from './copy-announcements.ts';
import type { StoredCopy } from './copy-query-store.ts';
import { type CopyStore, createCopyStore } from './copy-store.ts';
import { type DeletionPlan, type DeletionSettings, planDeletion } from './deletion-rules.ts';
import type { ExpiryHoldService } from './expiry-hold.ts';
import { planExpiry } from './expiry-rules.ts';
import { expirySettings, readExpiry } from './expiry-snapshot.ts';
import { createOverdueReminder, type KeptCopy } from './overdue-reminder.ts';

export interface CopyFolder {
  readonly storagePath: string;
  /** Name of the folder. */
  readonly copyId: string;
  /** Its data are overwritten before they are removed. */
  readonly zeroing: boolean;
}

export interface CopyRemovalDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  readonly tell: CopyAnnouncements;
  readonly hold: Pick<ExpiryHoldService, 'look'>;
  /** Removes the folder of a copy from its storage; one that is not there is no failure. Throws `NotAnswering`. */
  readonly removeFolder: (folder: CopyFolder) => Promise<void>;
  /** Folder of the file lists of copies on tape, by copy; all that a disk holds of such a copy. */
  readonly tapeLists: string;
  /** The copy's file list is about to go: nobody may keep it open. */
  readonly closeFiles: (id: number) => Promise<void>;
}

export interface RemoveOptions {
  readonly groups: Groups;
  /** The deletion task that asks for it: it does not count as one that uses the copy. */
  readonly exceptTask?: number;
}

export type CopyRemoval = ReturnType<typeof createCopyRemoval>;

/**
 * Deletion in two phases: the rows are marked, from then on the copies are not listed and cannot be used; then each
 * folder is removed, and after it the row. What a crash or a failing storage leaves over is finished later.
 */
export function createCopyRemoval(deps: CopyRemovalDeps) {
  const { db, clock, log, configuration, tell } = deps;
  const store = createCopyStore(db);
  const inWork = new Set<number>();
  const remind = createOverdueReminder({ log });

  const removeMarked = async (copies: readonly StoredCopy[], zeroing: boolean): Promise<void> => {
    const left = new Set<number>();
    /** Storages that do not answer: told once, and their other copies are left for later. */
    const mute = new Set<string>();
    for (const copy of copies) {
      if (inWork.has(copy.id)) continue;
      inWork.add(copy.id);
      try {
        // The row that others still refer to has to wait for them.
        const isNeeded = copies.some((other) => left.has(other.id) && other.reference_id === copy.id);
        const isLeft = isNeeded || mute.has(placeOf(copy));
        if (isLeft || !(await removeOne(copy, zeroing, mute))) left.add(copy.id);
      } finally {
        inWork.delete(copy.id);
      }
    }
  };

  const placeOf = (copy: StoredCopy): string => copy.storage_path ?? deps.tapeLists;

  const removeOne = async (copy: StoredCopy, zeroing: boolean, mute: Set<string>): Promise<boolean> => {
    const storagePath = placeOf(copy);
    try {
      await deps.closeFiles(copy.id);
      await deps.removeFolder({ storagePath, copyId: copy.uuid, zeroing });
      const obsoleted = await db.transaction().execute(async (tx) => {
        const inside = createCopyStore(tx);
        const tasks = await inside.obsoleteTasks([copy.id]);
        await inside.remove(copy.id);
        return tasks;
      });
      for (const task of obsoleted) tell.task(task);
      return true;
    } catch (error) {
      if (error instanceof NotAnswering) mute.add(storagePath);
      log.error('a deleted copy could not be removed from its storage; it is tried again', {
        copy: copy.id,
        storage: storagePath,
        folder: copy.uuid,
        error,
      });
      return false;
    }
  };

  const markInside = async (
    tx: Tx,
    ids: readonly number[],
    options: RemoveOptions & { readonly settings: DeletionSettings },
  ): Promise<DeletionPlan> => {
    const inside = createCopyStore(tx);
    const found = await inside.getMany(ids, options.groups);
    requireAllFound(
      'Copy',
      ids,
      found.map(({ id }) => id),
    );
    const plan = await plannedDeletion(inside, ids, { ...options, nowMs: clock.now() });
    if (plan.ok) await inside.markDeleting(plan.ids);
    return plan;
  };

  /** Marks and removes; answers the ids that are gone or why nothing is. */
  const attempt = async (ids: readonly number[], options: RemoveOptions): Promise<DeletionPlan> => {
    const settings = await configuration.read();
    const rules = expirySettings(settings);
    const plan = await db.transaction().execute((tx) => markInside(tx, ids, { ...options, settings: rules }));
    if (!plan.ok) return plan;
    const marked = new Map((await store.deleting()).map((copy) => [copy.id, copy]));
    const copies = plan.ids.flatMap((id) => marked.get(id) ?? []);
    for (const copy of copies) tell.copy('removed', copy);
    await removeMarked(copies, settings.delete_archives_with_zeroing);
    return plan;
  };

  /** What was planned a moment ago: a copy that is gone by somebody else's hand since then holds up no other. */
  const attemptIfThere = async (ids: readonly number[]): Promise<DeletionPlan | null> => {
    try {
      return await attempt(ids, { groups: null });
    } catch (error) {
      if (error instanceof Refusal && error.code === 'object.notFound') return null;
      throw error;
    }
  };

  return {
    /** All or nothing: 404 for an unknown id, 400 with the reasons when a rule stands against it. */
    remove: async (given: readonly number[], options: RemoveOptions): Promise<{ readonly ids: number[] }> => {
      const plan = await attempt(distinctIds(given), options);
      if (plan.ok) return { ids: [...plan.ids] };
      throw new Refusal(plan.code, {
        message: `Nothing was removed: ${plan.reasons[0]?.text}.`,
        errors: { ids: plan.reasons.map(({ text }) => text).join('; ') },
      });
    },

    /**
     * Removes what has expired, where no rule stands against it; waits while service mode is on, and after a jump of the
     * clock.
     */
    expireDue: async (nowMs: number): Promise<readonly number[]> => {
      const settings = await configuration.read();
      // The clock is watched in service mode too: a long one is no jump.
      const isHeld = await deps.hold.look(nowMs);
      if (settings.service_mode || isHeld) {
        const reason = settings.service_mode
          ? 'nothing expires while the server is in service mode'
          : 'the clock has jumped ahead and nobody has confirmed it';
        const { removesBroken } = expirySettings(settings);
        const due = await store.expired(nowMs, { broken: removesBroken });
        remind(
          due.map((id) => ({ id, reason })),
          settings.obsoleted_backup_notification_period,
          nowMs,
        );
        return [];
      }
      const snapshot = await readExpiry(store, expirySettings(settings), nowMs);
      const kept: KeptCopy[] = [];
      if (snapshot.due.length === 0) {
        remind(kept, settings.obsoleted_backup_notification_period, nowMs);
        return [];
      }
      const dated = await store.expired(nowMs, { broken: false });
      for (const task of await store.obsoleteTasks(dated)) tell.task(task);
      const removed: number[] = [];
      for (const { id, chain, plan: planned } of planExpiry(snapshot)) {
        const plan = planned.ok ? await attemptIfThere(chain) : planned;
        if (plan === null) continue;
        if (plan.ok) {
          log.info('an expired copy was removed', { copy: id });
          removed.push(...plan.ids);
        } else kept.push({ id, reason: plan.reasons[0]?.text ?? '' });
      }
      remind(kept, settings.obsoleted_backup_notification_period, nowMs);
      return removed;
    },

    /** Goes on with deletions that were cut off or that a storage refused. */
    finish: async (): Promise<void> => {
      const copies = await store.deleting();
      if (copies.length === 0) return;
      const { delete_archives_with_zeroing: zeroing } = await configuration.read();
      await removeMarked(copies, zeroing);
    },
  };
}

async function plannedDeletion(
  store: CopyStore,
  ids: readonly number[],
  about: RemoveOptions & { readonly settings: DeletionSettings; readonly nowMs: number },
): Promise<DeletionPlan> {
  const dependants = await store.dependants(ids);
  const all = [...new Set([...ids, ...[...dependants.values()].flat()])];
  return planDeletion({
    ids,
    // Those of the dependants too: what goes first is decided by them.
    dependants: await store.dependants(all),
    facts: await store.deletionFacts(all, about.exceptTask ?? null),
    copiesOfRule: await store.countByRule('rule_id'),
    copiesOfStrategyRule: await store.countByRule('strategy_rule_id'),
    settings: about.settings,
    nowMs: about.nowMs,
  });
}
