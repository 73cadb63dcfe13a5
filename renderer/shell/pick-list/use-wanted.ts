import { useMemo } from 'react';
import type { LibraryElementRecord, WantedCartridge } from '../../../contract/cartridges/cartridge.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import { call, problemOf } from '../../bridge.ts';
import { useExtension } from '../rights.ts';
import { type Answer, useAnswer } from '../use-answer.ts';
import { type PickPlan, pickPlan } from './pick-plan.ts';

export interface Wanted {
  readonly plan: PickPlan;
  /** The library that reads them; null: no cartridge is registered. */
  readonly libraryId: number | null;
  /** Why the robot could not be asked; null: it was. */
  readonly unseen: string | null;
}

// The robot is asked, since nothing tells that somebody has put a cartridge in.
const watch = { kinds: ['library'], pollMs: 4000, settleMs: 300 } as const;

/** The cartridges that a restore of a copy on tape reads, and where they are now. */
export function useWanted(connectionId: string, copy: Copy): Answer<Wanted> | null {
  const isKnown = useExtension(connectionId, 'cartridges');
  const isOnTape = isKnown && copy.pool_type === 'Tape library';
  const load = useMemo(() => {
    if (!isOnTape) return null;
    return async (signal: AbortSignal): Promise<Wanted> => {
      const params = { id: copy.id };
      const wanted = await call(connectionId, 'cartridges.ofCopy', { params }, signal);
      return seen(connectionId, wanted, signal);
    };
  }, [connectionId, copy.id, isOnTape]);
  const answer = useAnswer(connectionId, load, watch);
  return isOnTape ? answer : null;
}

async function seen(
  connectionId: string,
  wanted: readonly WantedCartridge[],
  signal: AbortSignal,
): Promise<Wanted> {
  const libraryId = wanted[0]?.cartridge.tape_library ?? null;
  if (libraryId === null) return { plan: pickPlan([], null), libraryId, unseen: null };
  let elements: readonly LibraryElementRecord[] | null = null;
  let unseen: string | null = null;
  try {
    elements = await call(connectionId, 'cartridges.slots', { params: { id: libraryId } }, signal);
  } catch (error) {
    signal.throwIfAborted();
    unseen = problemOf(error).message;
  }
  return { plan: pickPlan(wanted, elements), libraryId, unseen };
}
