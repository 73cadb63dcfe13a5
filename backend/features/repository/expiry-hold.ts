import type { ExpiryHold } from '../../../contract/repository/expiry-hold.ts';
import type { Db } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { createInTurn } from '../../platform/in-turn.ts';
import type { Log } from '../../platform/log.ts';
import { toWireTime, toWireTimeOrNull } from '../../platform/wire-time.ts';
import type { Announce } from '../announce.ts';
import { isAhead, lookAtClock, noteEveryMs } from './expiry-hold-rules.ts';
import { createExpiryHoldStore } from './expiry-hold-store.ts';

export type ExpiryHoldService = ReturnType<typeof createExpiryHold>;

/** Nothing expires by a clock that has jumped ahead, until it is confirmed or right again; also over restarts. */
export function createExpiryHold(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly announce: Announce;
}) {
  const { clock, log } = deps;
  const store = createExpiryHoldStore(deps.db);
  // A look that began before a confirmation must not undo it.
  const inTurn = createInTurn();
  const tell = () => deps.announce({ kind: 'configuration', action: 'changed', id: null });

  const read = async (): Promise<ExpiryHold> => {
    const known = await store.read();
    const nowMs = clock.now();
    const isHeld = known !== null && known.heldMs !== null;
    return {
      held: isHeld,
      clock: toWireTime(nowMs),
      clock_before: toWireTimeOrNull(isHeld ? known.seenMs : null),
      copies: isHeld ? await store.countDue(nowMs) : 0,
    };
  };

  return {
    read,

    isHeld: async (): Promise<boolean> => ((await store.read())?.heldMs ?? null) !== null,

    /** To be called before anything expires; true: nothing may. */
    look: (nowMs: number): Promise<boolean> =>
      inTurn('clock', async () => {
        const known = await store.read();
        // Counted only where it matters.
        const due = known !== null && isAhead(known, nowMs) ? await store.countDue(nowMs) : 0;
        const next = lookAtClock(known, nowMs, due);
        const isChanged = known === null || next.heldMs !== known.heldMs;
        if (isChanged || next.seenMs - known.seenMs >= noteEveryMs) await store.write(next);
        if (known !== null && isChanged) {
          const clocks = { before: toWireTime(known.seenMs), now: toWireTime(nowMs) };
          if (next.heldMs === null) log.info('the clock is right again: copies expire as before', clocks);
          else {
            log.warn(
              'the clock has jumped ahead: nothing expires until it is right again or PATCH /global_configuration/expiry_hold confirms it',
              { ...clocks, copies: due },
            );
          }
          tell();
        }
        return next.heldMs !== null;
      }),

    /** Somebody says that the clock is right. */
    confirm: (): Promise<ExpiryHold> =>
      inTurn('clock', async () => {
        const known = await store.read();
        if (known !== null && known.heldMs !== null) {
          const nowMs = clock.now();
          await store.write({ seenMs: nowMs, heldMs: null });
          log.warn('the clock was confirmed after its jump: copies expire by it', {
            before: toWireTime(known.seenMs),
            now: toWireTime(nowMs),
          });
          tell();
        }
        return read();
      }),
  };
}
