import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Announce } from '../announce.ts';
import { createOverdueStore, type WatchedRule } from './overdue-store.ts';
import type { OverdueRow } from './rule-run-store.ts';
import { overdueReason } from './silence-rules.ts';

/** So that a line of the log stays readable. */
const mostNamed = 20;
/** Of more at once the lists are read again as a whole. */
const mostToldSingly = 100;
const lookedAtOnce = 10_000;

/** Very many take some milliseconds: others are served between the parts. */
async function inTurns<T>(all: Iterable<T>, look: (one: T) => void): Promise<void> {
  let looked = 0;
  for (const one of all) {
    if (looked % lookedAtOnce === 0) await nextTurn();
    looked += 1;
    look(one);
  }
}

/**
 * Tells once when a rule becomes overdue and once when it is well again, over restarts too: in the service's log and as
 * a change of the client that lacks its copy. A task that has not ended after a day counts as overdue too. A rule is well when its newest task has ended well, not when it begins.
 */
export function createOverdueWatch(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly announce: Announce;
  readonly overdue: () => Promise<readonly OverdueRow[]>;
}): () => Promise<void> {
  const { db, log, announce } = deps;
  /** Silent at the last look. A scheduler that has just woken makes up for it within a second. */
  let silentBefore: ReadonlySet<number> = new Set();

  const tell = (rules: readonly WatchedRule[]): void => {
    const clients = new Map(rules.map((rule) => [rule.client_id, rule.client_group_id]));
    if (clients.size > mostToldSingly) announce({ kind: 'client', action: 'changed', id: null });
    else {
      for (const [id, clientGroupId] of clients)
        announce({ kind: 'client', action: 'changed', id, clientGroupId });
    }
  };

  return async () => {
    const all = await deps.overdue();
    const store = createOverdueStore(db);
    const known = await store.known();
    const silent = new Set<number>();
    const now = new Set<number>();
    const fresh: OverdueRow[] = [];
    await inTurns(all, (row) => {
      const { rule_id: rule } = row;
      const isSilent = row.outcome === 'unplanned';
      if (isSilent) silent.add(rule);
      if (isSilent && !silentBefore.has(rule)) return;
      now.add(rule);
      if (!known.has(rule)) fresh.push(row);
    });
    silentBefore = silent;
    const gone: number[] = [];
    await inTurns(known, (rule) => {
      if (!now.has(rule) && !silent.has(rule)) gone.push(rule);
    });
    const open = await store.unfinished(gone);
    const well = gone.filter((rule) => !open.has(rule));
    if (fresh.length === 0 && well.length === 0) return;
    const watched = await store.rules(well);
    // Part by part, so that nobody waits for very many: what is cut off goes on at the next look.
    await store.add(fresh, deps.clock.now());
    await store.remove(well);
    if (fresh.length > 0) {
      log.warn('rules have become overdue', {
        total: fresh.length,
        rules: fresh.slice(0, mostNamed).map((row) => ({
          rule: row.rule_id,
          client: row.hostname,
          resource: row.resource,
          due: new Date(row.due_ms).toISOString(),
          reason: overdueReason(row),
          task: row.task_id,
        })),
      });
    }
    if (well.length > 0) {
      log.info('rules are not overdue any more', {
        total: well.length,
        rules: watched
          .slice(0, mostNamed)
          .map((row) => ({ rule: row.id, client: row.hostname, resource: row.resource })),
      });
    }
    await nextTurn();
    tell([...fresh, ...watched]);
  };
}
